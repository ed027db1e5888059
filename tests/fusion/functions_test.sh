#!/bin/sh
# What loopc says of whole functions, on random ones.  LOOPC_FUNCTIONS=N: so many.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi

# Three products in a scratchpad that holds two of the arrays: what the second and the third read
# stays on chip, and each array of the caller's moves once.
cat >three.loop <<'END'
void three(const int A[16][16], const int B[16][16], const int C[16][16], int D[16][16])
{
	int T[16][16], U[16][16];
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++) {
			T[i][j] = 0;
			for (int k = 0; k < 16; k++)
				T[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++) {
			U[i][j] = 0;
			for (int k = 0; k < 16; k++)
				U[i][j] += T[i][k] * C[k][j];
		}
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++) {
			D[i][j] = 0;
			for (int k = 0; k < 16; k++)
				D[i][j] += T[i][k] * U[k][j];
		}
}
END
printf 'name: m\nscratchpad: { bytes: 2048 }\n' >machine.yaml
exits 0 "three products" "$LOOPC" --arch=machine.yaml --verify --report --emit=schedule=s three.loop
has out '^in all: .* 4,096 moved; lower bound 4,096$' "three products: each array once"
has out '^  search: optimal, all choices together$' "three products: proved"
has s '^carry T$' "three products: T stays on chip"
printf 'name: m\nversion: 2\nscratchpad: { bytes: 2048 }\ndma: { startup_cycles: 20, bytes_per_cycle: 4 }\n' >clock.yaml
exits 0 "three products for cycles" "$LOOPC" --arch=clock.yaml --objective=cycles --report -o o.c three.loop
has out '^  search: the fewest bytes, all choices together$' "three products for cycles: proved of bytes"
hasnt out '^  search: .*(optimal|above the best)' "three products for cycles: of nothing else"
exits 0 "three products, no fusion" "$LOOPC" --arch=machine.yaml --fuse=never --report three.loop
has out '^  search: not proved' "three products, no fusion: nothing is claimed of the function"
has out 'moved; lower bound 4,096$' "three products, no fusion: the same bound"

# Nests whose regions isl is long to find: what stays on chip is still looked at in all scratchpads.
cat >long.loop <<'END'
#include <stdint.h>
void f(const int16_t A[5][4], const int16_t b[4], const int16_t C[4][4], const int16_t d[4],
	const int16_t E[2][4], int16_t F[5][4])
{
	int16_t T[5][4], U[3][2], V[5][4], W[5][4], X[2][4];
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++)
			T[i][j] = A[i][j] + b[j];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 2; j++)
			U[i][j] = T[i][j + 1] + T[i + 2][j + 1] + T[i + 1][j] + T[i + 1][j + 2];
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++) {
			V[i][j] = 2 * T[i][j];
			if (i > 0)
				V[i][j] += T[i - 1][j];
			if (i < 4)
				V[i][j] += T[i + 1][j];
			if (j > 0)
				V[i][j] += T[i][j - 1];
		}
	for (int i = 0; i < 5; i++) {
		for (int j = 0; j < 4; j++)
			W[i][j] = d[j];
		for (int k = 0; k < 4; k++)
			for (int j = 0; j < 4; j++)
				W[i][j] += T[i][k] * C[k][j];
	}
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			X[i][j] = E[i][j] + E[1 - i][j];
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4; j++)
			F[i][j] = V[i][j];
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < 4 && j <= i; j++)
			F[i][j] = V[i][j] + 1;
}
END
printf 'name: m\nscratchpad: { bytes: 88, align_bytes: 4 }\n' >machine.yaml
exits 0 "long nests" "$LOOPC" --arch=machine.yaml --sweep=scratchpad:64..88/8 --sweep-output=long.csv long.loop
ok "long nests: more scratchpad moves no more" awk -F, \
	'NR > 2 && $2 > last { exit 1 } { last = $2 } END { exit NR < 5 }' long.csv

