#!/bin/sh
# Networks compiled with fusion and verified on small scratchpads; what is fused never
# moves more than the nests one by one.
. "$top_srcdir/tests/tap/tap.sh"

# total FILE: total_bytes of a report, the last in it.
total()
{
	sed -n 's/.*"total_bytes": *\([0-9]*\).*/\1/p' "$1" | tail -n 1
}

# compares NETWORK MACHINE: at the sizes of examples/sizes.txt.
compares()
{
	defines=$(sed -n "s|^networks/$1.loop ||p" "$top_srcdir/examples/sizes.txt" |
		sed 's/[^ ]*=/-D &/g')
	example=$top_srcdir/examples/networks/$1.loop
	for fusion in never auto; do
		[ $fusion = auto ] && verify=--verify || verify=
		# shellcheck disable=SC2086
		ok "$1 on $2, fusion $fusion" "$LOOPC" --arch="$2" --fuse=$fusion $verify \
			--report=$fusion.json $defines -o $fusion.c "$example"
	done
	[ "$(total auto.json)" -le "$(total never.json)" ]
	result $? "$1 on $2: fusion does not move more"
}

compares edges tiny-2k
compares l2net tiny-2k
compares resnet_basic tiny-2k
compares resnet_downsample tiny-8k
compares squeeze_excite tiny-2k

# Results that go in chunks: the keys, values and scores of attention leave room for what a tile of rows makes, and
# a bottleneck moves what its caller has, once.
moves()
{
	printf 'name: m\nscratchpad: { bytes: %d }\n' "$2" >machine.yaml
	exits 0 "$1 in $2 bytes" "$LOOPC" --arch=machine.yaml --report=r.json --emit=schedule=s,c=o.c \
		"$top_srcdir/examples/networks/$1.loop"
	ok "$1 in $2 bytes: at most $3 moved, not $(total r.json)" [ "$(total r.json)" -le "$3" ]
	has s "^stream $4 " "$1 in $2 bytes: the result goes for its stage alone"
}

moves attention 65536 6291456 O
moves attention 131072 4194304 O
moves resnet_bottleneck 262144 3350528 Y

# Blocks with borders and residuals: no other groups, tiles and merged nests move less.
for network in resnet_basic resnet_bottleneck; do
	exits 0 "$network on the default machine" "$LOOPC" --report -o o.c "$top_srcdir/examples/networks/$network.loop"
	has out "search: optimal, all choices together" "$network: proved"
done

# SuperSlash's table VI, MiB with 64 % of the filters left out: 10.76 on FlexFlow, and on MPNA 9.88, less than the
# weights of all layers are, so that it can be of the convolutions alone.
network=$top_srcdir/examples/networks/vgg16_cifar10.loop
exits 0 "vgg16_cifar10 on flexflow" "$LOOPC" --arch=flexflow --report=flexflow.json -o flexflow.c "$network"
ok "at most 10.76 MiB" [ "$(total flexflow.json)" -le $((1076 * 1048576 / 100)) ]
exits 0 "vgg16_cifar10 on mpna" "$LOOPC" --arch=mpna --report=mpna.json -o mpna.c "$network"
ok "at most 9.88 MiB beside the weights of the last two layers" \
	[ "$(total mpna.json)" -le $((988 * 1048576 / 100 + 2 * (512 * 512 + 10 * 512))) ]
finish
