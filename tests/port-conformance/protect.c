/* Touches external memory that board_protect has put out of the core's reach: the
 * board ends the program with status 3. */

#include "board.h"

static volatile unsigned char outside[64] EXTERNAL;
static volatile unsigned char inside[64];

int main(void)
{
	outside[0] = 1;
	board_protect(1);
	inside[0] = 1;
	board_protect(0);
	outside[1] = outside[0];
	if (outside[1] != 1)
		return 1;
	board_protect(1);
	inside[1] = outside[1];
	return 2;
}
