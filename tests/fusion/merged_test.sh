#!/bin/sh
# Nests that become one nest.  LOOPC_MERGED=N: so many random layers.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi

# A linear layer, with its bias before and its activation behind.
cat >layer.loop <<'END'
void layer(const float A[96][96], const float B[96][96], const float b[96], float C[96][96])
{
	for (int i = 0; i < 96; i++)
		for (int j = 0; j < 96; j++)
			C[i][j] = b[j];
	for (int i = 0; i < 96; i++)
		for (int j = 0; j < 96; j++)
			for (int k = 0; k < 96; k++)
				C[i][j] += A[i][k] * B[k][j];
	for (int i = 0; i < 96; i++)
		for (int j = 0; j < 96; j++)
			C[i][j] = C[i][j] > 0 ? C[i][j] : 0;
}
END
# The same with the sum in a scalar.
cat >scalar.loop <<'END'
void layer(const float A[96][96], const float B[96][96], const float b[96], float C[96][96])
{
	for (int i = 0; i < 96; i++)
		for (int j = 0; j < 96; j++) {
			float s = b[j];
			for (int k = 0; k < 96; k++)
				s += A[i][k] * B[k][j];
			C[i][j] = s > 0 ? s : 0;
		}
}
END
printf 'name: m\nscratchpad: { bytes: 8192 }\n' >machine.yaml
exits 0 "a linear layer" "$LOOPC" --arch=machine.yaml --verify --report --emit=schedule=found layer.loop
has found '^nest layer.0-2$' "a linear layer: as one"
has found '^merge$' "a linear layer: merged"
has out '^  search: optimal in the schedule space' "a linear layer: proved, and so is the function"
hasnt out '[^ ].*%.*(above the best)' "a linear layer: without a gap"
moved=$(awk '$1 == "total" { print $NF; exit }' out)
# Other nests write the product's result too.  All that is said of the function is said of the merged nest.
has out '^  lower bound: no schedule moves less +partition +[0-9,]+' \
	"a linear layer: the function's bound counts the product"
exits 0 "with a scalar" "$LOOPC" --arch=machine.yaml --verify --report scalar.loop
has out '^  search: optimal' "with a scalar: proved"
is "$(awk '$1 == "total" { print $NF; exit }' out)" "$moved" "with a scalar: the same bytes"
exits 0 "as a group" "$LOOPC" --arch=machine.yaml --verify --report --schedule=/dev/stdin layer.loop <<'END'
nest layer.0-2
fuse
END
hasnt out '^    merge$' "as a group: it is one"

# A sum in a scalar that becomes an array where nests are merged: the schedule says both.
cat >expanded.loop <<'END'
void layer(const float A[96][96], const float B[96][96], float C[96][96])
{
	float T[96][96];
	for (int i = 0; i < 96; i++)
		for (int j = 0; j < 96; j++) {
			float s = 0;
			for (int k = 0; k < 96; k++)
				s += A[i][k] * B[k][j];
			T[i][j] = s;
		}
	for (int i = 0; i < 96; i++)
		for (int j = 0; j < 96; j++)
			C[i][j] = T[i][j] > 0 ? T[i][j] : 0;
}
END
printf 'name: m\nscratchpad: { bytes: 4096 }\n' >small.yaml
exits 0 "expanded" "$LOOPC" --arch=small.yaml --emit=schedule=found,c=one.c expanded.loop
has found '^merge$' "expanded: merged"
has found '^form.* expanded$' "expanded: with an array"
exits 0 "expanded, given back" "$LOOPC" --arch=small.yaml --schedule=found --emit=schedule=again,c=two.c expanded.loop
ok "expanded, given back: the same schedule" cmp -s found again

# Processing elements compute merged nests: what is said of these is given back too.
cat >shared.loop <<'END'
#include <stdint.h>
void shared(const int32_t A[2][4], const int32_t B[4][2], int32_t T[2][2])
{
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			T[i][j] = 0;
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 2; j++)
			for (int k = 0; k < 4; k++)
				T[i][j] += A[i][k] * B[k][j];
}
END
printf 'name: m\nversion: 2\nscratchpad: { bytes: 12 }\npe_array: { x: 2, y: 1, registers_bytes: 64 }\n' >elements.yaml
exits 0 "elements" "$LOOPC" --arch=elements.yaml --emit=schedule=found,c=one.c shared.loop
has found '^merge$' "elements: merged"
has found '^steps' "elements: they compute it"
exits 0 "elements, given back" "$LOOPC" --arch=elements.yaml --schedule=found --emit=schedule=again,c=two.c shared.loop
grep -v options: found >found.lines
grep -v options: again >again.lines
ok "elements, given back: the same schedule" cmp -s found.lines again.lines
exits 0 "elements, verified" "$LOOPC" --arch=elements.yaml --schedule=found --verify shared.loop

