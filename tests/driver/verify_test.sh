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
finds "a sum that is a difference" 's/ += / -= /; s/ + \([^;]*\) \* / - \1 * /' "elements of 'C' differ"
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

exits 4 "a program file cannot be verified" sh -c '"$LOOPC" --emit=program=x.program '"$sizes $kernel"' &&
	exec "$LOOPC" --verify x.program'
has err "needs the .loop file" "a program file cannot be verified: message"

finish
