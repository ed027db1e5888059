#!/bin/sh
# No schedule of a small group moves less than the one that the search finds, whatever the
# size of the scratchpad.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "all schedules of a group" python3 -B "$top_srcdir/tests/fusion/exhaust.py" "$LOOPC" "$(inputs 4 1)" "$(inputs 8 3)"
	ok "all pairs of tile sizes" python3 -B "$top_srcdir/tests/fusion/blocks.py" "$LOOPC" "$(inputs 2 1)"
else
	skip "all schedules of a group" "no python3"
fi
finish
