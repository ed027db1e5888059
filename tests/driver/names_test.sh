#!/bin/sh
# Whatever a program calls its functions, arrays, loops and sizes: the emitted C and header
# compile without a warning, or loopc says which name cannot be.
. "$top_srcdir/tests/tap/tap.sh"

strict='-std=c99 -O1 -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror'

# compiles FILE.loop: loopc takes it, and its C compiles; what is wrong goes to the variable wrong.
compiles()
{
	# shellcheck disable=SC2086
	"$LOOPC" -D N=50 -D M=40 -D "$word=7" --emit=c=out.c,h=out.h "$1" >out 2>err &&
		$CC $strict -I"$top_srcdir/runtime" -c -o out.o out.c >err 2>&1 || wrong="$wrong $word:$1"
}

wrong=
unsaid=
for word in main printf abs exp sinf fmaxl free errno lrt_get lrt_box lrt_scratchpad lrt_memory LRT_TAGS \
	loopc_min INT32_MAX SIZE_MAX INT8_C NULL offsetof class new workspace scratchpad A_0 g_get_A_0 \
	i_tile i_first local array box; do
	printf 'void %s(int N, double B[N])\n{\n\tfor (int i = 0; i < N; i++)\n\t\tB[i] = i;\n}\n' \
		"$word" >function.loop
	printf 'void g(int N, int M, double %s[N][M], double %s_0, const double A[N])\n{\n\tfor (int i = 0; i < N; i++)\n\t\tfor (int j = 0; j < M; j++)\n\t\t\t%s[i][j] = %s_0 + A[i];\n}\n' \
		"$word" "$word" "$word" "$word" | sed 's/, const double A_0\[/, const double A_1[/' >array.loop
	printf 'void g(int M, double x[M])\n{\n\tfor (int %s = 0; %s < M; %s++)\n\t\tx[%s] = %s;\n}\n' \
		"$word" "$word" "$word" "$word" "$word" >iterator.loop
	printf 'void g(int %s, double x[%s])\n{\n\tfor (int j = 0; j < %s; j++)\n\t\tx[j] = j;\n}\n' \
		"$word" "$word" "$word" >size.loop
	if "$LOOPC" -D N=50 -o out.c function.loop >out 2>err; then
		compiles function.loop
	else
		grep -q "function.loop:1:6: error: no function of the emitted C can be called '$word'" err ||
			unsaid="$unsaid $word"
		"$LOOPC" -D N=50 --prefix=my_ -o out.c function.loop >out 2>err || unsaid="$unsaid my_$word"
	fi
	for kind in array iterator size; do
		compiles $kind.loop
	done
done
is "$wrong" "" "names compile"
is "$unsaid" "" "names that cannot be are refused, and a prefix helps"

word=unused
cat >stems.loop <<'END'
void h(int N, const double scratchpad[N], double workspace[N], const double read[N])
{
	for (int i = 0; i < N; i++)
		workspace[i] = scratchpad[i] + read[i];
}
void H(int N, double A[N])
{
	for (int i = 0; i < N; i++)
		A[i] = 2;
}
void h_A(int N, double A[N], double A_A[N])
{
	for (int i = 0; i < N; i++)
		A_A[i] = A[i] = 2;
}
END
wrong=
compiles stems.loop
is "$wrong" "" "macros of the header have names of their own"

cat >odd.loop <<'END'
#include <stdint.h>
void odd(int N, const uint32_t A[N], const int32_t X[N], int32_t B[N], const uint8_t c[N],
	uint8_t d[N], int32_t t, double E[N])
{
	double L[N];
	for (int i = 0; i < N; i++) {
		B[i] = A[i] < (uint32_t)X[i] ? 1 : 2;
		d[i] = ~c[i];
		B[i] += ~c[i] == X[i];
		B[i] += c[i] > t;
		B[i] = A[i] < X[i];
		E[i] = E[i] = t;
		L[i] = E[i];
	}
}
END
compiles odd.loop
is "$wrong" "" "what compilers warn of in a source they need not in what is emitted"

for number in 1e400 1e39f 0x1p1024 18446744073709551616; do
	printf 'void f(double B[4])\n{\n\tfor (int i = 0; i < 4; i++)\n\t\tB[i] = %s;\n}\n' $number >number.loop
	exits 1 "$number" "$LOOPC" number.loop
	has err "number.loop:4:10: error: '$number' is no number of C, or no type" "$number: message"
done
finish
