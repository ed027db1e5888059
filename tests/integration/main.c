/* Multiplies by the kernel that loopc wrote, and by hand; says whether they agree. */

#include <stdint.h>
#include <stdio.h>

#include "loopc_rt.h"
#include "product.h"

enum { N = 24 };

static int16_t A[N][N], B[N][N];
static int32_t C[N][N];

int main(void)
{
	int differences = 0;
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			A[i][j] = (int16_t)(3 * i - j);
			B[i][j] = (int16_t)(i + 5 * j);
		}
	product((lrt_ext)A, (lrt_ext)B, (lrt_ext)C);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			int32_t sum = 0;
			for (int k = 0; k < N; k++)
				sum += A[i][k] * B[k][j];
			differences += sum != C[i][j];
		}
	printf("%d differences\n", differences);
	return differences != 0;
}
