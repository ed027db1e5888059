#!/bin/sh
# What --objective asks for: never worse than what is made for traffic, and told with a bound.
. "$top_srcdir/tests/tap/tap.sh"

cat >product.loop <<'END'
void product(const float A[40][30], const float B[30][50], float C[40][50])
{
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 50; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 30; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
kernel=product.loop
for objective in '' speed '+cycles' 'cycles,+traffic' 'cycles+' 'cycles,,traffic' '0*cycles' '-1*cycles' 'cycles+cycles' '3cycles' 'traffic*2' \
	'cycles,energy,edp,traffic,commands'; do
	exits 2 "no objective: '$objective'" "$LOOPC" --objective="$objective" -o o.c "$kernel"
	has err 'objective is traffic, commands, cycles, energy, edp or scratchpad' "no objective: '$objective': says what there is"
done
ok "no objective: nothing is written" test ! -e o.c
printf 'name: plain\nscratchpad: { bytes: 4096 }\n' >plain.yaml
exits 2 "a machine without a clock" "$LOOPC" --arch=plain.yaml --objective=cycles -o o.c "$kernel"
has err 'needs a machine that says what takes time: dma.startup_cycles, core.mac_cycles or pe_array.mac_cycles' "says what is missing"
exits 2 "a machine without prices" "$LOOPC" --arch=plain.yaml --objective=traffic+energy -o o.c "$kernel"
has err 'needs a machine that says prices of energy: energy_pj' "says which"
exits 2 "fronts are of traffic" "$LOOPC" --objective=cycles --pareto "$kernel"
exits 2 "so are sweeps" "$LOOPC" --objective=cycles --sweep=scratchpad:8K..16K "$kernel"
exits 0 "commands need neither" "$LOOPC" --arch=plain.yaml --objective=commands --report=r.json -o o.c "$kernel"
has r.json '"name": "commands"' "the report says what was asked for"
has o.c 'options: .*--objective=commands' "the emitted code says so"
exits 0 "traffic is the default" "$LOOPC" --report=r.json -o with.c --objective=traffic "$kernel"
hasnt r.json '"objective"' "traffic is no news"
exits 0 "traffic is the default: without" "$LOOPC" -o without.c "$kernel"
same with.c without.c "traffic is the default: the same code"

cat >slow.yaml <<'END'
name: slow
scratchpad: { bytes: 4096 }
dma: { bytes_per_cycle: 1e-6, clock_hz: 1 }
core: { mac_cycles: 1e9 }
clock_hz: 1e15
END
exits 0 "a time that no number holds" "$LOOPC" --arch=slow.yaml --objective=cycles --report --report=r.json -o o.c "$kernel"
has out 'objective=cycles: not known, as the run is too long to be walked' "a time that no number holds: says so"
has r.json '"value": null' "a time that no number holds: null"
exits 0 "nor is it measured" "$LOOPC" --arch=slow.yaml --verify -o o.c "$kernel"
hasnt err 'cycles' "nor is it measured: nothing is said of it"

cat >triangle.loop <<'END'
void triangle(const float L[40][40], const float x[40], float y[40])
{
	for (int i = 0; i < 40; i++)
		for (int j = 0; j <= i; j++)
			y[i] += L[i][j] * x[j];
}
END
exits 0 "words of elements where a core computes" "$LOOPC" --arch=eyeriss-array --objective=traffic+0.5*scratchpad --report -o o.c \
	triangle.loop
has out 'not known, as the core, and not the array, computes a nest' "words of elements where a core computes: says so"

# cycles_of FILE: of all that the report FILE is about
cycles_of()
{
	awk '/"total": \{/ { on = 1 } on && $1 == "\"cycles\":" { print $2 + 0; exit }' "$1"
}

# value_of FILE: of the objective that the report FILE is about
value_of()
{
	sed -n 's/^ *"value": \([^,]*\),$/\1/p' "$1"
}

# A controller that takes a command for each contiguous piece: rows that are short cost time.
printf 'name: rows\nscratchpad: { bytes: 4096 }\ndma: { startup_cycles: 100, bytes_per_cycle: 4, max_rank: 1 }\n' >rows.yaml
cat >layer.loop <<'END'
void layer(const short X[16][18][18], const short W[32][16][3][3], short Y[32][16][16])
{
	for (int k = 0; k < 32; k++)
		for (int p = 0; p < 16; p++)
			for (int q = 0; q < 16; q++)
				for (int c = 0; c < 16; c++)
					for (int r = 0; r < 3; r++)
						for (int s = 0; s < 3; s++)
							Y[k][p][q] += X[c][p + r][q + s] * W[k][c][r][s];
}
END
exits 0 "short rows: for traffic" "$LOOPC" --arch=rows.yaml --report=traffic.json -o o.c layer.loop
exits 0 "short rows: for cycles" "$LOOPC" --arch=rows.yaml --objective=cycles --verify --report=cycles.json -o o.c layer.loop
ok "short rows: a sixth of the cycles, or less" test $((6 * $(cycles_of cycles.json))) -le "$(cycles_of traffic.json)"

# Of two functions each is made as if it were alone.
sed 's/product/again/' product.loop | cat product.loop - >two.loop
exits 0 "two functions" "$LOOPC" --objective=cycles --emit=schedule -o two.txt two.loop
exits 0 "one of them" "$LOOPC" --objective=cycles --emit=schedule -o one.txt product.loop
sed 's/product/again/' one.txt | cat one.txt - >both.txt
same both.txt two.txt "two functions: each as if it were alone"

# What double buffers move is not called the least where single ones move less.
cat >chain.loop <<'END'
#include <stdint.h>
void chain(const int32_t X[3][4][2], const int32_t W[2][9], const int32_t V[4], int32_t O[3][4][4])
{
	int32_t T[3][4][9];
	for (int n = 0; n < 3; n++)
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 9; j++) {
				T[n][i][j] = V[i];
				for (int k = 0; k < 2; k++)
					T[n][i][j] += X[n][i][k] * W[k][j];
			}
	for (int n = 0; n < 3; n++)
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++) {
				O[n][i][j] = 0;
				for (int k = 0; k < 9; k++)
					O[n][i][j] += T[n][i][k] * T[n][j][k];
			}
}
END
cat >chain.yaml <<'END'
name: m
version: 2
scratchpad: { bytes: 250 }
dma: { startup_cycles: 50, bytes_per_cycle: 2, max_rank: 2, max_bytes: 100, burst_bytes: 16, burst_cycles: 1, duplex: true }
core: { mac_cycles: 3 }
END
exits 0 "a chain for traffic" "$LOOPC" --arch=chain.yaml --report -o o.c chain.loop
least=$(awk '$1 == "total" { print $NF; exit }' out)
exits 0 "a chain for cycles" "$LOOPC" --arch=chain.yaml --objective=cycles --report --emit=schedule -o chain.txt chain.loop
moved=$(awk '$1 == "total" { print $NF; exit }' out)
has chain.txt double "a chain for cycles: in double buffers"
ok "a chain for cycles: which move more" test "$moved" -gt "$least"
hasnt out '^  search: (optimal|the fewest)' "a chain for cycles: they are not called optimal"
has out '^  search: .* more bytes than' "a chain for cycles: the search tells of bytes"

