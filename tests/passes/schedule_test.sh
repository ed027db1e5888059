#!/bin/sh
# What the schedule space has beyond tiles and orders, end to end: serpentine loops,
# slots and sliding windows are chosen, run, moved as predicted, and come back from
# their text.
. "$top_srcdir/tests/tap/tap.sh"
machines=$top_srcdir/tests/e2e/machines

defines_of()
{
	for size in $(grep "^$1 " "$top_srcdir/examples/sizes.txt" | cut -d' ' -f2-); do
		printf -- '-D %s ' "$size"
	done
}

# uses FEATURE EXAMPLE MACHINE: the schedule names the feature, the run verifies, and the
# schedule replayed gives the same code.
uses()
{
	feature=$1
	example=$2
	machine=$machines/$3.yaml
	source=$top_srcdir/examples/$example
	sizes=$(defines_of "$example")
	# shellcheck disable=SC2086
	{
		"$LOOPC" --arch="$machine" $sizes --emit=schedule -o schedule "$source"
		has schedule "$feature" "$example on $3 uses $feature"
		ok "$example on $3 with $feature: verified" "$LOOPC" --arch="$machine" $sizes --verify "$source"
		"$LOOPC" --arch="$machine" $sizes -o first.c "$source"
		"$LOOPC" --arch="$machine" $sizes --schedule=schedule -o again.c "$source"
	}
	grep -v '^ \* options:' first.c >first
	grep -v '^ \* options:' again.c >again
	same first again "$example on $3 with $feature: replayed from its text"
}

uses serpentine conv/direct.loop unified-512
uses serpentine conv/three_dimensional.loop unified-2k
uses serpentine blas/gemm.loop unified-2k
uses slots blas/gemm.loop banked-1k
uses slots blas/contraction.loop unified-512
uses slots alexnet/conv2.loop unified-2k
uses sliding conv/one_dimensional.loop unified-512
uses sliding conv/padded.loop unified-1500
uses sliding alexnet/conv3.loop unified-2k
uses sliding conv/grouped.loop banked-1k

# The user's word is kept: a store level, a tile and an order that the search would not
# choose, and an error where it cannot be.
cat >forced <<'END'
nest gemm
tile m 5
tile n 7
tile k 4
order k n m
END
source=$top_srcdir/examples/blas/gemm.loop
machine=$machines/unified-2k.yaml
exits 0 "a forced schedule is verified" "$LOOPC" --arch="$machine" -D M=29 -D N=31 -D K=37 \
	--schedule=forced --verify --emit=schedule -o kept "$source"
has kept '^tile m 5$' "a forced tile is kept"
has kept '^order k n m$' "a forced order is kept"
echo 'tile z 3' >wrong
exits 1 "a loop that is not there" "$LOOPC" --arch="$machine" -D M=9 -D N=9 -D K=9 --schedule=wrong -o x.c "$source"
has err 'wrong:1:.*no loop that can be tiled is called .z.' "and its message"
finish
