#!/bin/sh
# ResNet-18, batch 4, on dMazeRunner's machine (built in as dmazerunner-256) for energy times cycles, beside what that paper's
# search finds (table 4, its model): what docs/search.md says.
#   edp.sh LOOPC [EFFORT]
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
# layer, output and input channels, size of outputs and kernel, stride; dMazeRunner's product
while read -r layer m c size k stride paper; do
	rows=$(((size - 1) * stride + k))
	cat >"$directory/$layer.loop" <<EOF
#include <stdint.h>
void $layer(const int16_t X[4][$c][$rows][$rows], const int16_t W[$m][$c][$k][$k], int16_t Y[4][$m][$size][$size])
{
	for (int n = 0; n < 4; n++)
		for (int m = 0; m < $m; m++)
			for (int y = 0; y < $size; y++)
				for (int x = 0; x < $size; x++) {
					Y[n][m][y][x] = 0;
					for (int c = 0; c < $c; c++)
						for (int r = 0; r < $k; r++)
							for (int s = 0; s < $k; s++)
								Y[n][m][y][x] += X[n][c][$stride * y + r][$stride * x + s] * W[m][c][r][s];
				}
}
EOF
	"$1" --arch=dmazerunner-256 --objective=edp ${2:+--effort="$2"} --report -o "$directory/code.c" "$directory/$layer.loop" |
	awk -v layer="$layer" -v paper="$paper" '/--objective=/ {
		sub(/.*edp: /, ""); value = $1; sub(/^[^;]*; */, "")
		printf "%-8s %.4g, dMazeRunner %s; %s\n", layer, value, paper, $0 }' || exit
done <<'END'
conv1 64 3 112 7 2 1.928e16
conv2_2 64 64 56 3 1 7.196e15
conv3_2 128 128 28 3 1 5.729e15
conv4_2 256 256 14 3 1 5.022e15
conv5_1 512 256 7 3 2 8.049e15
conv5_2 512 512 7 3 1 6.845e15
END