# Nests are fused for fewer bytes, which may be many more commands: then they stay apart.
cat >apart.loop <<'END'
#include <stdint.h>
void apart(int32_t A[7][8][8], int32_t B[7][8][8])
{
	for (int i = 0; i < 7; i++)
		for (int j = 1; j < 8; j++)
			for (int k = 0; k < 8; k++)
				A[i][j][k] = A[i][j][k] + A[i][j - 1][k];
	for (int i = 0; i < 7; i++)
		for (int j = 0; j < 8; j++)
			for (int k = 0; k < 8; k++)
				B[i][j][k] = A[6 - i][j][k];
}
END
cat >apart.yaml <<'END'
name: apart
version: 2
scratchpad: { bytes: 512 }
dma: { max_rank: 2, channels: 4, startup_cycles: 4, bytes_per_cycle: 4 }
END
for figure in commands cycles traffic,commands; do
	for buffering in single double; do
		for fuse in never auto; do
			exits 0 "$figure, $buffering buffers, fused $fuse" "$LOOPC" --arch=apart.yaml --objective=$figure --buffering=$buffering \
				--fuse=$fuse --report=$fuse.json --explain --verify --emit=schedule=$fuse.txt,c=$fuse.c apart.loop
		done
		ok "$figure, $buffering buffers: never more where nests may be fused" test "$(value_of auto.json)" -le "$(value_of never.json)"
		exits 0 "$figure, $buffering buffers: given back" "$LOOPC" --arch=apart.yaml --objective=$figure --buffering=$buffering \
			--schedule=auto.txt --emit=schedule=again.txt,c=again.c apart.loop
		same auto.txt again.txt "$figure, $buffering buffers: the same schedule"
		[ "$figure" = commands ] && cat auto.txt >>schedules
	done