# What nests are looked at in, a power of two of the scratchpad, is what they had there beside the
# same carried arrays.
cat >carried.loop <<'END'
#include <stdint.h>
void f(const short P2[6][6][6])
{
  short L0[8][8][8];
  int16_t L1[6];
  for (int a = 0; a < 6; a++)
    L1[a] = P2[a][a][a];
  for (int a = 0; a < 8; a++)
    for (int b = 0; b < 8; b++)
      for (int c = 0; c < 8; c++)
        L0[a][b][c] = b;
  for (int i1 = 2; i1 <= 7; i1++) {
    for (int j = (i1 - 3 > 2 ? i1 - 3 : 2); j <= (i1 + 3 < 7 ? i1 + 3 : 7); j++) {
      for (int k = 0; k <= 7; k++) {
        for (int l = 0; l < 1; l++) {
          for (int m = (l - 2 > 0 ? l - 2 : 0); m <= (l + 2 < 0 ? l + 2 : 0); m++) {
            L0[m][k][j] = L0[l][i1][k];
            L0[k][j][i1] = ((L0[m][k][i1] & L0[m][k][j]) + (L0[j][l][l + 3] * L1[j - 2]));
          }
        }
      }
    }
  }
}
END
for bytes in $(inputs "64 128" ""); do
	printf 'name: m\nscratchpad: { bytes: %d, align_bytes: 8 }\ndma: { max_rank: 1, max_bytes: 1024 }\n' \
		$bytes >machine.yaml
	exits 0 "beside carried arrays in $bytes bytes" "$LOOPC" --arch=machine.yaml --report carried.loop
	sed -n 's/^in all: .* \([0-9,]*\) moved.*/\1/p' out | tr -d , >$bytes
done
! is_thorough ||
	ok "beside carried arrays: more scratchpad moves no more" [ "$(cat 128)" -le "$(cat 64)" ]

ok "random functions" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 1 \
	"${LOOPC_FUNCTIONS:-$(inputs 3 2)}"
# Of nests without closed forms the model is only a bound, below or above what plans move and need.
ok "a nest without closed forms" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 24 1 alone
ok "another one" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 35 \
	"${LOOPC_FUNCTIONS:-1}" alone
# Of forms that are equal the one that is taken has double buffers where there is room.
ok "double buffers where there is room" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 30 "$(inputs 2 1)" alone
# Machines whose DMA copies multiples of more bytes than elements have: sweeps and fronts too are of
# schedules that it can do.
ok "aligned copies" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 7 \
	"${LOOPC_FUNCTIONS:-$(inputs 5 3)}" aligned
# Nests whose plans need or move less than the model says: a front has what compilations find, and more
# scratchpad moves no more.
ok "borders and mirror images" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 17 "${LOOPC_FUNCTIONS:-$(inputs 3 2)}" bordered
# Layers with biases and activations, and rows of products that are needed whole in the end.
ok "layers" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 3 "${LOOPC_FUNCTIONS:-$(inputs 3 1)}" layered
# Nests of whole rows, which may be distributed.
ok "rows" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 1 "${LOOPC_FUNCTIONS:-$(inputs 6 2)}" normed
# Convolutions with zeros around them, and sums with what they read, in any tiles.
ok "borders of zeros" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 1 "${LOOPC_FUNCTIONS:-$(inputs 4 1)}" padded
# Two nests that are not weighed merged, which would move less: what bounds all choices counts with them.
ok "parts that nobody weighs" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 14 1
# Groups that are equal for the model, whose plans move different amounts.
[ -n "$SANITIZER_FLAGS" ] ||
	ok "groups of equal models" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 202 1
# A group one of whose statements runs at twice the values of a loop: it reads some that the others do not, in other tiles.
ok "twice the values of a loop" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 5015 1
# Groups in which arrays are made that nobody reads: their plans do not move these.
ok "arrays that nobody reads" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 900012 1
# Groups that fit with a tile, and not with the next smaller one.
[ -n "$SANITIZER_FLAGS" ] ||
	ok "smaller tiles that need more" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 920006 1
# What is held in the gap before what comes for each stage needs no room.
[ -n "$SANITIZER_FLAGS" ] ||
	ok "a gap that is used" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 920028 1
# Merged nests without closed forms, of which less scratchpad shows a better schedule.
[ -n "$SANITIZER_FLAGS" ] ||
	ok "merged nests in less" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 8055 1
