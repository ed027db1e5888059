#!/bin/sh
# Programs that nobody would write by hand: thousands of statements, deep nests, large
# coefficients and sizes.  They compile, or are refused with the reason.
. "$top_srcdir/tests/tap/tap.sh"
cat >machine.yaml <<'END'
name: machine
scratchpad: { bytes: 32768 }
END

# program BODY: a function of two arrays
program()
{
	printf 'void f(float A[100], float B[100])\n{\n%s\n}\n' "$1" >in.loop
}
compiles()
{
	exits 0 "$1" "$LOOPC" --arch=machine.yaml -o out.c in.loop
}

program "$(awk 'BEGIN { for (k = 0; k < 500; k++) printf "\tA[%d] = B[%d] + 1;\n", k % 100, 7 * k % 100 }')"
compiles "five hundred statements in a row"
program "$(awk 'BEGIN { print "\tfor (int i = 0; i < 100; i++) {"
	for (k = 0; k < 1000; k++) printf "\t\tA[i] = B[i] + A[%d];\n", k % 100
	print "\t}" }')"
rm -f out.c
exits 1 "a thousand statements in a loop" "$LOOPC" --arch=machine.yaml -o out.c in.loop
has err '^in\.loop:3:2: error: the 1000 statements of this nest touch the same arrays in more than' \
	"a thousand statements in a loop: the reason"
ok "a thousand statements in a loop: no output" test ! -e out.c

# deep LOOPS: all of them around one statement that uses the outer twelve
deep()
{
	awk -v loops="$1" 'BEGIN { printf "void f(float A"; for (k = 0; k < 12; k++) printf "[3]"
		printf ")\n{\n"; for (k = 0; k < loops; k++) printf "for (int i%d = 0; i%d < 3; i%d++)\n", k, k, k
		printf "A"; for (k = 0; k < 12; k++) printf "[i%d]", k; printf " += 1;\n}\n" }' >in.loop
}
deep 12
compiles "twelve loops"
deep 24
compiles "twenty-four loops"
deep 25
exits 1 "twenty-five loops" "$LOOPC" --arch=machine.yaml -o out.c in.loop
has err '^in\.loop:[0-9]+:[0-9]+: error: .*loops' "twenty-five loops: the reason"

# arrays COUNT STATEMENT: COUNT arrays in one nest, in statements with _ for a number and + for the next
arrays()
{
	awk -v count="$1" -v text="$2" 'BEGIN { printf "void f("
		for (k = 0; k < count; k++) printf "%sint A%d[20][20]", k ? ", " : "", k
		printf ")\n{\nfor (int i = 0; i < 20; i++)\nfor (int j = 0; j < 20; j++) {\n"
		for (k = 0; k < count; k += 2) { line = text; gsub("_", k, line); gsub("%", (k + 1) % count, line)
			print line }
		print "}\n}" }' >in.loop
}
arrays 20 'A_[i][j] += A%[i][j];'
exits 0 "twenty arrays in a nest" "$LOOPC" --verify --report --arch=machine.yaml in.loop
hasnt out 'form parts' "twenty arrays in a nest: at the same time"
arrays 40 'A_[i][j] += A%[j][i];'
exits 0 "forty arrays in a nest" "$LOOPC" --verify --report --emit=schedule=found --arch=machine.yaml in.loop
has out '^    form parts sequential 0$' "forty arrays in a nest: in parts"
exits 0 "forty arrays in a nest: the schedule is found again" "$LOOPC" --schedule=found --verify \
	--buffering=single --arch=machine.yaml in.loop
awk 'BEGIN { printf "void f("; for (k = 0; k < 40; k++) printf "%sint A%d[20]", k ? ", " : "", k
	printf ")\n{\nfor (int i = 0; i < 20; i++)\nA0[i] = 0"; for (k = 1; k < 40; k++) printf " + A%d[i]", k
	print ";\n}" }' >in.loop
exits 1 "forty arrays in a statement" "$LOOPC" --arch=machine.yaml in.loop
has err '^in\.loop:3:1: error: this nest uses 40 arrays; at most 31' "forty arrays in a statement: the reason"

printf '%s\n' 'void f(const float A[2000000000], float B[1000])' '{' \
	'	for (int i = 0; i < 1000; i++)' '		for (int j = 0; j < 999; j++)' \
	'			B[i] += A[1000003 * i + 999983 * j];' '}' >in.loop
compiles "large coefficients"
printf '%s\n' 'void f(char A[100000000][100000000], char B[100000000][100000000])' '{' \
	'	for (int i = 0; i < 100000000; i++)' '		for (int j = 0; j < 100000000; j++)' \
	'			A[i][j] += B[j][i];' '}' >in.loop
