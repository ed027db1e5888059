#!/bin/sh
# Programs that once failed, made small by the reducer: found/NAME.loop with its
# machine NAME.yaml and, in its first line, its options.
. "$top_srcdir/tests/tap/tap.sh"

found=$top_srcdir/tests/fuzz/found
for program in "$found"/*.loop; do
	name=$(basename "$program" .loop)
	options=$(sed -n '1s|^/\* options: \(.*\) \*/$|\1|p' "$program")
	ok "$name" "$LOOPC" --verify --arch="$found/$name.yaml" $options -o kernel.c "$program"
done
finish
