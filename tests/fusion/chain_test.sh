#!/bin/sh
# Pareto fronts of chains of convolutions equal those of trying every schedule, whatever
# the work that may be repeated, and fusing dominates not fusing.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "fronts of chains" python3 -B "$top_srcdir/tests/fusion/chain_fronts.py" "$LOOPC" \
		"$top_builddir/tests/fusion/chain_front" random 1 "${CHAINS:-$(inputs 4 2)}"
else
	skip "fronts of chains" "no python3"
fi
finish
