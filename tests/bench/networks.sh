#!/bin/sh
# Cycles of whole networks on the built-in machine, as docs/fusion.md and examples/networks/README.md say: of the plan that moves the fewest bytes,
# of all nests apart made for cycles, and of parts that are chosen for them, with how far above a bound that is.
#   networks.sh LOOPC NETWORKS_DIRECTORY
report=$(mktemp) && code=$(mktemp) || exit 1
trap 'rm -f "$report" "$code"' EXIT
cycles()
{
	awk '/"total": \{/ { on = 1 } on && $1 == "\"cycles\":" { print $2 + 0; exit }' "$report"
}
gap()
{
	awk '/"objective": \{/ { on = 1 } on && $1 == "\"gap\":" { printf "%.1f", 100 * $2; exit }' "$report"
}
for network in attention inverted_residual resnet_basic resnet_bottleneck resnet_downsample squeeze_excite vgg16 vgg16_cifar10; do
	"$1" --report="$report" -o "$code" "$2/$network.loop" || exit
	fewest=$(cycles)
	"$1" --objective=cycles --fuse=never --report="$report" -o "$code" "$2/$network.loop" || exit
	apart=$(cycles)
	"$1" --objective=cycles --report="$report" -o "$code" "$2/$network.loop" || exit
	printf '%-18s %10d for traffic, %10d apart, %10d cycles, %s %% above what bounds them\n' "$network" "$fewest" "$apart" "$(cycles)" "$(gap)"
done
