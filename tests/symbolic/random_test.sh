#!/bin/sh
# Random programs with sizes left to the run, with fixed seeds: as many as the time allows,
# always the same ones in the same order.
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
exec python3 -B "$top_srcdir/tests/symbolic/random_sizes.py" --loopc "$LOOPC" \
	--seeds "${SYMBOLIC_SEEDS:-0..499}" --batch 5 --timeout 20 --seconds "${SYMBOLIC_SECONDS:-25}"
