/* Runs an imported network of 8-bit outputs on its test vector; the status says whether the outputs
 * are the vector's. */

#include "board.h"
#include "kernel.h"
#include "loopc_rt.h"
#include "network.h"

extern const unsigned char vector_input[];
extern const signed char vector_expected[];
static signed char output[LOOPC_NETWORK_OUTPUT_BYTES] EXTERNAL __attribute__((aligned(64)));
static unsigned char workspace[LOOPC_NETWORK_WORKSPACE_BYTES + 1] EXTERNAL __attribute__((aligned(64)));

static void print_text(const char *text)
{
	while (*text)
		board_put_char(*text++);
}

static void print_number(int number)
{
	if (number < 0) {
		board_put_char('-');
		number = -number;
	}
	if (number > 9)
		print_number(number / 10);
	board_put_char((char)('0' + number % 10));
}

int main(void)
{
	int wrong = 0;

	LOOPC_NETWORK_RUN(vector_input, LOOPC_NETWORK_WEIGHTS, output, workspace);
	print_text(BOARD_NAME ":");
	for (unsigned i = 0; i < LOOPC_NETWORK_OUTPUT_BYTES; i++) {
		print_text(" ");
		print_number(output[i]);
		wrong += output[i] != vector_expected[i];
	}
	print_text(wrong ? ", WRONG\n" : ", as in the test vector\n");
	return wrong != 0;
}
