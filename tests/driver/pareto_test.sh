#!/bin/sh
# --pareto: every point is a schedule that can be given back and runs as it says; files say
# the same; the spaces contain each other.  That fronts are exact is shown in
# tests/optimality.
. "$top_srcdir/tests/tap/tap.sh"

examples=$top_srcdir/examples
gemm=$examples/blas/gemm.loop
sizes='-D M=11 -D N=9 -D K=7'
printf 'name: small\nscratchpad: { bytes: 600, align_bytes: 4 }\n' >small.yaml

exits 0 "a front" "$LOOPC" --arch=small.yaml $sizes --pareto=memory,traffic,macs \
	--pareto-output=p.csv --pareto-output=p.json --pareto-output=p.svg "$gemm"
cp out table
exits 0 "a front of what there is by default" "$LOOPC" --arch=small.yaml $sizes --pareto "$gemm"
is "$(head -n 1 out)" "$(head -n 1 table)" "a front of what there is by default: memory and traffic"
count=$(tail -n +2 p.csv | wc -l)
has table "^front of gemm on small: $count points\$" "a front: its number of points"
has table '^ *0 +[0-9,]+ +[0-9,]+ +693$' "a front: multiply-accumulates"
is "$(tail -n +2 p.csv | awk -F, '{
	if (last && ($3 >= memory || $4 <= traffic)) bad = bad " " NR
	memory = $3; traffic = $4; last = 1 } END { print bad }')" "" \
	"a front: with less memory more is moved"
is "$(tail -n +2 p.csv | cut -d, -f6 | sort -u)" true "a front: all points are proved"
has p.svg '</svg>' "a plot: it is an SVG"
is "$(grep -c '<circle' p.svg)" "$count" "a plot: a mark for each point"

# Each point is the optimum of a machine that has just its memory.
different=
tail -n +2 p.csv | awk -F, 'NR % 7 == 1' >some
while IFS=, read -r _ _ memory traffic _; do
	printf 'name: exact\nscratchpad: { bytes: %s, align_bytes: 4 }\n' "$memory" >m.yaml
	"$LOOPC" --arch=m.yaml $sizes --report=r.json "$gemm" >tap.out 2>&1
	awk -v t="$traffic" '/"total": \{/ { on = 1 } on && /"total_bytes"/ { exit $2 + 0 != t }' r.json ||
		different="$different $memory"
done <some
is "$different" "" "points are the optima of their sizes"

# replay MACHINE FILE OPTIONS...: each point of the front in p.json (the first that is of
# all of the function) is given back and verified.
cat >replay.py <<'END'
import json, os, subprocess, sys
machine, options = sys.argv[1], sys.argv[2:]
loopc = os.environ['LOOPC']
points = json.load(open('p.json'))['fronts'][0]['points']
step = 3 if os.environ.get('SANITIZER_FLAGS') else 1
for number, point in list(enumerate(points))[::step]:
    with open('point', 'w') as out:
        out.write(point['schedule'])
    subprocess.run([loopc, '--arch=' + machine, '--schedule=point', '--verify',
                    '--report=r.json', '--emit=schedule=again'] + options, check=True)
    report = json.load(open('r.json'))
    assert report['verify']['status'] == 'passed'
    assert report['total']['total_bytes'] == point['traffic_bytes'], (number, point)
    assert report['total']['macs'] == point['macs'], (number, point)
    used = max(kernel['scratchpad']['used_bytes'] for kernel in report['kernels'])
    assert used == point['memory_bytes'], (number, used, point)
    assert open('again').read() == point['schedule'], (number, point)
assert len(points) >= 3, len(points)
print(len(points), 'points')
END
if command -v python3 >/dev/null 2>&1; then
	replay()
	{
		name=$1
		shift
		ok "$name: every point is verified" python3 replay.py "$@"
	}
else
	replay()
	{
		skip "$1: every point is verified" "no python3"
	}
fi

exits 0 "few points" "$LOOPC" --arch=small.yaml $sizes --pareto=memory,traffic --pareto-points=9 \
	--pareto-output=p.json --pareto-output=few.csv "$gemm"
