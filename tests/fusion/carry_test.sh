#!/bin/sh
# Arrays that stay on chip from one nest to a later one.
. "$top_srcdir/tests/tap/tap.sh"

# All of T is made before any of it is read again: no loop is common to the nests.
cat >twice.loop <<'END'
void twice(const int A[30][40], const int x[40], int y[40], int z[30])
{
	int T[30], U[40];
	for (int i = 0; i < 30; i++) {
		T[i] = 0;
		for (int j = 0; j < 40; j++)
			T[i] += A[i][j] * x[j];
	}
	for (int j = 0; j < 40; j++) {
		U[j] = 0;
		for (int i = 0; i < 30; i++)
			U[j] += A[i][j] * T[i];
	}
	for (int i = 0; i < 30; i++) {
		z[i] = T[i];
		for (int j = 0; j < 40; j++)
			z[i] -= A[i][j] * U[j];
	}
	for (int j = 0; j < 40; j++)
		y[j] = U[j] * x[j];
}
END
cat >unified.yaml <<'END'
name: unified
scratchpad: { bytes: 1024 }
END
cat >banked.yaml <<'END'
name: banked
scratchpad: { bytes: 2048, banks: 16, sharing: exclusive }
END
cat >tiny.yaml <<'END'
name: tiny
scratchpad: { bytes: 100 }
END

# compiles NAME MACHINE OPTIONS...: verified; its schedule in schedule, its plan in plan.
compiles()
{
	name=$1
	machine=$2
	shift 2
	exits 0 "$name" "$LOOPC" --arch="$machine.yaml" "$@" --verify --report \
		--emit=schedule=schedule,plan=made.plan twice.loop
}

# carried ARRAY: nests whose schedule says so.
carried()
{
	grep -c "^carry $1\$" schedule
}

for machine in unified banked; do
	for buffering in single double; do
		compiles "$machine, $buffering" $machine --buffering=$buffering
		[ "$(carried '[TU]')" -ge 2 ]
		result $? "$machine, $buffering: something is carried"
		cp schedule given
		cp made.plan before.plan
		compiles "$machine, $buffering: given back" $machine --schedule=given
		same given schedule "$machine, $buffering: the same schedule"
		ok "$machine, $buffering: the plan is read" "$LOOPC" --emit=plan=again.plan before.plan
		same before.plan again.plan "$machine, $buffering: the plan is what was printed"
	done
done

compiles "carried" unified --fuse=auto
count=0
for array in T U; do
	[ "$(carried $array)" -ge 2 ] || continue
	count=$((count + 1))
	has out "^  $array .* 0 *0 *0\$" "carried: $array moves nothing"
done
ok "carried: $count arrays are" test $count -ge 1
with=$(sed -n 's/^in all: .* \([0-9,]*\) moved.*/\1/p' out | tr -d ,)
grep -v '^carry' schedule >without
compiles "not named, not carried" unified --schedule=without
is "$(carried '[TU]')" 0 "not named, not carried: none is"
[ "$with" -lt "$(sed -n 's/^in all: .* \([0-9,]*\) moved.*/\1/p' out | tr -d ,)" ]
result $? "not named, not carried: more moves"
compiles "no fusion" unified --fuse=never
is "$(carried '[TU]')" 0 "no fusion: each nest by itself"
compiles "no room" tiny
is "$(carried '[TU]')" 0 "no room: nothing is carried"

{ cat without; echo 'carry Q'; } >wrong
exits 1 "an array that is not there" "$LOOPC" --arch=unified.yaml --schedule=wrong twice.loop
has err "error: .*array .*'Q'" "an array that is not there: message"
# T lies as low as the nests let it that run while it is there.
cat >low.loop <<'END'
#pragma loopc carry T
void low(const int A[30][40], const int B[40][20], int C[30][20], const int x[8], int y[8], int z[8])
{
	int T[8];
	for (int i = 0; i < 30; i++)
		for (int j = 0; j < 20; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 40; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < 8; i++)
		T[i] = 2 * x[i];
	for (int i = 0; i < 8; i++)
		y[i] = T[7 - i] + 1;
}
END
exits 0 "low" "$LOOPC" --arch=unified.yaml --verify --emit=plan=low.plan low.loop
is "$(sed -n 's/.*buffer T_carried .*\(offset.*\) slots.*/\1/p' low.plan)" "offset 32 bytes 32" \
	"low: beside the nests that use it, not above the one that needs most"

# What comes and goes of an array that stays is no longer in the bound.
cat >count.loop <<'END'
void count(int A[1])
{
	signed char U[1];
#pragma loopc nofuse
	for (int i = 0; i < 1; i++)
		U[i] = 1;
#pragma loopc nofuse
	for (int o = 0; o < 4; o++)
		for (int n = 0; n < 1; n++)
			U[n]++;
#pragma loopc nofuse
	for (int i = 0; i < 1; i++)
		A[i] = U[i];
}
END
exits 0 "an array that comes and goes" "$LOOPC" --verify --report --arch=tiny.yaml count.loop
has out '^    carry U$' "an array that comes and goes: it stays"
[ "$(sed -n 's/^  compulsory: each element once, each way *//p' out | tr '\n' ' ')" = "0 0 4 " ]
result $? "an array that comes and goes: only the last nest has to move something"
finish
