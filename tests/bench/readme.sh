#!/bin/sh
# readme.sh README <OUTPUT-OF-search_bench: puts the table of the published layers between the
# README's marks.  `make bench-readme` runs it.
set -e
readme=$1
table=$(awk '
BEGIN {
	print "| layer | machine | bytes moved | lower bound | above it | points | CPU s |"
	print "|---|---|--:|--:|--:|--:|--:|"
}
$1 ~ /^(alexnet|vgg16)_/ && NF == 9 && !seen[$1, $2]++ {
	sub(/_/, " ", $1)
	printf "| %s | %s | %s | %s | %.1f %% | %s | %s |\n", $1, $2, $3, $6, 100 * ($3 / $6 - 1), $8, $9
}')
awk -v table="$table" '
/^<!-- bench -->$/ { print; print table; skipping = 1; next }
/^<!-- end of bench -->$/ { skipping = 0 }
!skipping' "$readme" >"$readme.new"
mv "$readme.new" "$readme"
