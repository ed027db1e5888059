#!/bin/sh
# Random programs with fixed seeds: six hundred, or fifteen hundred if THOROUGH is set.  FUZZ_SEEDS=FIRST..LAST
# tries others; `make fuzz-2000` tries two thousand, and `make fuzz` always others until it is interrupted.
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
# As many as the time allows, always the same ones in the same order; a batch that has
# begun is finished.  Nothing is asserted of how long a program takes.  A loopc under
# sanitizers takes five times as long.
seconds=${SANITIZER_FLAGS:+10}
exec python3 -B "$top_srcdir/tests/fuzz/fuzz.py" --loopc "$LOOPC" --runtime "$top_srcdir/runtime" \
	--cc "${CC:-cc}" --batch "${FUZZ_BATCH:-5}" --timeout 20 --slow-is-fine \
	--seeds "${FUZZ_SEEDS:-0..$([ -n "$THOROUGH" ] && echo 1499 || echo 599)}" --seconds "${FUZZ_SECONDS:-${seconds:-200}}"
