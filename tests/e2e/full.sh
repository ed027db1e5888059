#!/bin/sh
# make check-full: the layers of AlexNet, VGG-16 and ResNet-18 at their full sizes, on
# the machines that the field compares on; minutes, so not part of make check.
. "$top_srcdir/tests/tap/tap.sh"

for layer in "$top_srcdir"/examples/alexnet/*.loop "$top_srcdir"/examples/vgg16/*.loop \
	"$top_srcdir"/examples/resnet18/*.loop; do
	for machine in eyeriss-108k unified-108k; do
		exits 0 "${layer#"$top_srcdir"/examples/} on $machine" \
			env CFLAGS=-O3 "$LOOPC" --arch=$machine --verify --report=report.json "$layer"
		sed -n '/"total": {/,/}/s/.*"total_bytes": \([0-9]*\).*/# \1 bytes/p' report.json
	done
done
finish
