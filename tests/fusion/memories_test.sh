#!/bin/sh
# Groups and arrays that stay on chip, on machines with several memories.  LOOPC_FUNCTIONS=N: so many random
# functions.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "random functions in several memories" python3 -B "$top_srcdir/tests/fusion/memories.py" "$LOOPC" 0 \
		"${LOOPC_FUNCTIONS:-$(inputs 16 5)}"
	# Weights of a nest that reads a carried array beside them.
	ok "roles beside a carried array" python3 -B "$top_srcdir/tests/fusion/memories.py" "$LOOPC" 33 1
	# What comes for a stage in chunks of a loop that other choices tile.
	ok "chunks without tiles" python3 -B "$top_srcdir/tests/fusion/memories.py" "$LOOPC" 1394 1
else
	skip "random functions in several memories" "no python3"
fi
finish