has out 'points, not complete$' "few points: it says so"
has out '^not searched: sizes [0-9]' "few points: what was left out"
is "$(tail -n +2 few.csv | while read -r row; do grep -qxF "$row" p.csv || echo "$row"; done)" "" \
	"few points: all are of the front"
replay "few points" small.yaml $sizes "$gemm"
exits 0 "whole banks" "$LOOPC" --arch="$top_srcdir/tests/e2e/machines/banked-1k.yaml" $sizes \
	--pareto=memory,traffic --pareto-output=p.json "$gemm"
replay "whole banks" "$top_srcdir/tests/e2e/machines/banked-1k.yaml" $sizes "$gemm"

# What one search leaves for the next ones outlives it: the maximum in a scalar is expanded once.
cat >rows.loop <<'END'
void rows(const float I[7][13], float G4[8][14], float G6[10][13], float X[10][13])
{
	float T[7][13], V[10][13];
	for (int x = 0; x < 7; x++) {
		float m = I[x][0];
		for (int y = 0; y < 13; y++)
			m = I[x][y] > m ? I[x][y] : m;
		for (int y = 0; y < 13; y++)
			T[x][y] = I[x][y] - m;
	}
	for (int i = 5; i >= 0; i -= 3)
		for (int j = 2; j < 9; j++) {
			G6[i][j + 1] += 6;
			G4[j / 4 + 1][j + i] = G4[8 - j][j];
		}
	for (int j = 0; j < 13; j++)
		for (int n = 0; n < 10; n++)
			V[n][j] = G6[n][j] - n;
	for (int j = 9; j >= 0; j--)
		for (int x = 0; x < 13; x++)
			X[j][x] = V[j][x] + G6[j][x];
}
END
exits 0 "a scalar among fused nests" "$LOOPC" --arch=tiny-2k --pareto --pareto-points=3 \
	--pareto-output=p.json rows.loop
if command -v python3 >/dev/null 2>&1; then
	ok "a scalar among fused nests: points are given back" python3 - <<'END'
import json, os, subprocess
for point in json.load(open('p.json'))['fronts'][0]['points']:
    open('point', 'w').write(point['schedule'])
    subprocess.run([os.environ['LOOPC'], '--arch=tiny-2k', '--schedule=point', '--report=r.json',
                    'rows.loop'], check=True)
    total = json.load(open('r.json'))['total']['total_bytes']
    assert total == point['traffic_bytes'], (total, point)
END
fi

# Energy of the points: a larger scratchpad costs more an access, and moves less.
printf 'name: priced\nscratchpad: { bytes: 600, align_bytes: 4 }\nenergy_pj: { mac: 1, register: 1, scratchpad: 2, scratchpad_sqrt: 0.5, dram_bit: 10, scratchpad_size: schedule }\n' >priced.yaml
exits 0 "energy" "$LOOPC" --arch=priced.yaml $sizes --pareto=memory,traffic --pareto-points=5 \
	--pareto-output=e.csv --pareto-output=p.json "$gemm"
has out 'energy \(uJ\)$' "energy: a column of the table"
if command -v python3 >/dev/null 2>&1; then
	ok "energy: what the report says of the same schedule" python3 - <<'END'
import json, os, subprocess
for point in json.load(open('p.json'))['fronts'][0]['points']:
    open('point', 'w').write(point['schedule'])
    subprocess.run([os.environ['LOOPC'], '--arch=priced.yaml', '--schedule=point', '--report=r.json',
                    '-D', 'M=11', '-D', 'N=9', '-D', 'K=7',
                    os.environ['top_srcdir'] + '/examples/blas/gemm.loop'], check=True)
    total = json.load(open('r.json'))['total']['energy']['total_pj'] / 1e6
    assert abs(total - point['energy_uj']) <= 1e-4 * total, (total, point['energy_uj'])
END
fi

# A network, fused and not.
network=$examples/networks/edges.loop
sizes='-D H=9 -D W=8'
for space in baseline tiling fusion-norecompute full; do
	exits 0 "$space" "$LOOPC" --arch=tiny-2k $sizes --pareto=memory,traffic --space=$space \
		--pareto-points=8 --pareto-output=$space.csv --pareto-output=p.json "$network"
	has p.json "\"space\": \"$space\"" "$space: JSON names it"
	replay "$space" tiny-2k $sizes "$network"
