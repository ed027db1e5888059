#!/bin/sh
# What a user asks for is done or refused, whatever goes together.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "random options, schedules and machines" python3 -B "$top_srcdir/tests/fusion/wishes.py" "$LOOPC" 1 "$(inputs 16 5)"
	# loops that hold nothing are whole again, before elements take steps of them
	ok "no tiles, and elements" python3 -B "$top_srcdir/tests/fusion/wishes.py" "$LOOPC" 41 1
fi

# A model has too little room in one of two memories, for a column of A that is not there; the plan has enough.
cat >sliding.loop <<'E2'
#include <stdint.h>
void sliding(const int32_t A[6][3], int8_t P[6][3])
{
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 3; j++) {
			P[i][j] = 2 * A[i][j];
			if (i > 0)
				P[i][j] += A[i - 1][j];
			if (i < 5)
				P[i][j] += A[i + 1][j];
			if (j > 0)
				P[i][j] += A[i][j - 1];
		}
}
E2
cat >two.yaml <<'E2'
version: 2
name: two
memories:
  - { name: a, bytes: 50, holds: [input, output] }
  - { name: b, bytes: 24, holds: [weight, output] }
E2
exits 0 "two memories" "$LOOPC" --arch=two.yaml --buffering=double --emit=c=one.c,schedule=found sliding.loop
has found '^store A in i sliding double' "two memories: a ring for two windows"
exits 0 "two memories, given back" "$LOOPC" --arch=two.yaml --buffering=double --schedule=found --emit=c=two.c,schedule=again sliding.loop
ok "two memories, given back: the same" cmp -s found again
finish
