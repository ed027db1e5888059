#!/bin/sh
# What the user says of fusing: pragmas, and the groups of a schedule that is given back.
. "$top_srcdir/tests/tap/tap.sh"

# chain PRAGMA0 PRAGMA1 PRAGMA2: three layers.
chain()
{
	cat <<END
void chain(const float X[18][9], const float K[3], float Y[12][9])
{
	float S[16][9], T[14][9];
$1
	for (int p = 0; p < 16; p++)
		for (int q = 0; q < 9; q++) {
			S[p][q] = 0;
			for (int r = 0; r < 3; r++)
				S[p][q] += X[p + r][q] * K[r];
		}
$2
	for (int p = 0; p < 14; p++)
		for (int q = 0; q < 9; q++) {
			T[p][q] = 0;
			for (int r = 0; r < 3; r++)
				T[p][q] += S[p + r][q] * K[r];
		}
$3
	for (int p = 0; p < 12; p++)
		for (int q = 0; q < 9; q++) {
			Y[p][q] = 0;
			for (int r = 0; r < 3; r++)
				Y[p][q] += T[p + r][q] * K[r];
		}
}
END
}
# nests: the headings of the schedule.
nests()
{
	grep '^nest' schedule | cut -d' ' -f2 | tr '\n' ' '
}
# compiles NAME OPTIONS...: chain.loop, verified; its schedule in schedule, its C in a.c.
compiles()
{
	name=$1
	shift
	exits 0 "$name" "$LOOPC" --arch=tiny-2k "$@" --verify --emit=schedule=schedule,c=a.c chain.loop
}

chain '' '' '' >chain.loop
compiles "nothing said"
is "$(nests)" "chain.0-2 " "nothing said: fused where that moves less"
compiles "nothing said, no fusion" --fuse=never
is "$(nests)" "chain.0 chain.1 chain.2 " "nothing said, no fusion: three nests"
compiles "nothing said, all fused" --fuse=all
is "$(nests)" "chain.0-2 " "nothing said, all fused: one group"
cp a.c all.c
ok "nothing said, all fused: as a plan" "$LOOPC" --arch=tiny-2k --fuse=all --emit=plan=a.plan chain.loop
ok "nothing said, all fused: the plan is read" "$LOOPC" --emit=plan=b.plan a.plan
same a.plan b.plan "nothing said, all fused: the plan is what was printed"
cp schedule all

chain '#pragma loopc fuse' '' '' >chain.loop
compiles "fuse: with the next" --fuse=never
is "$(nests)" "chain.0-1 chain.2 " "fuse: with the next, although fusion is off"
chain '' '#pragma loopc nofuse' '' >chain.loop
compiles "nofuse" --fuse=all
is "$(nests)" "chain.0 chain.1 chain.2 " "nofuse: the nest in the middle is in no group"
chain '' '' '#pragma loopc nofuse' >chain.loop
compiles "nofuse: the last" --fuse=all
is "$(nests)" "chain.0-1 chain.2 " "nofuse: the last is alone"
{ echo '#pragma loopc fuse'; chain '' '' ''; } >chain.loop
compiles "fuse: the function"
is "$(nests)" "chain.0-2 " "fuse: the function is fused wherever it can be"
{ echo '#pragma loopc nofuse'; chain '' '#pragma loopc fuse' ''; } >chain.loop
compiles "nofuse: the function" --fuse=all
is "$(nests)" "chain.0 chain.1-2 " "nofuse: the function is not fused, but where a nest says so"
chain '' '' '#pragma loopc fuse' >chain.loop
exits 1 "fuse: nothing comes next" "$LOOPC" chain.loop
has err 'chain.loop:18:.*there is no nest after this one' "fuse: nothing comes next: message"

# A schedule with groups is enough: no option has to repeat them.
chain '' '' '' >chain.loop
compiles "given back" --schedule=all
same all schedule "given back: the same schedule"
grep -v '^ \* options' all.c >first
grep -v '^ \* options' a.c >again
same first again "given back: the same code"
printf 'nest chain.0\nnest chain.1-2\ntile p 5\n' >part
compiles "a partition" --schedule=part --fuse=auto
is "$(nests)" "chain.0 chain.1-2 " "a partition: kept"
has schedule '^tile p 5$' "a partition: the rows of the group are kept"
printf 'nest chain.1-7\n' >wrong
exits 1 "nests that are not there" "$LOOPC" --schedule=wrong chain.loop
has err "wrong:1:6: error: 'chain.1-7' names nests that are not there, the nests are chain.0 to chain.2" \
	"nests that are not there: message"
printf 'nest chain.0-1\nnest chain.1-2\n' >wrong
exits 1 "a nest in two groups" "$LOOPC" --schedule=wrong chain.loop
printf 'nest chain.0-2\ntile z 3\n' >wrong
exits 1 "a loop that the group has not" "$LOOPC" --schedule=wrong chain.loop
has err "wrong:2:6: error: no loop that can be tiled is called 'z'" \
	"a loop that the group has not: message"
