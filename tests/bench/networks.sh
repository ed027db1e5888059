#!/bin/sh
# Cycles of whole networks on the built-in machine, as docs/fusion.md and examples/networks/README.md say: of the plan that moves the fewest bytes,
# of all nests apart made for cycles, and of parts that are chosen for them, with how far above a bound that is.  Then energy on an array of
# elements, of all nests apart and of parts that are chosen for it, and the time of the processor that these took; and bytes of
# networks, and how far they are above what no choice moves less than.
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

energy()
{
	awk '/"total": \{/ { on = 1 } on && $1 == "\"total_pj\":" { printf "%.4g", $2; exit }' "$report"
}
# of the processor, that the shell's children had when "times" was written, since FROM
seconds()
{
	awk -F '[ms]' -v from="${1:-0}" 'END { printf "%.1f", $1 * 60 + $2 - from }' "$code"
}
for network in l3net resnet_basic resnet_bottleneck; do
	"$1" --arch=eyeriss-array --objective=energy --fuse=never --report="$report" -o "$code" "$2/$network.loop" || exit
	apart=$(energy)
	times >"$code"
	start=$(seconds)
	"$1" --arch=eyeriss-array --objective=energy --report="$report" -o "$code" "$2/$network.loop" || exit
	times >"$code"
	printf '%-18s %s pJ apart, %s pJ in %s s\n' "$network" "$apart" "$(energy)" "$(seconds "$start")"
done

bytes()
{
	awk -v name="$1" '/"functions": \[/ { on = 1 } on && $1 == "\"total_bytes\":" { bytes = $2 + 0 } on && $1 == "\"gap\":" {
		printf "%-18s %11.0f bytes, %.3f %% above what bounds them\n", name, bytes, 100 * $2; exit }' "$report"
}
for network in vgg16 vgg16_cifar10 denoiser; do
	"$1" --report="$report" -o "$code" "$2/$network.loop" || exit
	bytes "$network"
done
# where the halves of an image are what fits
"$1" --arch=cluster-64k --report="$report" -o "$code" "$2/inverted_residual.loop" || exit
bytes "inverted, 64 KB"
command -v python3 >/dev/null 2>&1 || exit 0
for network in resnet18 mobilenet; do
	python3 -B "$(dirname "$0")/../fusion/whole_network.py" "$network" | "$1" --report="$report" -o "$code" - || exit
	bytes "$network"
done
