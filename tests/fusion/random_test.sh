#!/bin/sh
# Random networks on random machines: with fusion they compute the same, move no more than
# without, and repeat no more than they may.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "random networks" python3 -B "$top_srcdir/tests/fusion/random_networks.py" "$LOOPC" 60 "$(inputs 74 65)"
else
	skip "random networks" "no python3"
fi
finish
