#!/bin/sh
# Iterators that subscripts divide: upsampling, shuffles, packed values.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 600 }\n' >small.yaml
printf 'name: ample\nscratchpad: { bytes: 100000 }\n' >ample.yaml

# same NAME BODY: the function of these arrays does what its source does
same()
{
	printf 'void f(const float A[8][16][16], float B[8][32][32], float C[64], float D[2][30][30],
	const float W[4])\n{\n%s\n}\n' "$2" >in.loop
	! taken || ok "$1" "$LOOPC" --verify --arch=small.yaml -o out.c in.loop
	! otherwise_taken || ok "$1, double buffered" "$LOOPC" --verify --arch=ample.yaml --buffering=double -o out.c in.loop
}

same "upsampling to the nearest" '
	for (int k = 0; k < 8; k++)
		for (int y = 0; y < 32; y++)
			for (int x = 0; x < 32; x++)
				B[k][y][x] = A[k][y / 2][x / 2];'
exits 0 "upsampling: the report" "$LOOPC" --report --arch=small.yaml in.loop
has out '^ *A +8,192 +8,192 +0 +8,192$' "upsampling: each element comes once"
has out '^    tile y_block [0-9]+' "upsampling: tiled by blocks"
same "between two rows, with the border" '
	for (int y = 0; y < 32; y++)
		for (int x = 1; x <= 30; ++x)
			B[1][y][x] = A[1][y / 2][x / 2] * W[x % 2 + 2] +
				A[0][(y + 1) / 2 > 15 ? 15 : (y + 1) / 2][x / 2];'
same "pixels from channels" '
	for (int c = 0; c < 2; c++)
		for (int y = 0; y < 30; y++)
			for (int x = 0; x < 30; x++)
				D[c][y][x] = A[c * 4 + y % 2 * 2 + x % 2][y / 2][x / 2];'
same "neither end at a block" 'for (int i = 3; i < 61; i += 1) C[i] += A[i / 8][1][i % 8];'
same "up to and with the end" 'for (unsigned i = 5; i <= 63; i++) C[i] -= A[2][i / 16][i % 16];'
same "a name for the block" '
	for (int i = 0; i < 64; i++) {
		const int row = i / 16;
		if (row > 0)
			C[i] = A[0][row - 1][i % 16];
	}'
same "a triangle" '
	for (int i = 0; i < 32; i++)
		for (int j = i; j < 32; j++)
			B[3][i][j] = A[1][i / 2][j / 2];'
# Every way to count up by one.
for head in 'int i = 3; i != 61; i = i + 1' 'int i = 3; 61 > i; i = 1 + i' 'int i = 3; 60 >= i; ++i' \
	'int i = 0; i < 61 && i <= 50 && 64 != i; i++' 'short i = 0; i != 64; i++'
do
	same "for ($head)" "for ($head) C[i] += A[i / 8][1][i % 8];"
done
same "an iterator that was declared before" '
	int i, j;
	for (i = 1; i < 32; i++)
		for (j = i; j != 32; j++)
			B[3][i][j] = A[1][i / 2][j / 2];
	for (i = 0; i < 64; i++)
		C[i] = A[i / 8][1][i % 8];'
same "a limit that depends on loops around" '
	for (int i = 0; i < 32; i++)
		for (int j = 0; j <= i && i + 10 > j && j != 33 - i / 2 * 0; j++)
			B[3][i][j] = A[1][i / 2][j / 2];'
same "beside a loop with a step" '
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j += 5)
			B[3][i][j] = A[1][i / 4][j] + B[2][i % 4][j];'

printf 'void f(float A[9], const float B[9])\n{\n\tfor (int i = 5; i != 4; i++)\n\t\tA[0] = B[i / 2];\n}\n' >in.loop
exits 1 "no end" "$LOOPC" in.loop
has err "in.loop:3:18: error: the loop over 'i' never ends" "no end: the message"

# One loop more, over the quotient.
same "two divisors" 'for (int i = 0; i < 64; i++) C[i] = A[i / 8][i / 5][i % 3];'
exits 0 "two divisors: the loops" "$LOOPC" --emit=program in.loop
has out '^ *for i_over_5 step 1' "two divisors: has a name"
same "counted by three" 'for (int i = 3; i < 60; i += 3) C[i / 2] += A[i / 8][1][i % 8];'
same "counted down" 'for (int i = 63; i >= 0; i--) C[i] += A[i / 8][1][i % 8];'
same "of sums" '
	for (int i = 0; i < 8; i++)
		for (int j = i; j < 16; j++)
			B[i][(i + 2 * j) / 3][(i + j) % 4] += A[i][j][15 - (i + j) / 2];'
same "bits" 'for (unsigned i = 0; i < 64; i++) C[i] += A[i & 7][i >> 3][(i + 1 & 15) / 2];'
same "rounded to zero" 'for (int i = -20; i < 20; i++) C[i / 3 + 10] += A[i % 4 + 3][(i + 20) / 5][4];'
same "a local, used twice" '
	for (int i = 0; i < 60; i += 2) {
		const int row = (i + 3) / 5, left = (i + 3) % 5;
		C[i] += A[left][row][(row + 1) / 2] + row;
	}'
same "where data decides" '
	for (int i = 63; i >= 0; i--)
		if (W[i % 4] > 0)
			C[i / 2] += A[i / 8][1][i % 8];'
same "choices in both arms of a choice" '
	for (int p = 0; p < 14; p++)
		C[p] = p / 2 <= 0 ? C[p + 1] : A[1][(p + p) % 5 != 1 ? p : 2][p - 2];'
same "a division in an arm that is never taken" '
	for (int p = 0; p < 27; p += 2)
		C[p / 3] = p > p + 1 ? A[1][p < 4 ? p / 2 : 2][3] : A[0][p / 3][p / 2];'
printf 'void f(float A[9], const float B[9])\n{\n\tfor (int p = 0; p < 27; p += 2)\n\t\tA[p / 3] = B[p %% 4] + B[p / 5] + B[p %% 7];\n}\n' >in.loop
exits 1 "many divisions" "$LOOPC" in.loop
has err "in.loop:4:[0-9]+: error: 'p [/%] [0-9]' is one division too many" "many divisions: the message"
count=0
for seed in $(inputs "1 3 4 7 8 10 11 13 15 20 22 28 30 37 39 40" "1 8 10 13"); do
	python3 "$top_srcdir/tests/frontend/divided.py" $seed >in.loop
	if "$LOOPC" --verify --arch=small.yaml -o out.c in.loop >log 2>&1; then count=$((count + 1))
	elif ! grep -q 'one division too many' log; then cat in.loop log >>failed; fi
done
[ $count -ge "$(inputs 5 3)" ] && [ ! -s failed ]
result $? "random divisions"
[ ! -s failed ] || show failed
finish