done
hasnt schedules '^fuse' "fewest commands are those of nests apart"
exits 0 "what was tried" "$LOOPC" --arch=apart.yaml --objective=commands --explain -o o.c apart.loop
has out '^\* single +1e' "what was tried: commands at a high price, which was taken"

# A list is judged by its first figure: what a search has shown of that is told.
exits 0 "the fewest bytes, then cycles" "$LOOPC" --objective=traffic,cycles --report -o o.c "$top_srcdir/examples/alexnet/conv3.loop"
has out "objective=traffic,cycles: 4571040, and nothing less is in the schedules and mappings that are searched" "fewest bytes are proved"

traffic=0 best=0
for layer in conv3_1 conv4_2 conv5_1; do
	source=$top_srcdir/examples/vgg16/$layer.loop
	exits 0 "$layer for traffic" "$LOOPC" --report=traffic.json -o o.c "$source"
	exits 0 "$layer for cycles" "$LOOPC" --objective=cycles --report --report=cycles.json -o o.c "$source"
	has out 'objective=cycles: [0-9]*; nothing below [0-9]* is in the schedules and mappings that are searched, [0-9.]* % above that' \
		"$layer: how far above what is possible"
	one=$(cycles_of traffic.json) other=$(cycles_of cycles.json)
	ok "$layer: no more cycles than for traffic" test "$other" -le "$one"
	is "$(value_of cycles.json)" "$other" "$layer: the value is those cycles"
	traffic=$((traffic + one)) best=$((best + other))
done
exits 0 "the ways that were tried" "$LOOPC" --objective=cycles --explain -o o.c "$source"
has out '^  2,508,312 cycles: the bus is busy in 2,50[0-9],[0-9]*,.*: the bus takes most$' "what takes most of the time"
has out "^\* [a-z]* +what it takes +[0-9]+ +$other\$" "the way that was taken, with what it comes to"
is "$(grep -cE '^[* ] [a-z]+ +([0-9.]+ bytes|what it takes) ' out)" "$(sed -n 's/.* was made in \([0-9]*\) ways.*/\1/p' out)" \
	"the others beside it"
ok "three layers take a fifth less time" test $((best * 5)) -le $((traffic * 4))

# What leads to the same at 60 and at 240 bytes a command does so at 120.
cat >between.yaml <<'END'
version: 2
name: m
scratchpad: { bytes: 108K }
dma: { startup_cycles: 30, bytes_per_cycle: 8 }
core: { mac_cycles: 0.05 }
END
exits 0 "a price between" "$LOOPC" --arch=between.yaml --objective=cycles --explain -o o.c "$top_srcdir/examples/alexnet/conv3.loop"
is "$(sed -n 's/^[* ] *single *\([0-9]*\) bytes.*/\1/p' out | tr '\n' ' ')" "0 60 240 " "a price between: not tried"
is "$(sed -n 's/^[* ] *single *\(60\|240\) bytes *//p' out | sort -u | wc -l)" 1 "a price between: what is beside it is the same"

# By itself this search ends at two million points.
cat >product.loop <<'END'
void product(float C[512][512], const float A[512][512], const float B[512][512])
{
	for (int i = 0; i < 512; i++)
		for (int j = 0; j < 512; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 512; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
exits 0 "a larger effort" "$LOOPC" --arch=dmazerunner-256 --objective=energy --effort=2600000 --report=effort.json -o o.c product.loop
is "$(python3 -c "import json; print(json.load(open('effort.json'))['kernels'][0]['search']['points'] > 2500000)")" True \
	"a larger effort: is made"

exits 0 "random programs, machines and objectives" \
	python3 -B "$top_srcdir/tests/driver/objectives.py" "$LOOPC" 6000 "$(inputs 5 2)"
has out ' 0 failed' "random programs: none failed"
finish
