#!/bin/sh
# Random programs with fixed seeds.  FUZZ_SEEDS=FIRST..LAST tries others; `make fuzz`
# goes on from where this ends until it is interrupted.
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
# A compiler with sanitizers takes several times as long.
[ -n "$SANITIZER_FLAGS" ] && seeds=0..99 || seeds=0..399
exec python3 -B "$top_srcdir/tests/fuzz/fuzz.py" --loopc "$LOOPC" --runtime "$top_srcdir/runtime" \
	--cc "${CC:-cc}" --seeds "${FUZZ_SEEDS:-$seeds}"
