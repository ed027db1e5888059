#!/bin/sh
# Groups without an intermediate of their own: nests that share an input or an output, and
# nests that have no loop in common.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 3000 }\n' >small.yaml
printf 'name: ample\nscratchpad: { bytes: 100000 }\n' >ample.yaml

# moves BYTES MACHINE NAME: in.loop, in both bufferings; ample: no more than once each
moves()
{
	for buffering in single double; do
		exits 0 "$3, $2, $buffering" "$LOOPC" --verify --report --arch="$2.yaml" \
			--buffering=$buffering -o out.c in.loop
		sed -n 's/^  total .* \([0-9,]*\)$/\1/p' out | tr -d , |
			awk '{ sum += $1 } END { print sum }' >sum
		[ "$(cat sum)" -eq "$1" ]
		result $? "$3, $2, $buffering: $1 bytes"
	done
}

cat >in.loop <<'END'
void heads(const float in[40][50], const float w[3][3], const float v[3][3],
	float a[38][48], float b[38][48])
{
	for (int y = 0; y < 38; y++)
		for (int x = 0; x < 48; x++) {
			a[y][x] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					a[y][x] += w[r][s] * in[y + r][x + s];
		}
	for (int y = 0; y < 38; y++)
		for (int x = 0; x < 48; x++) {
			b[y][x] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					b[y][x] += v[r][s] * in[y + r][x + s];
		}
}
END
moves $((4 * (40 * 50 + 2 * 38 * 48 + 18))) small "two nests of one input"

cat >in.loop <<'END'
#include <stdint.h>
void edges(const uint8_t in[40][60], uint8_t smooth[40][60], uint8_t out[40][60])
{
	for (int y = 0; y < 40; y++)
		for (int x = 0; x < 60; x++) {
			int sum = 0;
			for (int i = -1; i <= 1; i++)
				if (x + i >= 0 && x + i < 60)
					sum += in[y][x + i];
			smooth[y][x] = sum / 3;
		}
	for (int y = 0; y < 40; y++)
		for (int x = 0; x < 60; x++) {
			int sum = 2 * smooth[y][x];
			if (y > 0)
				sum -= smooth[y - 1][x];
			if (y < 39)
				sum -= smooth[y + 1][x];
			out[y][x] = sum < 0 ? -sum : sum;
		}
}
END
moves $((3 * 40 * 60)) small "an output that a later nest reads"

cat >in.loop <<'END'
void smooth(const float in[40][60], float out[40][60], float a, float b)
{
	float f[40][60], g[40][60], h[40][60];
	for (int y = 0; y < 40; y++) {
		f[y][0] = in[y][0];
		for (int x = 1; x < 60; x++)
			f[y][x] = a * in[y][x] + b * f[y][x - 1];
	}
	for (int y = 0; y < 40; y++) {
		g[y][59] = f[y][59];
		for (int x = 58; x >= 0; x--)
			g[y][x] = a * f[y][x] + b * g[y][x + 1];
	}
	for (int x = 0; x < 60; x++)
		h[0][x] = g[0][x];
	for (int y = 1; y < 40; y++)
		for (int x = 0; x < 60; x++)
			h[y][x] = a * g[y][x] + b * h[y - 1][x];
	for (int y = 0; y < 40; y++)
		for (int x = 0; x < 60; x++)
			out[y][x] = in[y][x] - h[y][x];
}
END
moves $((4 * 2 * 40 * 60)) ample "no loop in common"
finish
