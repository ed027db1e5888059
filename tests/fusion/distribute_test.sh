#!/bin/sh
# Nests with several loops in their bodies, which become several nests where that moves less.
. "$top_srcdir/tests/tap/tap.sh"

# norm ROWS COLUMNS: a layer norm, as one nest in norm.loop; in nests of its own, in apart.loop.
norm()
{
	cat >norm.loop <<END
#include <math.h>
void f(const float X[$1][$2], const float G[$2], const float B[$2], float Y[$1][$2])
{
	for (int i = 0; i < $1; i++) {
		float m = 0, v = 0;
		for (int j = 0; j < $2; j++)
			m += X[i][j];
		m = m / $2;
		for (int j = 0; j < $2; j++)
			v += (X[i][j] - m) * (X[i][j] - m);
		v = 1 / sqrtf(v / $2 + 0.00001f);
		for (int j = 0; j < $2; j++)
			Y[i][j] = (X[i][j] - m) * v * G[j] + B[j];
	}
}
END
	cat >apart.loop <<END
#include <math.h>
void f(const float X[$1][$2], const float G[$2], const float B[$2], float Y[$1][$2])
{
	float m[$1], v[$1];
	for (int i = 0; i < $1; i++) {
		m[i] = 0;
		for (int j = 0; j < $2; j++)
			m[i] += X[i][j];
		m[i] = m[i] / $2;
	}
	for (int i = 0; i < $1; i++) {
		v[i] = 0;
		for (int j = 0; j < $2; j++)
			v[i] += (X[i][j] - m[i]) * (X[i][j] - m[i]);
		v[i] = 1 / sqrtf(v[i] / $2 + 0.00001f);
	}
	for (int i = 0; i < $1; i++)
		for (int j = 0; j < $2; j++)
			Y[i][j] = (X[i][j] - m[i]) * v[i] * G[j] + B[j];
}
END
}

# bytes REPORT: what its function moves.
bytes()
{
	awk '/"functions"/ { on = 1 } on && /"total_bytes"/ { gsub(/[^0-9]/, ""); print; exit }' "$1"
}

# no_more ROWS COLUMNS MACHINE: the one nest is verified, and moves no more than the nests that say the same.
no_more()
{
	norm "$1" "$2"
	exits 0 "$1 rows of $2, $3" "$LOOPC" --arch="$3" --report=one.json --verify -o one.c norm.loop
	exits 0 "in nests of their own" "$LOOPC" --arch="$3" --report=apart.json --emit=plan=p.plan apart.loop
	ok "one nest moves no more" test "$(bytes one.json)" -le "$(bytes apart.json)"
	ok "and nothing moves less" awk '/"functions"/ { on = 1 } on && /"optimal": true/ { found = 1 } END { exit !found }' one.json
}

# Rows that fit, and rows that do not; one row alone, as a loop of one iteration is no reason to refuse.
no_more 8 100 tiny-2k
no_more 8 900 tiny-2k
no_more 8 900 tiny-8k
no_more 1 900 tiny-2k
no_more 1 3000 tiny-8k
no_more 50 300 tiny-2k

# ---- what is said of it ----

norm 8 900
exits 0 "a schedule" "$LOOPC" --arch=tiny-8k --emit=schedule=s.txt --emit=c=first.c norm.loop
has s.txt '^distribute f$' "begins with what is distributed"
exits 0 "is given back" "$LOOPC" --arch=tiny-8k --schedule=s.txt --emit=schedule=again.txt --emit=c=second.c norm.loop
ok "and is the same" cmp s.txt again.txt
grep -v '^ \* options' first.c >a.c
grep -v '^ \* options' second.c >b.c
ok "and makes the same code" cmp a.c b.c
exits 0 "with all threads" "$LOOPC" --arch=tiny-8k -j8 -o second.c norm.loop
grep -v '^ \* options' second.c >b.c
ok "the same code" cmp a.c b.c
exits 0 "a plan" "$LOOPC" --arch=tiny-8k --emit=plan=p.plan norm.loop
exits 0 "is read again" "$LOOPC" --emit=plan=q.plan p.plan
ok "and is the same" cmp p.plan q.plan

echo 'distribute f' >d.txt
exits 0 "its nests alone" "$LOOPC" --arch=tiny-8k --schedule=d.txt --emit=program=f.program --emit=c=c.c --verify norm.loop
exits 0 "the program with these" "$LOOPC" --arch=tiny-8k --emit=program=g.program f.program
ok "is its text" cmp f.program g.program
printf 'distribute f\nnest f.0-1\nnest f.2\ntile j 100\n' >d.txt
exits 0 "some lines for its nests" "$LOOPC" --arch=tiny-8k --schedule=d.txt --emit=schedule=s.txt --emit=c=c.c --verify norm.loop
has s.txt '^tile j 100$' "are followed"
echo 'nest f' >d.txt
exits 0 "a heading" "$LOOPC" --arch=tiny-8k --schedule=d.txt --emit=schedule=s.txt norm.loop
is "$(head -1 s.txt)" "nest f" "keeps it one nest"
exits 0 "no fusion" "$LOOPC" --arch=tiny-8k --fuse=never --emit=schedule=s.txt norm.loop
is "$(head -1 s.txt)" "nest f" "keeps it one nest"

