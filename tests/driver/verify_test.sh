#!/bin/sh
# --verify: it succeeds where it should, and says what is wrong where something is.
. "$top_srcdir/tests/tap/tap.sh"

kernel=$top_srcdir/examples/blas/gemm.loop
sizes='-D M=13 -D N=11 -D K=17'
machine=--arch=$top_srcdir/tests/e2e/machines/unified-512.yaml

exits 0 "it verifies" "$LOOPC" $machine --verify --report=r.json $sizes "$kernel"
has r.json '"status": "passed"' "the report says so"
is "$(grep -c mismatched r.json)" 1 "the report counts differences"
exits 0 "the report for people" "$LOOPC" $machine --verify --report $sizes "$kernel"
has out '^verified: ' "the report for people says so"
exits 0 "it says so without a report" "$LOOPC" $machine --verify -o good.c $sizes "$kernel"
has err '^verified: .* by [1-9][0-9,]* commands, with 2,431 multiply-accumulates, in [1-9][0-9,]* cycles, as predicted' \
	"it says so without a report: on stderr"
is "$(grep -c measured r.json)" 5 "the report has what was measured, beside what was predicted"
exits 1 "no directory for its programs" "$LOOPC" $machine --verify --save-temps=nowhere/kept $sizes -o unkept.c "$kernel"
has err "cannot make the directory 'nowhere/kept'" "no directory: it says so"
exits 0 "its programs are kept" "$LOOPC" $machine --verify --save-temps=kept $sizes "$kernel"
ok "its programs are kept: they are there" test -f kept/kernel.c -a -f kept/main.c
is "$(ls -d "${TMPDIR:-/tmp}"/loopc-verify.* 2>/dev/null | wc -l | awk '{ print $1 < 50 }')" 1 \
	"directories do not pile up"
mkdir temporary
exits 0 "a directory for temporary files" env TMPDIR="$tap_dir/temporary" \
	"$LOOPC" $machine --verify $sizes "$kernel"
is "$(ls temporary)" "" "a directory for temporary files: left empty"
exits 4 "no directory for temporary files" env TMPDIR=/nonesuch "$LOOPC" --verify $sizes "$kernel"
has err "cannot make a directory" "no directory for temporary files: message"

exits 4 "no compiler" env CC=no-such-compiler "$LOOPC" --verify $sizes "$kernel" -o out.c
has err "'no-such-compiler' cannot be run" "no compiler: message"
ok "no compiler: no output" test ! -e out.c
exits 4 "a compiler that fails" env CC=false "$LOOPC" --verify $sizes "$kernel"
has err "'false' cannot build" "a compiler that fails: message"
exits 4 "no runtime" env LOOPC_RUNTIME_DIR=/nonesuch "$LOOPC" --verify $sizes "$kernel"
has err "needs the runtime" "no runtime: message"

# A compiler that first changes the emitted C: what it breaks must be found.
cat >breaking <<'END'
#!/bin/sh
for file; do
	case $file in
	*/kernel.c) sed "$BREAK" "$file" >"$file.new" && mv "$file.new" "$file" ;;
	esac
done
exec ${REAL_CC:-cc} "$@"
END
chmod +x breaking
REAL_CC=${CC:-cc}
export REAL_CC

# finds NAME EDIT MESSAGE: verification fails with the message.
finds()
{
	exits 4 "$1" env BREAK="$2" CC="$tap_dir/breaking" "$LOOPC" $machine --verify \
		--report=bad.json $sizes "$kernel" -o out.c
	has err "$3" "$1: message"
	has bad.json '"status": "failed"' "$1: the report"
	ok "$1: no C is left" test ! -e out.c
}
finds "a wait that is missing" 's/lrt_wait(.*);/;/' "violations|differ"
finds "a sum that is a difference" 's/\] += /] -= /' "elements of 'C' differ"
finds "a copy that is done twice" 's/^\(.*lrt_get(.*;\)$/\1 \1/' "DMA commands, but [0-9]* were predicted"
finds "work that is done twice" 's/^\(.*lrt_checked_macs.*\)$/\1 \1/' "multiply-accumulates, but 2431 were"
finds "more scratchpad than was said" 's/^\(.*lrt_checked_nest(0);\)$/\1 scratchpad[512]++;/' "violations"
exits 0 "what is not broken passes" env BREAK='s/nothing of the kind//' CC="$tap_dir/breaking" \
	"$LOOPC" $machine --verify $sizes "$kernel"

