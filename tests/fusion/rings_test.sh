#!/bin/sh
# Line buffers are addressed modulo their depth, but nothing is divided where statements stand:
# a remainder is a value of the loop around, or a counter of the innermost loop.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: tiny\nscratchpad: { bytes: 2048 }\n' >tiny.yaml

# undivided NAME: no subscript of the statements in out.c has a remainder or a quotient
undivided()
{
	sed -n '/^{/,/^}/p' out.c >body
	grep -E '^[[:space:]]+[A-Za-z_0-9]+(\[[^]]*\])+( *=|$)' body >statements
	[ -s statements ]
	result $? "$1: statements are found"
	hasnt body '\[[^]]*[%/]' "$1: no subscript divides"
}

cat >chain.loop <<'END'
void chain(const float x[5008], float y[5000])
{
	float a[5004], b[5002];
	for (int i = 0; i < 5004; i++)
		a[i] = 0.25f * (x[i] + x[i + 1] + x[i + 2] + x[i + 4]);
	for (int i = 0; i < 5002; i++)
		b[i] = a[i] * a[i + 2];
	for (int i = 0; i < 5000; i++)
		y[i] = b[i] + b[i + 1] - b[i + 2];
}
END
for buffering in single double; do
	exits 0 "a chain in one dimension, $buffering" "$LOOPC" --verify --arch=tiny.yaml \
		--buffering=$buffering --fuse=all -o out.c chain.loop
	undivided "a chain in one dimension, $buffering"
	has body '^	+i_mod_([0-9]+) = i_mod_\1 == [0-9]+ \? 0 : i_mod_\1 \+ 1;' \
		"a chain in one dimension, $buffering: a counter goes round"
done

# Every second element: counters that go in steps of two.
cat >steps.loop <<'END'
void steps(const int x[4010], int y[2000])
{
	int a[4008];
	for (int i = 0; i < 4008; i++)
		a[i] = x[i] - 3 * x[i + 2];
	for (int i = 0; i < 2000; i++)
		y[i] = a[2 * i] + a[2 * i + 7];
}
END
for buffering in single double; do
	exits 0 "every second element, $buffering" "$LOOPC" --verify --arch=tiny.yaml \
		--buffering=$buffering --fuse=all -o out.c steps.loop
	undivided "every second element, $buffering"
	has body 'mod_[0-9]+ >= [0-9]+ \? [a-z_0-9]+ - [0-9]+ : [a-z_0-9]+ \+ 2;' \
		"every second element, $buffering: a counter goes in steps of two"
done

for network in edges resnet_basic denoiser l2net; do
	exits 0 "$network" "$LOOPC" -o out.c "$top_srcdir/examples/networks/$network.loop"
	undivided "$network"
done

# What the last tile moves is a choice of constants; what the first does, if others do not, has an else.
exits 0 "edges, ten rows a tile" "$LOOPC" --arch=unified-108k -o out.c \
	"$top_srcdir/examples/networks/edges.loop"
has out.c 'edges_get_image_0\(image, y_first, y_tile == 72 \? 4 : 10\);' "the last tile has four rows"
exits 0 "edges, a column a tile" "$LOOPC" --arch=tiny-8k -o out.c "$top_srcdir/examples/networks/edges.loop"
has out.c '^			} else \{' "what the first tile does the others do not"

# Where the first tile moves what others do, in its own words, that is said once.
for network in layer_norm:tiny-8k lstm_cell:tiny-8k batch_norm:eyeriss-108k; do
	exits 0 "$network" "$LOOPC" --arch="${network#*:}" -o out.c "$top_srcdir/examples/nn/${network%:*}.loop"
	hasnt out.c '_tile < 1\) \{' "$network: no choice for the first tile"
	hasnt out.c '_get_[a-zA-Z]+_0_1\(' "$network: nor a second function"
done

# An inverted residual in two halves of its columns.  The last stage needs a row of X that the first one had, and of its columns those without the
# halo; the last tile has no row but that.  The row stays, and lies where it did: each row comes once.
cat >inverted.loop <<'END'
void inverted(const int X[2][14][14], const int V[6][2], const int D[6][3][3], const int W[2][6], int Y[2][14][14])
{
	int A[6][14][14], B[6][14][14];
	for (int k = 0; k < 6; k++)
		for (int y = 0; y < 14; y++)
			for (int x = 0; x < 14; x++) {
				A[k][y][x] = 0;
				for (int c = 0; c < 2; c++)
					A[k][y][x] += X[c][y][x] * V[k][c];
			}
	for (int k = 0; k < 6; k++)
		for (int y = 0; y < 14; y++)
			for (int x = 0; x < 14; x++) {
				B[k][y][x] = 0;
				for (int r = 0; r < 3; r++)
					for (int s = 0; s < 3; s++)
						if (y + r >= 1 && y + r < 15 && x + s >= 1 && x + s < 15)
							B[k][y][x] += A[k][y + r - 1][x + s - 1] * D[k][r][s];
			}
	for (int k = 0; k < 2; k++)
		for (int y = 0; y < 14; y++)
			for (int x = 0; x < 14; x++) {
				Y[k][y][x] = X[k][y][x];
				for (int c = 0; c < 6; c++)
					Y[k][y][x] += B[c][y][x] * W[k][c];
			}
}
END
printf 'name: m\nscratchpad: { bytes: 1400 }\n' >small.yaml
for buffering in single double; do
	exits 0 "an inverted residual, $buffering" "$LOOPC" --verify --arch=small.yaml --buffering=$buffering --report --explain -o out.c inverted.loop
	has out '^  X: 1,568 bytes; read 1,792 ' "an inverted residual, $buffering: rows come once, and a halo"
done
exits 0 "an inverted residual" "$LOOPC" --arch=small.yaml --report --emit=plan=plan inverted.loop
has out '^  search: optimal in the schedule space' "an inverted residual: proved"
has plan '^    dim 8 from select\(x_tile == 0, 0, 6\)$' "an inverted residual: a row begins where it did"
finish