awk '/for \(int i/ { print "#pragma loopc distribute" } { print }' norm.loop >pragma.loop
exits 0 "a pragma" "$LOOPC" --arch=default --emit=schedule=s.txt --emit=c=c.c --verify pragma.loop
is "$(head -1 s.txt)" "distribute f" "distributes what one nest does as well"
exits 0 "a schedule beside the pragma" "$LOOPC" --arch=default --schedule=s.txt --emit=schedule=again.txt pragma.loop
ok "has the last word" cmp s.txt again.txt
echo 'nest f' >d.txt
exits 0 "a schedule that does not say it" "$LOOPC" --arch=default --schedule=d.txt --emit=schedule=s.txt pragma.loop
is "$(head -1 s.txt)" "nest f" "has it, too"
has err "warning: 'distribute' gives way to what the schedule's file says" "and the pragma is told so"
awk '/for \(int i/ { print "#pragma loopc tile i 2" } { print }' pragma.loop >both.loop
exits 1 "a pragma about the nest as one" "$LOOPC" --arch=default --emit=c=c.c both.loop
has err "'f' cannot be distributed: a pragma says what becomes of it as one nest" "cannot be beside it"

# ---- what cannot be ----

# refuses NAME PATTERN LINES...: norm.loop with a schedule of LINES.
refuses()
{
	name=$1 pattern=$2
	shift 2
	printf '%s\n' "$@" >bad.txt
	exits 1 "$name" "$LOOPC" --arch=tiny-8k --schedule=bad.txt -o bad.c norm.loop
	has err "$pattern" "$name: says so"
	ok "$name: leaves nothing" test ! -e bad.c
}

refuses "a nest that is not there" "^bad.txt:1:12: error: 'f.1' is no nest that is there, the nests are f$" 'distribute f.1'
refuses "no nest" "^bad.txt:1:1: error: 'distribute NEST' is wanted$" 'distribute'
refuses "two nests in a line" "^bad.txt:1:1: error: 'distribute NEST' is wanted$" 'distribute f f'
refuses "a nest with one loop" "^bad.txt:2:12: error: 'f.1' cannot be distributed: there are no two loops in its body" \
	'distribute f' 'distribute f.1'
refuses "a line without a heading" "^bad.txt:2:1: error: a heading 'nest NAME' is missing" 'distribute f' 'tile j 5'
cat >turns.loop <<'END'
void f(int A[9][9], int B[9][9])
{
	for (int i = 1; i < 9; i++) {
		for (int j = 0; j < 9; j++)
			A[i][j] = B[i - 1][j] + 1;
		for (int j = 0; j < 9; j++)
			B[i][j] = A[i][8 - j] * 2;
	}
}
END
echo 'distribute f' >bad.txt
exits 1 "loops that run in turns" "$LOOPC" --arch=tiny-8k --schedule=bad.txt -o bad.c turns.loop
has err "'f' cannot be distributed: the loops in its body have to run in turns" "say so"
exits 0 "such loops" "$LOOPC" --arch=tiny-2k --emit=c=c.c --verify turns.loop

# What is between the loops goes with what needs it: the first statement with the second loop, the last with the first one.
cat >between.loop <<'END'
void f(const int A[30][40], const int B[30], int C[30], int D[30][40])
{
	for (int i = 0; i < 30; i++) {
		int scale = B[i] * 3, sum = 0;
		for (int j = 0; j < 40; j++)
			sum += A[i][j];
		for (int j = 0; j < 40; j++)
			D[i][j] = A[i][39 - j] * scale;
		C[i] = sum;
	}
}
END
echo 'distribute f' >d.txt
exits 0 "statements between loops" "$LOOPC" --arch=tiny-2k --schedule=d.txt --emit=program=f.program --emit=c=c.c --verify between.loop
ok "go with what needs them" awk '/^  for/ { nest++ } /B\[/ { b = nest } / C\[/ && nest { c = nest } END { exit !(nest == 2 && b == 2 && c == 1) }' f.program

# What is compared of functions with other nests are drafts: merges of wide nests, which are long to weigh, leave work for them.  Here
# 2,244 bytes move in half the scratchpad.
cat >three.loop <<'END'
#include <stdint.h>
void f(const int32_t P[4][12], const int32_t Q[12], int32_t R[4][12])
{
	int32_t T[4][12], most[4], all[4];
	int8_t U[4][12];
	for (int i = 0; i < 4; i++) {
		int32_t s, v;
		s = P[i][0];
		for (int j = 0; j < 12; j++)
			s += P[i][j];
		v = 0;
		for (int j = 0; j < 12; j++)
			v += (P[i][j] - s) * 3;
		for (int j = 0; j < 12; j++)
			T[i][j] = (P[i][j] - s) * v + Q[j];
	}
	for (int i = 0; i < 4; i++) {
		most[i] = T[i][0];
		for (int j = 0; j < 12; j++)
			most[i] = T[i][j] > most[i] ? T[i][j] : most[i];
		all[i] = 0;
		for (int j = 0; j < 12; j++) {
			U[i][j] = T[i][j] - most[i];
			all[i] += U[i][j];
		}
		for (int j = 0; j < 12; j++)
			U[i][j] *= all[i];
	}
	for (int i = 0; i < 4; i++) {
		int32_t s, v;
		s = U[i][0];
		for (int j = 0; j < 12; j++)
			s = U[i][j] > s ? U[i][j] : s;
		v = 0;
		for (int j = 0; j < 12; j++) {
			R[i][j] = U[i][j] - s;
			v += R[i][j];
		}
		for (int j = 0; j < 12; j++)
			R[i][j] *= v;
	}
}
END
printf 'name: m\nscratchpad: { bytes: 32 }\n' >m.yaml
exits 0 "three norms in 32 bytes" "$LOOPC" --arch=m.yaml --emit=schedule=s.txt --report=r.json three.loop
ok "are distributed" grep -q '^distribute' s.txt
ok "no more than in 16" awk '/"functions"/ { on = 1 } on && /"total_bytes"/ { moved = $2 + 0 } END { exit !(moved && moved <= 2244) }' r.json

finish
