#!/bin/sh
# VGG-16, batch 3, with borders that are not stored, on a machine of Chen et al. (built in as chen-1 to chen-5): least traffic, then fewest
# words between buffers and elements.  What docs/search.md says beside tables III and IV of that paper; MB are 2^20 bytes.
#   chen.sh LOOPC [MACHINE]
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT
# layer, how often it is there, input and output channels, size
while read -r layer times c k size; do
	cat >"$directory/$layer.loop" <<EOF
#include <stdint.h>
void $layer(const int16_t I[3][$c][$size][$size], const int16_t W[$k][$c][3][3], int16_t O[3][$k][$size][$size])
{
	for (int n = 0; n < 3; n++)
		for (int k = 0; k < $k; k++)
			for (int p = 0; p < $size; p++)
				for (int q = 0; q < $size; q++) {
					O[n][k][p][q] = 0;
					for (int c = 0; c < $c; c++)
						for (int r = 0; r < 3; r++)
							for (int s = 0; s < 3; s++)
								if (p + r >= 1 && p + r < $size + 1 && q + s >= 1 && q + s < $size + 1)
									O[n][k][p][q] += I[n][c][p + r - 1][q + s - 1] * W[k][c][r][s];
				}
}
EOF
	"$1" --arch="${2:-chen-1}" --objective=traffic,scratchpad --report -o "$directory/code.c" "$directory/$layer.loop" |
		sed "s/^/$layer $times /" || exit
done <<'END_OF_LAYERS' | awk '
	function number(text) { gsub(/,/, "", text); return text + 0 }
	$4 == "bytes" { part = 1 }
	$3 == "words" { part = 2 }
	part == 1 && ($3 == "I" || $3 == "W" || $3 == "O") { outside[$3] += $2 * number($7) / 1048576 }
	part == 2 && ($3 == "I" || $3 == "W" || $3 == "O") && $0 !~ /bypasses/ {
		inside[$3] += $2 * 2 * (number($4) + number($5)) / 1048576 }
	END { for (i = split("I W O", name, " "); i; i--)
		printf "%s: %.1f MB of external memory, %.1f between buffers and elements (%.2f)\n", name[i], outside[name[i]],
			inside[name[i]], inside[name[i]] / outside[name[i]]
		printf "all: %.1f MB of external memory\n", outside["I"] + outside["W"] + outside["O"] }'
conv1_1 1 3 64 224
conv1_2 1 64 64 224
conv2_1 1 64 128 112
conv2_2 1 128 128 112
conv3_1 1 128 256 56
conv3_2 2 256 256 56
conv4_1 1 256 512 28
conv4_2 2 512 512 28
conv5_1 3 512 512 14
END_OF_LAYERS
