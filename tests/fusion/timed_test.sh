#!/bin/sh
# Random networks whose parts are chosen by their time, or their commands: what is measured is what was predicted, nests
# apart are no better, nothing is below a bound.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "random networks" python3 -B "$top_srcdir/tests/fusion/timed.py" "$LOOPC" 31 "$(inputs 45 36)"

	# the fewest bytes of a bottleneck are moved in rows of three elements: faster is what moves a little more
	bottleneck=$top_srcdir/examples/networks/resnet_bottleneck.loop
	takes() {
		"$LOOPC" -D F=16 -D H=28 -D W=28 "$@" --report=report.json -o network.c "$bottleneck" && python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["total"]["time"]["cycles"])' report.json
	}
	is_faster() {
		timed=$(takes --objective=cycles) && fewest=$(takes) && apart=$(takes --objective=cycles --fuse=never) &&
			test "$timed" -lt "$fewest" && test "$timed" -lt "$apart"
	}
	ok "a bottleneck is faster in groups that are chosen by time" is_faster
else
	skip "random networks" "no python3"
fi
finish
