#!/bin/sh
# Memory that ends at any allocation, of loopc, isl, the parsers or the C library: a message, status
# 70, no file that stays.  The allocations are those of no_memory.c, preloaded.
. "$top_srcdir/tests/tap/tap.sh"

if [ -n "$SANITIZER_FLAGS" ]; then
	skip "memory that ends" "the sanitizers have their own allocator"
	finish
fi
# What configure found: without glibc the allocator is not in front of isl's.
if ! nm "$LOOPC" 2>/dev/null | grep -q 'U __libc_malloc' ||
	! ${CC:-cc} -shared -fPIC -O1 -o no_memory.so "$top_srcdir/tests/driver/no_memory.c" -ldl 2>/dev/null; then
	skip "memory that ends" "loopc's allocator is not in front of this C library's"
	finish
fi
mkdir temporary
TMPDIR=$PWD/temporary
export TMPDIR

printf 'name: little\nscratchpad: { bytes: 600 }\n' >little.yaml
cat >product.loop <<'END'
#define TWO 2
void product(int N, const float A[N][N], const float B[N][N], float C[N][N])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			C[i][j] = 0;
			for (int k = 0; k < N; k++)
				C[i][j] += TWO * A[i][k] * B[k][j];
		}
}
END
cat >chain.loop <<'END'
void chain(int N, const float A[N], float C[N])
{
	float B[N];
	for (int i = 0; i < N; i++)
		B[i] = A[i] + 1;
	for (int i = 1; i < N; i++)
		if (i % 3 != 0)
			C[i] = B[i] * B[i - 1];
}
END
cat >solve.loop <<'END'
void solve(int N, const float L[N][N], float x[N], const float b[N])
{
	for (int i = 0; i < N; i++) {
		x[i] = b[i];
		for (int j = 0; j < i; j++)
			x[i] -= L[i][j] * x[j];
	}
}
END

# Numbers of allocations up to $1: all of the first, ever fewer, and the last ones.
places()
{
	awk -v last="$1" 'BEGIN {
		for (n = 1; n <= last; n = int(n * 1.7) + 1) print n
		for (n = 1; n <= 4 && last > 100; n++) { print int(last * n / 5); print last - n * n }
	}'
}
# ends NAME OPTIONS...: whatever is the allocation that fails.
ends_options='--arch=little.yaml -D N=12'
ends()
{
	ends_name=$1
	shift
	NO_MEMORY_COUNT=count LD_PRELOAD=./no_memory.so "$LOOPC" $ends_options "$@" >out 2>err
	result $? "$ends_name: with all memory"
	rm -f result.*
	ends_bad=
	for ends_place in $(places "$(cat count)"); do
		NO_MEMORY_AT=$ends_place LD_PRELOAD=./no_memory.so \
			"$LOOPC" $ends_options "$@" >out 2>err
		ends_status=$?
		[ $ends_status -eq 70 ] && [ "$(tail -n 1 err)" = "loopc: error: out of memory" ] &&
			[ -z "$(ls result.* temporary 2>/dev/null | grep -v ':$')" ] ||
			ends_bad="$ends_bad $ends_place: status $ends_status;"
		rm -rf result.* temporary/*
	done
	is "$ends_bad" "" "$ends_name: of $(cat count) allocations any that fails"
}

ends "C" -o result.c product.loop
ends "all forms" --emit=c=result.c,h=result.h,plan=result.plan,program=result.program,deps=result.deps,reuse=result.reuse,schedule=result.schedule,ast=result.ast product.loop
ends "a report" --report=result.json --explain -o result.c solve.loop
ends "fusion" --fuse=all -o result.c chain.loop
ends "threads" -j 2 -o result.c product.loop
ends "remarks and passes" -Rloop --print-after=all -o result.c solve.loop
ends "messages in JSON" --diagnostics-format=json -Rloop -o result.c solve.loop
ends "a front" --pareto=memory,traffic --pareto-points=3 --pareto-output=result.svg product.loop
ends "a sweep" --sweep=scratchpad:300..900 --sweep-output=result.json product.loop
ends "symbolic sizes" --symbolic=N -o result.c product.loop
"$LOOPC" --arch=little.yaml -D N=12 --emit=plan -o given.plan product.loop
ends_options=
ends "a plan" --emit=c=result.c given.plan
ends_options='--arch=little.yaml -D N=12'
ends "verification" --verify -o result.c solve.loop
finish
