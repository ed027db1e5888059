#!/bin/sh
# --sweep: the curve is right at every point, and its files say the same.
. "$top_srcdir/tests/tap/tap.sh"

kernel=$top_srcdir/examples/blas/gemm.loop
sizes='-D M=40 -D N=36 -D K=30'

exits 0 "a sweep" "$LOOPC" $sizes --sweep=scratchpad:64..16K --sweep-output=s.csv \
	--sweep-output=s.json "$kernel"
cp out table
is "$(wc -l <table)" 19 "two sizes in each doubling, a title and a heading"
has table '^gemm on default' "the title says of what"
is "$(tail -n +2 s.csv | awk -F, '$2 != "" {
	if ((last != "" && $2 > last) || $2 < $3 || $3 < $4 || $5 != "true")
		bad = bad " " $1
	last = $2 } END { print bad }')" "" \
	"traffic falls as the scratchpad grows, and is above its bounds"
is "$(awk -F, 'END { print $2 == $4 }' s.csv)" 1 "with ample memory it is compulsory"

# Each point, however the sweep came to it, is what a compilation for that size finds.
different=
while IFS=, read -r bytes total bound _; do
	printf 'name: default\nscratchpad: { bytes: %s, align_bytes: 2 }\ndma: { startup_cycles: 291, bytes_per_cycle: 4, max_rank: 3, max_bytes: 65536, channels: 2 }\n' "$bytes" >m.yaml
	"$LOOPC" $sizes --arch=m.yaml --report=r.json "$kernel" >tap.out 2>&1
	status=$?
	if [ -z "$total" ]; then
		[ $status -eq 3 ] || different="$different $bytes:status"
	else
		awk -v total="$total" -v bound="$bound" '
			/"total": \{/ { in_total = 1 }
			in_total && /"total_bytes"/ { t = $2 + 0 }
			in_total && /"lower_bound_bytes"/ { b = $2 + 0 }
			END { exit !(t == total && b == bound) }' r.json || different="$different $bytes"
	fi
done <<END
$(tail -n +2 s.csv)
END
is "$different" "" "every point is the optimum and the bound of its size"

if command -v python3 >/dev/null 2>&1; then
	ok "JSON and CSV agree" python3 - <<'END'
import csv, json
rows = list(csv.DictReader(open('s.csv')))
points = json.load(open('s.json'))['points']
assert len(rows) == len(points) == 17
for row, point in zip(rows, points):
    assert int(row['scratchpad_bytes']) == point['scratchpad_bytes']
    assert (int(row['total_bytes']) if row['total_bytes'] else None) == point['total_bytes']
END
fi

exits 0 "whole banks" "$LOOPC" $sizes --arch=tiny-8k --sweep=scratchpad:2K..8K/1 \
	--sweep-output=b.csv "$kernel"
is "$(tail -n +2 b.csv | cut -d, -f1 | tr '\n' ' ')" "2048 4096 8192 " "whole banks: their sizes"
exits 3 "nothing fits anywhere" "$LOOPC" $sizes --sweep=scratchpad:2..4 "$kernel"
has err 'nothing fits' "nothing fits anywhere: message"
for wrong in scratchpad:8K banks:1..2 scratchpad:8K..4K scratchpad:0..4 scratchpad:1K..2K/0; do
	exits 2 "wrong: $wrong" "$LOOPC" $sizes --sweep=$wrong "$kernel"
done
exits 2 "wrong: a file of no known kind" "$LOOPC" $sizes --sweep=scratchpad:1K..2K \
	--sweep-output=x.png "$kernel"
exits 2 "wrong: a file without a sweep" "$LOOPC" $sizes --sweep-output=x.csv "$kernel"

exits 0 "a plot" "$LOOPC" $sizes --sweep=scratchpad:256..4K --sweep-output=s.svg "$kernel"
has s.svg '</svg>' "a plot: it is an SVG"
has s.svg 'lower bound' "a plot: with the lower bound"
has s.svg '>gemm on default' "a plot: its title"
has s.svg '>[0-9]+ KiB<' "a plot: sizes have units"
ok "a plot: no long fractions" sh -c '! grep -q "0\.00[0-9]" s.svg'
is "$(grep -c '<polyline' s.svg)" 3 "a plot: three curves"
is "$(grep -c '<circle' s.svg)" "$(tail -n +2 s.csv | awk -F, '$1 >= 256 && $1 <= 4096 && $2 != ""' | wc -l)" \
	"a plot: a mark for each size"

finish