# A group of which all tiles were left for what they cost: that is not one that is too large.
cat >dear.loop <<'END'
#include <stdint.h>
void f(const int32_t A[12][12], const int32_t B[12][6], int8_t P[12][12], int32_t Q[12][12], int32_t R[12][11])
{
	int32_t T[12][12], U[12][6];
	int8_t V[11][12];
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 12; j++)
			T[i][j] = A[i][j] + A[i][j];
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 6; j++) {
			U[i][j] = 0;
			for (int k = 0; k < 12; k++)
				U[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 12; j++)
			P[i][j] = T[i][j] + T[i][j];
	for (int i = 0; i < 11; i++)
		for (int j = 0; j < 12; j++) {
			V[i][j] = 0;
			for (int r = 0; r < 2; r++)
				V[i][j] += T[i + r][j];
		}
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 12; j++)
			Q[i][j] = A[i][j] + T[i][j];
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 11; j++)
			R[i][j] = V[j][i] + 1;
}
END
if [ -z "$SANITIZER_FLAGS" ]; then
	printf 'name: m\nscratchpad: { bytes: 696 }\n' >dear.yaml
	exits 0 "a group that costs too much" "$LOOPC" --arch=dear.yaml --recompute=1000% --pareto=memory,traffic --pareto-points=6 dear.loop
	sed -n 's/^ *3 *\([0-9]*\) *\([0-9,]*\) .*/\1 \2/p' out >point
	read -r bytes moved <point
	printf 'name: m\nscratchpad: { bytes: %d }\n' "$bytes" >there.yaml
	exits 0 "a group that costs too much, by itself" "$LOOPC" --arch=there.yaml --recompute=1000% --report -o o.c dear.loop
	has out "^in all: .* $moved moved" "a group that costs too much: a front and a compilation move the same"
fi
# The first element of a row has a buffer of its own, or comes with its row where rows run one by one: that moves less, and is found in any
# scratchpad, the bytes of which need be no multiple of an element's.
cat >first.loop <<'END'
#include <stdint.h>
void f(const int32_t A[3][12], int32_t P[3][12], int32_t Q[3])
{
	int32_t T[3];
	for (int i = 0; i < 3; i++) {
		T[i] = A[i][0];
		for (int j = 0; j < 12; j++)
			T[i] = A[i][j] > T[i] ? A[i][j] : T[i];
	}
	for (int i = 0; i < 3; i++) {
		Q[i] = 0;
		for (int j = 0; j < 12; j++) {
			P[i][j] = A[i][j] - T[i];
			Q[i] += P[i][j];
		}
	}
}
END
for bytes in 36 37 38 46; do
	printf 'name: m\nscratchpad: { bytes: %d }\n' $bytes >first.yaml
	exits 0 "the first of a row, in $bytes bytes" "$LOOPC" --arch=first.yaml --report -o o.c first.loop
	has out '^in all: .* 444 moved' "the first of a row, in $bytes bytes: each row comes once for each nest"
done
# One of the random functions of functions.py, as normed.loop.
normed() {
	python3 -B -c 'import random, sys
sys.path.insert(0, sys.argv[1])
import functions
print(functions.Normed(random.Random(int(sys.argv[2]))).text())' "$top_srcdir/tests/fusion" "$1" >normed.loop
}
if [ -z "$SANITIZER_FLAGS" ]; then
	# The bound of all sets of carried arrays leads to a better one: in a front, too.
	normed 92022
	printf 'name: m\nscratchpad: { bytes: 69 }\n' >normed.yaml
	exits 0 "what a bound leads to" "$LOOPC" --arch=normed.yaml --report -o o.c normed.loop
	has out '^in all: .* 81 moved' "what a bound leads to: it is made"
	exits 0 "what a bound leads to, in a front" "$LOOPC" --arch=normed.yaml --pareto=memory,traffic --pareto-points=1 normed.loop
	has out '^ *0 *[0-9]* *81$' "what a bound leads to, in a front: it is a point"
	# As it is written it takes long, and moves 2,098 bytes: it is distributed all the same.
	normed 92014
	printf 'name: m\nscratchpad: { bytes: 88 }\n' >normed.yaml
	exits 0 "distributed, though it takes long" "$LOOPC" --arch=normed.yaml --report -o o.c normed.loop
	has out '^in all: .* 1,498 moved' "distributed, though it takes long: it moves less"
fi
# Machines with several memories: sweeps scale all of them.
ok "several memories" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 1 "${LOOPC_FUNCTIONS:-$(inputs 4 2)}" split
# No way to group nests moves less than the one that is taken.
ok "groupings" python3 -B "$top_srcdir/tests/fusion/groupings.py" "$LOOPC" 6 "${LOOPC_FUNCTIONS:-$(inputs 3 1)}"
finish
