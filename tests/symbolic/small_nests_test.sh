#!/bin/sh
# Small random nests with sizes left to the run, against their source compiled by cc: seeds that
# once went wrong, and some more.
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
exec python3 -B "$top_srcdir/tests/symbolic/small_nests.py" --loopc "$LOOPC" \
	--runtime "$top_srcdir/runtime" --cc "${CC:-cc}" --seeds "${SMALL_NESTS_SEEDS:-0..9,48,106}"
