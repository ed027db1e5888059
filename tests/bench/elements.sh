#!/bin/sh
# AlexNet and VGG-16 on the machine of CNNFlow (built in as eyeriss-array), for traffic + 0.0675 x what its elements read from
# the scratchpad and write to it: beside the two figures of tables 1 and 2 of that paper, MiB, summed alike.
#   elements.sh LOOPC EXAMPLES_DIRECTORY
code=$(mktemp) || exit 1
trap 'rm -f "$code"' EXIT
# layer, external memory and scratchpad (both sides) of CNNFlow
while read -r layer external both; do
	"$1" --arch=eyeriss-array --objective=traffic+0.0675*scratchpad --report -o "$code" "$2/$layer.loop" |
	awk -v layer="$layer" -v external="$external" -v both="$both" '/--objective=/ {
		sub(/.*scratchpad: /, ""); value = $1 / 1048576; rest = $0; sub(/^[^;,]*[;,] */, "", rest)
		printf "%-14s %8.3f MiB, CNNFlow %8.3f; %s\n", layer, value, external + 0.0675 * (both - external), rest }' || exit
done <<'END'
alexnet/conv1 3.58 16.48
alexnet/conv2 4.13 29.35
alexnet/conv3 4.78 37.69
alexnet/conv4 3.69 28.27
alexnet/conv5 2.48 18.85
vgg16/conv1_1 19.25 38.54
vgg16/conv1_2 37.99 135.35
vgg16/conv2_1 19.19 85.87
vgg16/conv2_2 47.55 171.75
vgg16/conv3_1 24.17 78.75
vgg16/conv3_2 45.47 209.50
vgg16/conv4_1 24.52 91.14
vgg16/conv4_2 46.91 186.08
vgg16/conv5_1 11.81 50.30
END
