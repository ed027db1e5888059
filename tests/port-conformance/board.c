/* The conformance test on a board of examples/firmware. */

#include "board.h"
#include "conformance.h"

enum { WINDOW_BYTES = 8 << 20 };

static unsigned char window[WINDOW_BYTES] EXTERNAL;

static void say(const char *line)
{
	while (*line)
		board_put_char(*line++);
	board_put_char('\n');
}

int main(void)
{
	static struct conformance conformance;
	conformance.window = window;
	conformance.ext = (lrt_ext)window;
	conformance.window_bytes = sizeof window;
	conformance.scratchpad_bytes = SCRATCHPAD_BYTES;
	conformance.say = say;
	return conformance_run(&conformance) != 0;
}