done
# Work that is repeated is the third objective; what a schedule repeats is not limited.
printf 'name: repeats\nscratchpad: { bytes: 2200, align_bytes: 8 }\n' >repeats.yaml
exits 0 "repeated work" "$LOOPC" --arch=repeats.yaml -D F=4 -D H=16 -D W=16 --space=full \
	--pareto=memory,traffic,macs --pareto-points=5 --pareto-output=p.json --pareto-output=m.csv \
	"$examples/networks/l2net.loop"
is "$(tail -n +2 m.csv | awk -F, '{ m[NR] = $3; t[NR] = $4; w[NR] = $5 } END {
	for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++)
		if (i != j && m[i] <= m[j] && t[i] <= t[j] && w[i] <= w[j]) print i, j }')" "" \
	"repeated work: no point is no better than another"
is "$(tail -n +2 m.csv | cut -d, -f5 | sort -n | uniq | wc -l | awk '{ print ($1 > 1) }')" 1 \
	"repeated work: some points have more of it"
replay "repeated work" repeats.yaml -D F=4 -D H=16 -D W=16 "$examples/networks/l2net.loop"

exits 0 "groups in whole banks" "$LOOPC" --arch="$top_srcdir/tests/e2e/machines/banked-1k.yaml" $sizes \
	--pareto=memory,traffic --fuse=auto --pareto-output=p.json "$network"
replay "groups in whole banks" "$top_srcdir/tests/e2e/machines/banked-1k.yaml" $sizes "$network"

# covers ONE OTHER: no point of OTHER is outside what ONE reaches.
covers()
{
	is "$(awk -F, 'FNR == 1 { next } NR == FNR { m[++n] = $3; t[n] = $4; next }
		{ for (i = 1; i <= n; i++) if (m[i] <= $3 && t[i] <= $4) next; print }' "$1" "$2")" "" \
		"$1 reaches what $2 reaches"
}
layer='-D M=11 -D N=9 -D K=7'
for space in baseline tiling full; do
	exits 0 "one nest, $space" "$LOOPC" --arch=small.yaml $layer --pareto=memory,traffic \
		--space=$space --pareto-output=nest-$space.csv "$gemm"
done
covers nest-tiling.csv nest-baseline.csv
covers nest-full.csv nest-tiling.csv

exits 0 "nest by nest" "$LOOPC" --arch=tiny-2k $sizes --pareto=memory,traffic --pareto-nests \
	--pareto-points=4 --pareto-output=n.csv "$network"
has out '^front of edges\.0 on tiny-2k: ' "nest by nest: the first"
is "$(tail -n +2 n.csv | cut -d, -f2 | sort -u | head -n 1)" "" "nest by nest: the whole is there too"

printf 'name: none\nscratchpad: { bytes: 2 }\n' >none.yaml
exits 3 "nothing fits" "$LOOPC" --arch=none.yaml $layer --pareto=memory,traffic "$gemm"
has err 'nothing fits' "nothing fits: message"
exits 2 "wrong objectives" "$LOOPC" $layer --pareto=traffic,time "$gemm"
exits 2 "wrong space" "$LOOPC" $layer --space=huge "$gemm"
has err 'space is baseline, tiling, fusion-norecompute or full' "wrong space: message"
exits 2 "a file without a front" "$LOOPC" $layer --pareto-output=x.csv "$gemm"
exits 2 "a file of no known kind" "$LOOPC" $layer --pareto=memory,traffic --pareto-output=x.png "$gemm"
for study in --pareto=memory,traffic --sweep=scratchpad:1K..2K --explain=strategies; do
	exits 2 "symbolic sizes: $study" "$LOOPC" --symbolic=M $layer $study "$gemm"
	has err 'compares schedules for sizes that are known' "symbolic sizes: $study: message"
done

