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
# without closed forms
uses serpentine polyhedral/atax.loop unified-512
uses slots polyhedral/doitgen.loop unified-512
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

# Of loops that run in order, and of several buffers of an array, not everything can be asked.
cat >windows.loop <<'END'
void f(int A[100], const int B[30][4])
{
	for (int i = 0; i < 30; i++)
		for (int j = 0; j < 4; j++)
			A[2 * i + j] = B[i][j];
}
END
printf 'name: m\nscratchpad: { bytes: 200 }\n' >m.yaml
# tiles SIZE BYTES: refused in the 200 bytes of the machine, and done in what the message says
# is enough.
tiles()
{
	printf 'tile i %s\norder i\n' "$1" >forced
	exits 3 "tiles of $1 with all of the rest inside do not fit" "$LOOPC" --arch=m.yaml \
		--schedule=forced -o x.c windows.loop
	has err "note: all together: $2 bytes would be enough" "tiles of $1: what they need"
	printf 'name: n\nscratchpad: { bytes: %s }\n' "$2" >enough.yaml
	exits 0 "tiles of $1 in so much" "$LOOPC" --arch=enough.yaml --schedule=forced --verify \
		--emit=schedule=kept windows.loop
	has kept "^tile i $1\$" "tiles of $1 are kept"
}
tiles 2 752
tiles 5 1568
tiles 15 4808
printf 'tile i 1\norder i\n' >forced
exits 0 "tiles of one in order" "$LOOPC" --arch=m.yaml --schedule=forced --verify --emit=schedule=kept \
	windows.loop
has kept '^tile i 1$' "tiles of one are kept"
printf 'form sequential 2\ntile i 5\n' >forced
exits 1 "tiles of 5 of a loop that runs in order" "$LOOPC" --arch=m.yaml --schedule=forced -o x.c windows.loop
has err "error: loop 'i' runs one iteration at a time, in order: it has no tiles of 5" "and their message"
cat >lu.loop <<'END'
void f(float A[20][20])
{
	for (int k = 0; k < 20; k++)
		for (int i = k + 1; i < 20; i++) {
			A[i][k] /= A[k][k];
			for (int j = k + 1; j < 20; j++)
				A[i][j] -= A[i][k] * A[k][j];
		}
}
END
printf 'form sequential 1 apart A 0 1 2 3\nstore A slots 3\n' >forced
exits 1 "slots of a buffer beside another" "$LOOPC" --schedule=forced -o x.c lu.loop
has err "error: array 'A' has several buffers, of which each holds one region" "and their message"

# A buffer has room for the largest region of any tile: 3 of 5 elements that two tiles have, where one border is of two and the other
# of one.  A ring would have room for 5, whole windows: it does not fit.
cat >border.loop <<'END'
void f(signed char O[2][4], const signed char I[5], const signed char W[2][3])
{
	for (int k = 0; k < 2; k++)
		for (int p = 0; p < 4; p++) {
			O[k][p] = 0;
			for (int r = 0; r < 3; r++)
				if (2 * p + r - 2 >= 0 && 2 * p + r - 2 < 5)
					O[k][p] += I[2 * p + r - 2] * W[k][r];
		}
}
END
printf 'version: 2\nname: m\nscratchpad: { bytes: 6 }\ndma: { startup_cycles: 10 }\n' >m.yaml
exits 0 "tiles at borders" "$LOOPC" --arch=m.yaml --verify --report -o border.c border.loop
has out 'I_0 *3 bytes' "room for what they show"
has out 'total .* 25$' "and fewest bytes"
finish
