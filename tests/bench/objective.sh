#!/bin/sh
# Cycles of VGG-16 on the built-in machine, made for traffic and made for cycles: what docs/search.md says.
#   objective.sh LOOPC LAYERS_DIRECTORY
report=$(mktemp) && code=$(mktemp) || exit 1
trap 'rm -f "$report" "$code"' EXIT
for objective in traffic cycles; do
	sum=0
	for layer in "$2"/conv*.loop; do
		"$1" --objective=$objective --report="$report" -o "$code" "$layer" || exit
		sum=$((sum + $(awk '/"total": \{/ { on = 1 } on && $1 == "\"cycles\":" { print $2 + 0; exit }' "$report")))
	done
	echo "VGG-16 made for $objective: $sum cycles"
done