# Floats whose sums are reordered: equal within a bound, which is printed.
cat >float.loop <<'END'
void dots(int N, int M, const float A[N][M], const float B[M][N], float S[N][N])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			S[i][j] = 0;
			for (int k = 0; k < M; k++)
				S[i][j] += A[i][k] * B[k][j];
		}
}
END
exits 0 "floats" "$LOOPC" $machine --verify --report -D N=9 -D M=33 float.loop
exits 0 "floats in their order" "$LOOPC" $machine -fno-reassociate --verify --report -D N=9 -D M=33 float.loop
hasnt out 'within' "floats in their order are equal"

# Data of the user's: what C leaves undefined on both sides is no result.
cat >shift.loop <<'END'
#include <stdint.h>
void shift(int N, const uint32_t X[N], uint32_t Y[N], float alpha, int32_t Z[N], const int8_t D[N])
{
	for (int i = 0; i < N; i++)
		Y[i] = 1u << (X[i] + 20);
	for (int i = 0; i < N; i++)
		Z[i] = (int32_t)(alpha * 1000) / D[i];
}
END
exits 0 "data for which shifts and divisions are defined" "$LOOPC" --verify -D N=50 -o out.c shift.loop
exits 4 "shifts too far" "$LOOPC" --verify -D N=50 -o out.c shift.loop --verify-range=X=12..13
has err "shift.loop:5: error: .*does a shift" "shifts too far: message"
exits 4 "a division by zero" "$LOOPC" --verify -D N=50 -o out.c shift.loop --verify-range=shift.D=0..1
has err "shift.loop:7: error: .*a division by zero" "a division by zero: message"
exits 4 "a conversion" "$LOOPC" --verify -D N=50 -o out.c shift.loop --verify-range=alpha=3e6..3e6
has err "shift.loop:7: error: .*a conversion to a type that cannot hold" "a conversion: message"
awk 'BEGIN { for (i = 0; i < 200; i++) printf " " }' >spaces.raw
exits 4 "a file" "$LOOPC" --verify -D N=50 -o out.c shift.loop --verify-data=X=spaces.raw
has err "does a shift" "a file: it is what the program gets"
exits 0 "a file of which nothing is undefined" sh -c 'tr " " "\000" <spaces.raw >zeros.raw &&
	exec "$LOOPC" --verify -D N=50 -o out.c shift.loop --verify-data=X=zeros.raw'
exits 2 "a file of another size" "$LOOPC" --verify -D N=51 shift.loop --verify-data=X=spaces.raw
has err "has 200 bytes, but 'X' has 204" "a file of another size: message"
exits 2 "no file" "$LOOPC" --verify -D N=50 shift.loop --verify-data=X=none.raw
exits 2 "no such array" "$LOOPC" --verify -D N=50 shift.loop --verify-range=W=1..2
has err "no function has a parameter 'W'" "no such array: message"
exits 2 "values given twice" "$LOOPC" --verify -D N=50 shift.loop --verify-range=X=1..2 --verify-range=X=1..3
for range in 1 2..1 a..b 1..2.. -1..2 1.2..1.8 0..5e9; do
	exits 2 "no range: $range" "$LOOPC" --verify -D N=50 shift.loop --verify-range=X=$range
done
exits 2 "no values" "$LOOPC" --verify -D N=50 shift.loop --verify-data=X
exits 2 "data without --verify" "$LOOPC" -D N=50 shift.loop --verify-range=X=1..2
has err "go with --verify" "data without --verify: message"

