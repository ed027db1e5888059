#include <stdio.h>

int main(void)
{
	puts("loopc " PACKAGE_VERSION);
	return 0;
}
