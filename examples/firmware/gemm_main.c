/* A matrix product, compared with the direct one. */

#include "board.h"
#include "gemm.h"
#include "loopc_rt.h"
#include "traffic.h"

enum { M = 120, N = 136, K = 200 };

static int16_t A[M][K] EXTERNAL, B[K][N] EXTERNAL;
static int32_t C[M][N] EXTERNAL;

static int32_t element(int m, int n)
{
	int32_t sum = 0;
	int k;
	for (k = 0; k < K; k++)
		sum += A[m][k] * B[k][n];
	return sum;
}

static void fill(int16_t *values, int count, uint32_t state)
{
	while (count-- > 0) {
		state = state * 1664525u + 1013904223u;
		*values++ = (int16_t)((int)(state >> 21) - 1024);
	}
}

static unsigned wrong_elements(void)
{
	unsigned wrong = 0;
	int m, n;
	for (m = 0; m < M; m++)
		for (n = 0; n < N; n++)
			wrong += C[m][n] != element(m, n);
	return wrong;
}

int main(void)
{
	const struct prediction predicted = { GEMM_READ_BYTES, GEMM_WRITE_BYTES, GEMM_COMMANDS };
	unsigned wrong;
	int is_right;
	fill(&A[0][0], M * K, 1);
	fill(&B[0][0], K * N, 2);
	traffic_begin();
	traffic_array("A", A, sizeof A, 0);
	traffic_array("B", B, sizeof B, 0);
	traffic_array("C", C, sizeof C, 1);
#ifdef PROTECT
	board_protect(1);
#endif
	gemm((lrt_ext)A, (lrt_ext)B, (lrt_ext)C);
#ifdef PROTECT
	board_protect(0);
#endif
	is_right = traffic_end(predicted);
	traffic_print("gemm", predicted);
	wrong = wrong_elements();
	print_text("  wrong elements");
	print_number(wrong, 12);
	print_text(is_right && !wrong ? "\n  all as predicted\n" : "\n  WRONG\n");
	return !is_right || wrong > 0;
}
