#!/bin/sh
# Pooling merged with the layer in front of it.  LOOPC_POOLED=N: so many random layers.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi

# A convolution with bias and ReLU, and max-pooling behind it: of windows of such a STRIDE, WINDOW and
# number a SIDE; REST rows and columns are in none.
layer() {
	sed "s/STRIDE/$1/g; s/WINDOW/$2/g; s/SIDE/$3/g; s/REST/${4:-0}/g" <<'END'
#include <stdint.h>

enum { K = 32, C = 16, H = STRIDE * (SIDE - 1) + WINDOW + REST };

void f(const int16_t A[C][H + 2][H + 2], const int16_t B[K][C][3][3], const int32_t bias[K], int32_t P[K][SIDE][SIDE])
{
	int32_t T[K][H][H];

	for (int n = 0; n < K; n++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < H; x++)
				T[n][y][x] = bias[n];
	for (int n = 0; n < K; n++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < H; x++)
				for (int c = 0; c < C; c++)
					for (int r = 0; r < 3; r++)
						for (int s = 0; s < 3; s++)
							T[n][y][x] += A[c][y + r][x + s] * B[n][c][r][s];
	for (int n = 0; n < K; n++)
		for (int y = 0; y < H; y++)
			for (int x = 0; x < H; x++)
				T[n][y][x] = T[n][y][x] > 0 ? T[n][y][x] : 0;
	for (int m = 0; m < K; m++)
		for (int i = 0; i < SIDE; i++)
			for (int j = 0; j < SIDE; j++) {
				P[m][i][j] = 0;
				for (int d = 0; d < WINDOW; d++)
					for (int e = 0; e < WINDOW; e++)
						P[m][i][j] = T[m][STRIDE * i + d][STRIDE * j + e] > P[m][i][j]
							? T[m][STRIDE * i + d][STRIDE * j + e] : P[m][i][j];
			}
}
END
}

# Of all nests.
total() { awk '$1 == "total" { gsub(",", "", $NF); bytes += $NF } END { print bytes }' "$1"; }

printf 'nest f.0-3\nfuse\n' >group
printf 'nest f.0-3\nmerge\n' >merge

layer 2 2 32 >two.loop
for bytes in 4096 16384 65536; do
	printf 'name: m\nscratchpad: { bytes: %d }\n' $bytes >machine.yaml
	exits 0 "$bytes bytes" "$LOOPC" --arch=machine.yaml --verify --report two.loop
	has out '^  search: optimal' "$bytes bytes: proved"
	best=$(total out)
	exits 0 "$bytes bytes, as a group" "$LOOPC" --arch=machine.yaml --report --schedule=group two.loop
	ok "$bytes bytes: the group moves no less" [ "$best" -le "$(total out)" ]
done

printf 'name: m\nscratchpad: { bytes: 4096 }\n' >machine.yaml
exits 0 "merged" "$LOOPC" --arch=machine.yaml --emit=schedule=found --report two.loop
has found '^merge$' "merged: it is"
# A tile is so many windows.
printf 'nest f.0-3\nmerge\ntile y 3\ntile x 5\ntile n 1\ntile c 2\norder y x n c\n' >wanted
exits 0 "wanted tiles" "$LOOPC" --arch=machine.yaml --verify --report --schedule=wanted two.loop
has out 'T_0 .*\[1\]\[6\]\[10\]' "wanted tiles: two rows of T for each of the pooling"
has out 'P_0 .*\[1\]\[3\]\[5\]' "wanted tiles: P has as many as they say"

# Another stride; windows that leave rows out; rows behind the last; windows that overlap.
for way in '3 3 8' '4 2 6' '2 2 8 1' '2 3 8'; do
	layer $way >layer.loop
	exits 0 "$way" "$LOOPC" --arch=machine.yaml --verify --report layer.loop
	best=$(total out)
	exits 0 "$way, one by one" "$LOOPC" --arch=machine.yaml --report --fuse=never layer.loop
	ok "$way: one by one they move no less" [ "$best" -le "$(total out)" ]
	exits 0 "$way, merged" "$LOOPC" --arch=machine.yaml --verify --report --schedule=merge layer.loop
	ok "$way: merged they move no less" [ "$best" -le "$(total out)" ]
	[ "$way" != '3 3 8' ] || has out '^  search: optimal' "$way, merged: proved"
done

ok "random layers" python3 -B "$top_srcdir/tests/fusion/pooled.py" "$LOOPC" 1 \
	"${LOOPC_POOLED:-$(inputs 4 2)}"
finish