printf 'name: small\nscratchpad: { bytes: 64 }\n' >small.yaml
exits 3 "a group that is too large" "$LOOPC" --arch=small.yaml --schedule=all chain.loop
has err "all:1:6: error: nothing fits: no schedule of the nests 'chain.0' to 'chain.2' as one, with what is said of it, needs at most the 64 bytes" \
	"a group that is too large: message"
cat >apart.loop <<'END'
void apart(const float A[8], const float B[8], float C[8], float D[8])
{
#pragma loopc fuse
	for (int i = 0; i < 8; i++)
		C[i] = A[i];
	for (int i = 0; i < 8; i++)
		D[i] = B[i];
}
END
exits 1 "nests that share nothing" "$LOOPC" apart.loop
has err "apart.loop:3:.*cannot be fused: they share no array that would stay on chip, or some use of a scalar is elsewhere" \
	"nests that share nothing: message"

# Loops of groups turn where that saves something, or as it is said; not where a dependence forbids it.
cat >turn.loop <<'END'
void turn(const float X[6][3], const float W[3][8], const float V[2][8], float Y[6][8])
{
	float T[6][8];
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 8; j++) {
			T[i][j] = 0;
			for (int k = 0; k < 3; k++)
				T[i][j] += X[i][k] * W[k][j];
		}
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 8; j++) {
			Y[i][j] = 0;
			for (int l = 0; l < 2; l++)
				Y[i][j] += T[i][j] * V[l][j];
		}
}
END
# turns NAME LINE: TURNED is what is moved with it.
turns()
{
	printf 'nest turn.0-1\ntile i 2\ntile j 2\norder i j\n%s' "$2" >part
	exits 0 "$1" "$LOOPC" --verify --schedule=part --emit=schedule=schedule --emit=c=a.c --report=report turn.loop
	turned=$(sed -n 's/.*"total_bytes": \([0-9]*\).*/\1/p' report | head -n 1)
}
# W and V come for three tiles of rows, 5 rows of 2 columns of 4 bytes in each of 4 tiles
turns "a group's loop turns"
is "$turned" $((72 + 192 + 5 * 8 * 10)) "a group's loop turns: the tile at its end stays, twice"
has schedule '^serpentine j$' "a group's loop turns: it is said"
cp schedule all
exits 0 "a group's loop turns: given back" "$LOOPC" --schedule=all --emit=schedule=schedule --emit=c=a.c turn.loop
same all schedule "a group's loop turns: given back, the same schedule"
turns "a group's loop that is to run forwards" 'serpentine none
'
is "$turned" $((72 + 192 + 5 * 8 * 12)) "a group's loop that is to run forwards: all comes again"
has schedule '^serpentine none$' "a group's loop that is to run forwards: it is said"
# A group with lines is the best there is where no other choice for it is better.
cat >two.loop <<'END'
void two(const int A[4][8], const int B[8][8], int Y[4][8], const int C[8][8])
{
	int E[4][8];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 8; j++) {
			E[i][j] = 0;
			for (int k = 0; k < 8; k++)
				E[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 8; j++) {
			Y[i][j] = 0;
			for (int k = 0; k < 8; k++)
				Y[i][j] += E[i][k] * C[k][j];
		}
}
END
printf 'name: m\nscratchpad: { bytes: 400 }\n' >two.yaml
exits 0 "the best group" "$LOOPC" --arch=two.yaml --report --emit=schedule=best two.loop
has out '  search: optimal in' "the best group: optimal"
exits 0 "the best group, given back" "$LOOPC" --arch=two.yaml --schedule=best --report two.loop
has out '  search: optimal in' "the best group, given back: optimal"
printf 'nest two.0-1\nfuse E\ntile i 1\norder i\n' >wanted
exits 0 "a worse group" "$LOOPC" --arch=two.yaml --schedule=wanted --report two.loop
has out '  search: at most 100.00 % above' "a worse group: by how much"

cat >shift.loop <<'END'
void shift(float A[20][6])
{
	float T[19][6];
	for (int p = 0; p < 19; p++)
		for (int q = 0; q < 6; q++)
			T[p][q] = A[p + 1][q];
	for (int p = 0; p < 19; p++)
		for (int q = 0; q < 6; q++)
			A[p][q] += T[p][q];
}
END
printf 'nest shift.0-1\ntile q 2\ntile p 3\norder q p\nserpentine p\n' >wrong
exits 1 "a group's loop that cannot turn" "$LOOPC" --schedule=wrong shift.loop
has err "wrong:5:12: error: a dependence forbids to walk backwards the loop 'p'" \
	"a group's loop that cannot turn: message"
finish
