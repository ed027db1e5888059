#!/bin/sh
# Conditions on data: random programs full of them do what their source does, and move what
# is predicted; the most common forms are as good as if they had been written as values.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 900 }\n' >small.yaml
printf 'name: ample\nscratchpad: { bytes: 100000 }\n' >ample.yaml

for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	python3 "$top_srcdir/tests/frontend/choices.py" "$seed" >in.loop
	machine=small
	[ $((seed % 3)) -ne 0 ] || machine=ample
	ok "choices of seed $seed, $machine scratchpad" \
		"$LOOPC" --verify --arch=$machine.yaml -o out.c in.loop
done

# program BODY
program()
{
	printf 'void f(float A[16][20], const float B[16][20], float M[16], int n[16], int limit)\n{
	for (int i = 0; i < 16; i++)\n\t\tfor (int j = 0; j < 20; j++) {\n%s\n\t\t}\n}\n' "$1" >in.loop
}
# is_value NAME BODY PATTERN: a statement of the program
is_value()
{
	program "$2"
	exits 0 "$1" "$LOOPC" --emit=program in.loop
	has out "$3" "$1: the statement"
	ok "$1: the same results" "$LOOPC" --verify --arch=small.yaml -o out.c in.loop
}
is_value "the maximum" 'if (B[i][j] > M[i]) M[i] = B[i][j];' \
	'^ *M\[i\] = \(\(B\[i\]\[j\] > M\[i\]\) \? B\[i\]\[j\] : M\[i\]\)$'
has out 'S0 at 0 .* max$' "the maximum: a reduction"
is_value "a count" 'if (B[i][j] > 0.5f) n[i]++;' \
	'n\[i\] = \(\(B\[i\]\[j\] > 0\.5f\) \? \(n\[i\] \+ 1\) : n\[i\]\)$'
has out 'S0 at 0 .* sum$' "a count: a reduction"
is_value "a choice" 'if (B[i][j] < 0) A[i][j] = 0; else A[i][j] = B[i][j];' \
	'A\[i\]\[j\] = \(\(B\[i\]\[j\] < 0\) \? \(\(float\) 0\) : B\[i\]\[j\]\)$'
exits 0 "a choice: the report" "$LOOPC" --report --arch=small.yaml in.loop
has out '^ *A +1,280 +0 +1,280 +1,280$' "a choice: what was there is not read"
is_value "a limit that is data" 'if (B[i][j] > limit) A[i][j] = limit;' \
	'A\[i\]\[j\] = \(\(B\[i\]\[j\] > limit\)'
is_value "a condition that its branch changes" \
	'if (A[i][j] > 1) { A[i][j] = 0; M[i] += 1; } else M[i] -= 1;' 'condition = \(A\[i\]\[j\] > 1\)$'
is_value "iterators and data" 'if (B[i][j] > 0 && j + 1 < 20) A[i][j] = B[i][j + 1];' \
	'domain \{ S0\[i, j\] : 0 <= i <= 15 and 0 <= j <= 18 \}'
is_value "iterators and data, with else" \
	'if (B[i][j] > 0 && j + 1 < 20) A[i][j] = B[i][j + 1]; else A[i][j] = 7;' \
	'domain \{ S1\[i, j = 19\] : 0 <= i <= 15 \}'
finish
