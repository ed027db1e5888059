#!/bin/sh
# Cycles of VGG-16 on the built-in machine, made for traffic and made for cycles, and of each layer how far above its bound that is and what
# the search expected: what docs/search.md says.
#   objective.sh LOOPC LAYERS_DIRECTORY
report=$(mktemp) && code=$(mktemp) && told=$(mktemp) || exit 1
trap 'rm -f "$report" "$code" "$told"' EXIT
cycles()
{
	awk '/"total": \{/ { on = 1 } on && $1 == "\"cycles\":" { print $2 + 0; exit }' "$report"
}
for objective in traffic cycles; do
	sum=0
	for layer in "$2"/conv*.loop; do
		"$1" --objective=$objective -Rtime --report="$report" -o "$code" "$layer" 2>"$told" || exit
		sum=$((sum + $(cycles)))
		[ $objective = traffic ] || awk -v layer="$(basename "$layer" .loop)" -v cycles="$(cycles)" '
			/expected about/ { sub(/.*expected about /, ""); expected = $1 }
			/"objective": \{/ { on = 1 }
			on && $1 == "\"gap\":" { gap = 100 * $2; on = 0 }
			END { printf "%-8s %9d cycles, %.1f %% above what bounds them, %s were expected\n", layer, cycles, gap,
				expected ? expected : "none" }' "$told" "$report"
	done
	echo "VGG-16 made for $objective: $sum cycles"
done