# What is said of merged nests.
printf 'nest layer.0-1\nmerge\ntile k 8\nnest layer.2\n' >wanted
exits 0 "two of three" "$LOOPC" --arch=machine.yaml --verify --report --schedule=wanted layer.loop
has out '^    tile k 8$' "two of three: with the wanted tile"
printf 'nest layer.0-2\nmerge\nfuse\n' >wanted
exits 1 "a group's line" "$LOOPC" --arch=machine.yaml --schedule=wanted layer.loop
has err 'is wanted of nests that are merged' "a group's line: says so"
printf 'nest layer.0-2\nmerge\nform parts sequential 0\n' >wanted
exits 1 "parts" "$LOOPC" --arch=machine.yaml --schedule=wanted layer.loop
printf 'nest layer.0-2\nmerge\ntile k 96\ntile i 96\ntile j 96\n' >wanted
exits 3 "too large" "$LOOPC" --arch=machine.yaml --schedule=wanted layer.loop
printf 'nest layer.0\nmerge\n' >wanted
exits 1 "a single nest" "$LOOPC" --arch=machine.yaml --schedule=wanted layer.loop

# A schedule that says of some nests that they are merged, which nobody would merge otherwise: they share nothing, or have no loop
# in common in which one uses what another one makes.
cat >apart.loop <<'E'
void apart(const int A[100], const int B[50], int C[100], int D[50], const int E[40][30], const int F[30], int G[40])
{
	int T[100];
	for (int i = 0; i < 100; i++)
		T[i] = A[i] + 1;
	for (int i = 0; i < 50; i++)
		D[i] = B[i] * 2;
	for (int i = 0; i < 100; i++)
		C[i] = T[99 - i] * 2;
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 30; j++)
			G[i] += E[i][j] * F[j];
}
E
printf 'name: m\nscratchpad: { bytes: 2048 }\n' >apart.yaml
for nests in 0-1 0-2 0-3 1-2 1-3 2-3; do
	printf 'nest apart.%s\nmerge\n' $nests >wanted
	exits 0 "nests that share little, $nests merged" "$LOOPC" --arch=apart.yaml --verify --report --schedule=wanted apart.loop
	has out "^apart.$nests " "nests that share little, $nests merged: they are"
done

# The activation makes another array, in whose place the sums are.
sed -e 's/float C\[96\]\[96\])/float D[96][96])/' -e 's/^{/{\n\tfloat C[96][96];/' -e 's/C\(\[i\]\[j\] = C\)/D\1/' \
	layer.loop >local.loop
exits 0 "another array" "$LOOPC" --arch=machine.yaml --verify --report --emit=schedule=found,c=one.c local.loop
has found '^form inplace$' "another array: in place"
is "$(awk '$1 == "total" { print $NF; exit }' out)" "$moved" "another array: the same bytes"
has out '^  search: optimal' "another array: proved"
exits 0 "another array, given back" "$LOOPC" --arch=machine.yaml --schedule=found --emit=schedule=again,c=two.c local.loop
ok "another array, given back: the same schedule" cmp -s found again
printf 'nest layer.0-2\nmerge\nstore C outside\n' >wanted
exits 3 "another array, with a buffer of its own" "$LOOPC" --arch=machine.yaml --schedule=wanted local.loop
printf 'name: m\nscratchpad: { bytes: 131072 }\n' >large.yaml
exits 0 "another array, with room for its own" "$LOOPC" --arch=large.yaml --schedule=wanted --emit=schedule=found local.loop
has found '^form plain$' "another array, with room for its own: as it stands"
printf 'nest layer.0-2\nmerge\nform inplace\n' >wanted
exits 1 "nothing to be in place" "$LOOPC" --arch=machine.yaml --schedule=wanted layer.loop
has err "cannot be lowered in this form" "nothing to be in place: says so"
ok "random programs in place" python3 -B "$top_srcdir/tests/fusion/in_place.py" "$LOOPC" 1 \
	"${LOOPC_MERGED:-$(inputs 12 5)}"

ok "random layers" python3 -B "$top_srcdir/tests/fusion/merged.py" "$LOOPC" 1 \
	"${LOOPC_MERGED:-$(inputs 8 4)}"
finish
