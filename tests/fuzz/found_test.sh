#!/bin/sh
# Programs that once failed, made small by the reducer: found/NAME.loop with its
# machine NAME.yaml and, in its first line, its options.
. "$top_srcdir/tests/tap/tap.sh"

found=$top_srcdir/tests/fuzz/found
for program in "$found"/*.loop; do
	name=$(basename "$program" .loop)
	options=$(sed -n '1s|^/\* options: \(.*\) \*/$|\1|p' "$program")
	exits 0 "$name" "$LOOPC" --verify --arch="$found/$name.yaml" $options -o kernel.c "$program"
	ok "$name: no warning" $CC -std=c99 -Wall -Wextra -Werror -I"$top_srcdir/runtime" -c -o kernel.o kernel.c
	# Forms that are not tried for the work that they take are told.
	[ "$name" != skewed_everywhere ] || has err 'not all ways to write this nest were tried' "says so"
done
# One that does not fit, whatever its parts, says so.
printf 'name: tiny\nscratchpad: { bytes: 2 }\n' >tiny.yaml
exits 3 "skewed_still does not fit two bytes" "$LOOPC" --arch=tiny.yaml --buffering=double \
	--effort=1000 -D K169N=7 -o kernel.c "$found/skewed_still.loop"
has err 'nothing fits' "says so"

# No schedule is below its bound, and a bound counts each element once.
exits 0 "the bound of isl_coalesce" "$LOOPC" --report --arch="$found/isl_coalesce.yaml" -o kernel.c \
	"$found/isl_coalesce.loop"
has out 'lower bound: .* 84 ' "counts each element once"
# Nor is what a function moves, where some of an array is only written.
exits 0 "the bound of every_second" "$LOOPC" --report --arch="$found/every_second.yaml" -o kernel.c \
	"$found/every_second.loop"
has out 'lower bound: no choice .* compulsory .* 824 ' "is of what is read"
finish
