#!/bin/sh
# Conditions on data: random programs full of them do what their source does, and move what
# is predicted; the most common forms are as good as if they had been written as values.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 900 }\n' >small.yaml
printf 'name: ample\nscratchpad: { bytes: 100000 }\n' >ample.yaml

for seed in $(seq "$(inputs 14 8)"); do
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
is_value "a chain that counts" \
	'if (B[i][j] > 3) n[i] += 2; else if (B[i][j] > 1) n[i]++; else if (B[i][j] > 0) n[i] -= i;' \
	'n\[i\] = \(\(B\[i\]\[j\] > 3\) \? \(n\[i\] \+ 2\) : .* \? \(n\[i\] - '
has out 'S0 at 0 .* sum$' "a chain that counts: a reduction"
is_value "branches that assign in another order" \
	'if (B[i][j] > 3) { M[i] = 1; n[i] = 2; A[i][j] = 4; } else if (B[i][j] > 1) { n[i] = 3; A[i][j] = 5; }' \
	'A\[i\]\[j\] = .* 4.* 5'
exits 1 "branches that assign in another order: one statement for each target" grep -q 'S3 at' out
is_value "branches that change what later conditions read" \
	'if (A[i][j] > 3) { A[i][j] = 1; n[i] = 2; } else if (A[i][j] > 1) { if (M[i] > 2) { n[i] = 3; M[i] = 0; } }
	else { M[i] = 1; A[i][j] = 9; }' \
	'branch = \(\(A\[i\]\[j\] > 3\) \? 0 : '
is_value "iterators in a later condition" \
	'if (B[i][j] > 0 && j > 4) A[i][j - 5] = 1; else if (M[i] > 1 && i + j < 12) A[i][j + 8] = 2;' \
	'domain \{ S0\[i, j\] : 0 <= i <= 15 and 5 <= j <= 19 \}'

# A long chain is one statement, which C compilers take.
chain='if (B[i][j] == 0) A[i][j] = 1;'
for number in $(seq 1 380); do
	chain="$chain
		else if (B[i][j] == $number) A[i][j] = $number * 0.5f;"
done
is_value "a long chain" "$chain" '380\) \? '
exits 1 "a long chain: one statement" grep -q 'S1 at' out
finish