# Other figures than bytes: of plans that were made.
sizes='-D M=30 -D N=28 -D K=26'
printf 'name: timed\nscratchpad: { bytes: 4096 }\ndma: { startup_cycles: 60, bytes_per_cycle: 4, channels: 2 }\n' >timed.yaml
printf 'core: { mac_cycles: 0.1 }\nenergy_pj: { mac: 1, register: 1, scratchpad: 6, dram: 200 }\n' >>timed.yaml
cat >trades.py <<'END'
import csv, itertools, json, os, subprocess, sys
figures, options = sys.argv[1].split(','), sys.argv[2:]
front = json.load(open('t.json'))['fronts'][0]
points = front['points']
assert len(points) >= 2 and front['plans'] >= len(points), (len(points), front['plans'])
rows = list(csv.DictReader(open('t.csv')))
assert [row['command_bytes'] for row in rows] == ['' if p['command_bytes'] is None else '%.17g' % p['command_bytes'] for p in points]
for one, other in itertools.permutations(points, 2):
    assert any(one[f] > other[f] for f in figures), (one, other)
for point in points:
    with open('point', 'w') as out:
        out.write(point['schedule'])
    subprocess.run([os.environ['LOOPC'], '--arch=timed.yaml', '--schedule=point', '--buffering=' + point['buffering'],
                    '--report=r.json', '-o', 'r.c'] + options, check=True, stdout=subprocess.DEVNULL)
    report = json.load(open('r.json'))
    total = report['total']
    made = {'memory': max(kernel['scratchpad']['used_bytes'] for kernel in report['kernels']),
            'traffic': total['total_bytes'], 'commands': total['commands'], 'macs': total['macs'],
            'cycles': total['time']['cycles'], 'energy': total['energy']['total_pj']}
    made['edp'] = made['energy'] * made['cycles']
    for figure in figures:
        assert abs(made[figure] - point[figure]) <= 1e-5 * point[figure], (figure, made, point)
print(len(points), 'points')
END
trades()
{
	exits 0 "a front of $1" "$LOOPC" --arch=timed.yaml $sizes --pareto="$1" --pareto-points=3 --pareto-output=t.json \
		--pareto-output=t.csv "$gemm"
	has out '^front of .* points of the [0-9]+ plans that were made$' "a front of $1: says of what"
	is "$(head -n 1 t.csv)" "function,$1,buffering,command_bytes" "a front of $1: columns"
	if command -v python3 >/dev/null 2>&1; then
		ok "a front of $1: none is as good as another, and plans have the figures" \
			python3 trades.py "$1" $sizes "$gemm"
	else
		skip "a front of $1: points" "no python3"
	fi
}
for figures in $(inputs "memory,cycles traffic,commands energy,cycles,commands" memory,cycles); do
	trades $figures
done
# the least cycles of all in all of the scratchpad are those of a compilation for cycles
"$LOOPC" --arch=timed.yaml $sizes --pareto=traffic,cycles --pareto-output=t.csv "$gemm" >out
"$LOOPC" --arch=timed.yaml $sizes --objective=cycles --report=r.json -o r.c "$gemm"
is "$(tail -n +2 t.csv | cut -d, -f3 | sort -n | head -n 1)" \
	"$(sed -n '/"total": {/,$s/.*"cycles": \([0-9]*\).*/\1/p' r.json | head -n 1)" "the least of a front is the least"
exits 0 "bytes in another order" "$LOOPC" --arch=small.yaml $sizes --pareto=traffic,memory --pareto-points=2 "$gemm"
has out 'scratchpad +traffic' "bytes in another order: a front that is proved"
exits 2 "a figure twice" "$LOOPC" --pareto=memory,memory "$gemm"
exits 2 "one figure" "$LOOPC" --pareto=cycles "$gemm"
exits 2 "no prices" "$LOOPC" --arch=small.yaml $sizes --pareto=memory,energy "$gemm"
has err 'pareto=memory,energy needs a machine that says prices of energy' "no prices: message"
exits 2 "a chart of other figures" "$LOOPC" --pareto=memory,cycles --pareto-output=t.svg "$gemm"
exits 2 "fronts of nests of other figures" "$LOOPC" --pareto=memory,cycles --pareto-nests "$gemm"
exits 2 "no points" "$LOOPC" $layer --pareto=memory,traffic --pareto-points=0 "$gemm"
finish
