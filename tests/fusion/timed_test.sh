#!/bin/sh
# Random networks whose parts are chosen by their time, their commands or their energy: what is measured is what was predicted, nests
# apart are no better, nothing is below a bound.
. "$top_srcdir/tests/tap/tap.sh"
if command -v python3 >/dev/null 2>&1; then
	ok "random networks" python3 -B "$top_srcdir/tests/fusion/timed.py" "$LOOPC" 31 "$(inputs 45 36)"

	# fused for the fewest bytes, in whatever buffers, this block takes 710,314 cycles, and apart more
	networks=$top_srcdir/examples/networks
	takes() {
		network=$1
		shift
		"$LOOPC" "$@" --report=report.json -o network.c "$networks/$network.loop" && python3 -c '
import json, sys
print(json.load(open(sys.argv[1]))["total"]["time"]["cycles"])' report.json
	}
	is_faster() {
		timed=$(takes resnet_basic --objective=cycles) && fewest=$(takes resnet_basic) &&
			apart=$(takes resnet_basic --objective=cycles --fuse=never) &&
			test "$timed" -lt "$fewest" && test "$timed" -lt "$apart"
	}
	ok "a block is faster in groups that are chosen by time" is_faster

	# a core would compute the group that moves the fewest bytes; elements compute its nests, with what is between them on chip
	energy() {
		"$LOOPC" --arch=eyeriss-array "$@" --report=report.json -o network.c "$networks/l3net.loop" && python3 -c '
import json
print(int(json.load(open("report.json"))["total"]["energy"]["total_pj"]))'
	}
	takes_less() {
		least=$(energy --objective=energy) && fewest=$(energy) && apart=$(energy --objective=energy --fuse=never) &&
			test "$least" -lt "$fewest" && test "$least" -lt "$apart"
	}
	ok "a network takes less energy in parts that are chosen by it" takes_less

	# all that is estimated of this one is within a fiftieth of its plan
	near() {
		takes inverted_residual --objective=cycles -Rtime >taken 2>told && awk -v taken="$(cat taken)" '
			/cycles of this group/ { sub(/.*expected about /, ""); off = ($1 - taken) / taken; found++ }
			END { exit !(found == 1 && off < 0.02 && off > -0.02) }' told
	}
	ok "what is expected of a group is about what its plan takes" near
else
	skip "random networks" "no python3"
fi
finish