# Any order of the terms is right, the last first too, and what follows from such sums.
cat >orders.loop <<'END'
#include <math.h>
void orders(int N, int M, const float A[N][M], const float B[M][N], float S[N][N], float P[N])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < M; k++)
				S[i][j] += A[i][k] * B[k][j];
	for (int i = 0; i < N; i++) {
		P[i] = 1;
		for (int k = 0; k < N; k++)
			P[i] *= 1 + S[i][k] / 1024;
	}
	for (int i = 0; i < N; i++)
		P[i] = tanhf(P[i]) > 0.5f ? sqrtf(fabsf(P[i])) : P[i] / 3;
}
END
reverse='s/for (int32_t \(k[_0-9]*\) = \([^;]*\); k[_0-9]* < \([^;]*\); k[_0-9]*++)/for (int32_t \1 = (\3) - 1; \1 >= \2; \1--)/'
exits 0 "sums in another order" env BREAK="$reverse" CC="$tap_dir/breaking" "$LOOPC" \
	--verify --report --save-temps=reversed -D N=20 -D M=700 -o out.c orders.loop
is "$(grep -c -- '--) {' reversed/kernel.c)" 2 "sums in another order: both are"
has out "'S' within the rounding of its own terms .*'P' within" "sums in another order: and differ"
exits 4 "sums in another order, without leave" env BREAK="$reverse" CC="$tap_dir/breaking" "$LOOPC" \
	-fno-reassociate --verify -D N=20 -D M=700 -o out.c orders.loop
has err "elements of 'S' differ" "sums in another order, without leave: message"

# The source keeps its local arrays on the stack, these of 40 MB.
cat >large.loop <<'END'
void large(int in[20], int out[20])
{
	int L[10][1000][1000];
	for (int i = 0; i < 10; i++)
		for (int j = 0; j < 1000; j++)
			for (int k = 0; k < 1000; k++)
				L[i][j][k] = in[i];
	for (int i = 0; i < 10; i++)
		out[i] = L[i][i][i];
}
END
exits 0 "local arrays larger than the usual stack" "$LOOPC" --verify -o out.c large.loop

exits 4 "a program file cannot be verified" sh -c '"$LOOPC" --emit=program=x.program '"$sizes $kernel"' &&
	exec "$LOOPC" --verify x.program'
has err "needs the .loop file" "a program file cannot be verified: message"


# What a source computes with that nothing has set is not loopc's: the message says so.
cat >unset.loop <<'END'
void unset(int A[64], const int B[64])
{
  int L[65];
  for (int i = 0; i < 64; i++)
    L[i] = B[i];
  for (int i = 0; i < 64; i++)
    A[i] = L[i] + L[64] * (i + 1);
}
END
printf 'name: m\nscratchpad: { bytes: 512 }\n' >unset.yaml
set_all=-ftrivial-auto-var-init=pattern     # to what no memory has by chance
echo 'int x;' >x.c
if ${CC:-cc} $set_all -c x.c -o x.o 2>x.err; then
	exits 4 "a local that is not set" env CFLAGS="-O1 $set_all" "$LOOPC" --arch=unset.yaml --fuse=never \
		--verify -o unset.c unset.loop
	has err "note: 'L' is read before anything is written to it, so that it is not defined" "the reason is said"
fi
# A value for a name that the file has for something else, which no compiler sees.
cat >named.loop <<'END'
void named(const int A[8], int B[8])
{
  for (int i = 0; i < 8; i++)
    B[i] = A[i] + 1;
}
END
exits 0 "a value that nothing asks for" "$LOOPC" -D A=8 -D i=2 --verify -o named.c named.loop
has err "warning: -D A: the file has no size and no macro of that name" "is told of"

# A name of two lines is one line of C.
cat >"$(printf 'two\nlines.loop')" <<'END'
void f(int A[10])
{
	for (int i = 0; i < 10; i++)
		A[i] += 1;
}
END
exits 0 "a file's name with a newline" "$LOOPC" --line-directives --verify -o two.c "$(printf 'two\nlines.loop')"
finish