exits 0 "large sizes" "$LOOPC" --arch=machine.yaml --effort=20000 -o out.c in.loop
sed 's/\[100000000\]/[3037000500][1][3037000500]/' in.loop >over.loop
exits 1 "an array that is too large" "$LOOPC" --arch=machine.yaml -o out.c over.loop
has err 'error: .*too large: an array has at most 2.59 bytes' "an array that is too large: the reason"

# product SIZE: of matrices of bytes.
product()
{
	printf 'void f(const char A[%d][%d], const char B[%d][%d], char C[%d][%d])\n{\n' $1 $1 $1 $1 $1 $1
	printf '\tfor (int i = 0; i < %d; i++)\n\t\tfor (int j = 0; j < %d; j++) {\n\t\t\tC[i][j] = 0;\n' $1 $1
	printf '\t\t\tfor (int k = 0; k < %d; k++)\n\t\t\t\tC[i][j] += A[i][k] * B[k][j];\n\t\t}\n}\n' $1
}
product 300000 >in.loop
exits 0 "a product too long to be counted tile by tile" "$LOOPC" --arch=machine.yaml --effort=20000 --emit=schedule in.loop
hasnt out 'sequential' "a product too long to be counted tile by tile: it is tiled"
rm -f out.c
product 700000000 >in.loop
exits 1 "more bytes moved than 64 bits count" "$LOOPC" --arch=machine.yaml -o out.c in.loop
has err "every schedule of 'f' moves 2.63 bytes or more" "more bytes moved than 64 bits count: the reason"
awk 'BEGIN { n = 750000000; printf "void f(const char A[%d][%d]", n, n
	for (k = 0; k < 17; k++) printf ", char C%d[%d][%d]", k, n, n
	print ")\n{"
	for (k = 0; k < 17; k++) printf "for (int i = 0; i < %d; i++) for (int j = 0; j < %d; j++) C%d[i][j] = A[i][j];\n", n, n, k
	print "}" }' >in.loop
exits 1 "more in all than 64 bits count" "$LOOPC" --arch=machine.yaml --effort=1000 -o out.c in.loop
has err 'up to this nest 2.63 bytes or more are moved in all' "more in all than 64 bits count: the reason"
ok "more bytes than 64 bits count: no output" test ! -e out.c

# What the polyhedral library would not end on, in the time of anyone's patience.
awk 'BEGIN { print "void f(float A[100000], float B[100000])\n{\n\tfor (int i = 0; i < 100000; i++) {"
	for (k = 2; k < 62; k++) printf "\t\tif (i %% %d == 0)\n\t\t\tA[i] += %d * B[i];\n", k, k
	print "\t}\n}" }' >in.loop
rm -f out.c
exits 1 "sixty periods in one loop" "$LOOPC" --arch=machine.yaml --time-limit=2 -o out.c in.loop
has err '^in\.loop: error: not done after 2 s' "sixty periods in one loop: the reason"
ok "sixty periods in one loop: no output" test ! -e out.c
# A tangle of few statements, found by random programs: isl's scheduler took minutes.
cat >in.loop <<'END'
#include <stdint.h>
void f(signed char A[7], signed char B, const signed char D[8][2],
	const unsigned char E[9][7][19], int16_t F[14][10][7], unsigned char G[10][8],
	const int16_t H[24], uint32_t U[2])
{
	for (int i = 0; i < 7; i++) {
		A[i] -= A[i] * A[i];
		for (int j = -i + 3; j > -1; j--)
			for (int k = 0; k < 1; k++) {
				G[3 * i][j] = E[i + 1][i + 2 * k + 1][k + j] | E[i + 2][i + 2 * k][k + j];
				for (int l = k + 2; l > -1; l--)
					F[-i + 5][-j + 3][l] = (int16_t)(G[2 * l][2 * j + 1] ^ j);
			}
		A[i] = (F[i + 6][i + 3][i] >> 4) - E[i + 2][i][3 * i] / 6;
		A[i] = B;
		for (int j = 0; j <= 1; j++) {
			for (int k = 0; k < 1; k++)
				for (int l = 0; l < -i + 2 && l < 1; l += 2)
					U[-j + 1] += B;
			for (int k = 0; k <= 5; k++)
				for (int l = 3; l > -1; l -= 3)
					G[k + j][j + l] ^= H[k + 3 * i] * H[l + 1] - D[l + 2][j];
		}
	}
}
END
printf 'name: small\nscratchpad: { bytes: 672 }\n' >small.yaml
exits 0 "a tangle of few statements" "$LOOPC" --arch=small.yaml --time-limit=60 -o out.c in.loop
program "	for (int i = 0; i < 100; i++) A[i] = B[i];"
exits 0 "what is done in time" "$LOOPC" --arch=machine.yaml --time-limit=100 -o out.c in.loop
exits 2 "a time that is none" "$LOOPC" --time-limit=soon in.loop
finish
