#!/bin/sh
# The energy of a schedule, in the report: from the counts beside it, by hand.
. "$top_srcdir/tests/tap/tap.sh"

cat >product.loop <<'END'
#include <stdint.h>
void product(const int16_t A[6][4], const int16_t B[4][5], int16_t C[6][5])
{
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 5; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 4; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
# A scratchpad of 20,000 bytes: 400 x 400 bits, 9.41 pJ an access.
machine()
{
	printf 'name: m\nscratchpad: { bytes: 20000 }\nenergy_pj: { mac: 10.2, register: 2.4, '
	printf 'scratchpad: 4.61, scratchpad_sqrt: 0.012, dram_bit: 70%s }\n' "$1"
}
# part NAME: of the total's energy, in picojoules.
part()
{
	awk -v name="\"$1\":" '/"total": \{/ { on = 1 } on && $1 == name { print $2 + 0; exit }' r.json
}

# All is moved once: A 24, B 20 words in, C 30 out; 120 multiply-accumulates.
machine '' >m.yaml
exits 0 "one bank" "$LOOPC" --arch=m.yaml --report --report=r.json product.loop
is "$(part mac_pj)" 1224 "one bank: 120 x 10.2"
is "$(part dram_pj)" 82880 "one bank: 74 words of 16 bits, 70 pJ a bit"
is "$(part scratchpad_pj)" 4930.84 "one bank: 4 x 120 + 44 accesses of 9.41"
is "$(part register_pj)" 0 "one bank: no register file"
is "$(part total_pj)" 89034.8 "one bank: the sum, to six digits"
has out 'energy: 0.08903 uJ: external memory 93.1 %, scratchpad 5.5 %, registers 0.0 %, multiply-accumulates 1.4 %' \
	"the table for people"

machine ', scratchpad_size: schedule' >m.yaml
exits 0 "sized by the schedule" "$LOOPC" --arch=m.yaml --report=r.json product.loop
# 148 bytes are in use
is "$(part scratchpad_pj)" "$(awk 'BEGIN { printf "%.6g", 524 * (4.61 + 0.012 * sqrt(148 * 8)) }')" \
	"sized by the schedule: 148 bytes are paid for"

machine ', bank_bits: 40000, bank_select: 0.5' >m.yaml
exits 0 "four banks" "$LOOPC" --arch=m.yaml --report=r.json product.loop
is "$(part scratchpad_pj)" "$(awk 'BEGIN { printf "%.6g", 524 * (4.61 + 0.012 * 200) * (1 + 0.5 * log(4)) }')" \
	"four banks"

# Registers for all three arrays: each word goes there once, 24 + 20 in and 30 out.
machine ', register_file_bytes: 148' >m.yaml
exits 0 "a register file" "$LOOPC" --arch=m.yaml --report=r.json --emit=plan -o m.plan product.loop
is "$(part register_pj)" 1152 "a register file: 4 x 120 accesses of 2.4"
is "$(part scratchpad_pj)" "$(awk 'BEGIN { printf "%.6g", (74 + 44) * 9.41 }')" \
	"a register file: 74 words between it and the scratchpad, 44 from outside"
exits 0 "the plan" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps the model"

machine ', register_file_bytes: 4' >m.yaml
exits 0 "too few registers" "$LOOPC" --arch=m.yaml --report=r.json product.loop
is "$(part scratchpad_pj) $(part register_pj)" "4930.84 0" \
	"too few registers: operands come from the scratchpad"

# Sizes that are known at run time only count as what they are tuned for.
cat >sized.loop <<'END'
#include <stdint.h>
void sized(int N, const int16_t A[N], int16_t B[N])
{
	for (int i = 0; i < N; i++)
		B[i] = A[i];
}
END
machine ', register_file_bytes: 148' >m.yaml
exits 0 "symbolic sizes" "$LOOPC" --arch=m.yaml --symbolic=N -D N=50 --report=r.json sized.loop
is "$(part dram_pj)" 112000 "symbolic sizes: 100 words of 16 bits"

printf 'name: m\nscratchpad: { bytes: 20000 }\n' >m.yaml
exits 0 "no prices" "$LOOPC" --arch=m.yaml --report --report=r.json product.loop
hasnt r.json energy "no prices: no energy in JSON"
hasnt out energy "no prices: none in the table"

# Prices by size: on the line through two sizes in logarithms, and outside the nearest line.
priced()
{
	printf 'version: 2\nname: m\nscratchpad: { bytes: %s }\n%s\nenergy_pj: { mac: 10, %s, dram: 1120 }\n' "$1" "$3" "$2" >m.yaml
}
# scratchpad BYTES: a price for 488 accesses and some more by hand, of a table for 4K, 1K and 16K in any order
for try in "4096 6" "1024 4" "2048 4.898979486" "16384 24" "512 3.265986324" "65536 96"; do
	priced "${try% *}" 'register: 1, scratchpad_by_bytes: { 4K: 6, 1K: 4, 16384: 24 }' ''
	exits 0 "a scratchpad of ${try% *}" "$LOOPC" --arch=m.yaml --report=r.json product.loop
	is "$(part scratchpad_pj)" "$(awk -v p="${try#* }" 'BEGIN { printf "%.6g", 524 * p }')" \
		"a scratchpad of ${try% *}: 4 x 120 + 44 accesses of ${try#* }"
done
priced 700 'register: 1, scratchpad_by_bytes: { 4K: 7 }' ''
exits 0 "one size" "$LOOPC" --arch=m.yaml --report=r.json product.loop
is "$(part scratchpad_pj)" 3668 "one size: its price is that of all"

# Registers of elements, all together and by role: a multiply-accumulate reads an input, a weight and an output, and writes that.
array='pe_array: { x: 2, y: 1, %smac_cycles: 1 }'
priced 20000 'register_by_bytes: { 64: 1, 256: 2 }, scratchpad: 3' "$(printf "$array" 'registers_bytes: 128, ')"
exits 0 "registers by size" "$LOOPC" --arch=m.yaml --report=r.json --verify product.loop
is "$(part register_pj)" "$(awk 'BEGIN { printf "%.6g", 480 * sqrt(2) }')" "registers by size: 4 x 120 accesses"
priced 20000 'register_by_bytes: { 64: 1, 256: 2 }, scratchpad: 3, leakage_pj_per_cycle: 7' "$(printf "$array" '')
registers: { input: 64, weight: 256, output: 16 }"
exits 0 "registers by role" "$LOOPC" --arch=m.yaml --report --report=r.json --verify --emit=plan=m.plan product.loop
is "$(part register_pj)" 480 "registers by role: 120 x (1 + 2 + 2 x 0.5)"
has out 'bytes of registers .input [0-9]+ of 64, weight [0-9]+ of 256, output [0-9]+ of 16.' "what each role has of them"
cycles=$(awk '/"cycles":/ { n = $2 + 0 } END { print n }' r.json)
is "$(part leakage_pj)" "$((7 * cycles))" "leakage is paid for each of the $cycles cycles that are measured"
has out 'leakage [0-9.]+ %' "and is told"
exits 0 "the plan" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps roles and prices"
exits 0 "least energy" "$LOOPC" --arch=m.yaml --report=r.json --objective=energy product.loop
exits 0 "a front" "$LOOPC" --arch=m.yaml --pareto product.loop
hasnt out energy "how long a point of a front runs is not known, and so what it leaks"

# A machine that pays for one access of registers a multiply-accumulate, that of the result: its price is that of its part.
priced 20000 'register_by_bytes: { 64: 1, 256: 2 }, scratchpad: 3' "$(printf "$array" 'register_accesses: 1, ')
registers: { input: 64, weight: 256, output: 16 }"
exits 0 "one access" "$LOOPC" --arch=m.yaml --report=r.json --emit=plan=m.plan product.loop
is "$(part register_pj)" 60 "one access: 120 x 0.5"
exits 0 "the plan" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps how many are paid for"
priced 20000 'register: 1, scratchpad: 3' "$(printf "$array" 'registers_bytes: 64, register_accesses: 3, ')"
exits 1 "three accesses" "$LOOPC" --arch=m.yaml product.loop
has err "'pe_array.register_accesses' must be 4 or 1, not 3" "three accesses: it says why"

# Several memories, each at the price of its size: A and B are in one, C in the other.
printf 'version: 2\nname: m\nmemories:\n  - { name: data, bytes: 1K, holds: [input, weight] }\n  - { name: sums, bytes: 256, holds: [output] }\n' >m.yaml
printf '%s\nenergy_pj: { mac: 1, register: 1, scratchpad_by_bytes: { 256: 2, 1K: 5 }, dram: 100 }\n' \
	"$(printf "$array" 'registers_bytes: 512, ')" >>m.yaml
exits 0 "two memories" "$LOOPC" --arch=m.yaml --report=r.json --verify --emit=plan=m.plan product.loop
# each word crosses either boundary once: 44 of operands, 30 of results
is "$(part scratchpad_pj)" "$((2 * 44 * 5 + 2 * 30 * 2))" "two memories: words of each at its price"
exits 0 "the plan" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text says in which memory words are"
sed 's/pe_array.*/core: { mac_cycles: 1 }/' m.yaml >core.yaml
exits 0 "a core" "$LOOPC" --arch=core.yaml --report=r.json product.loop
is "$(part scratchpad_pj)" "" "a core takes operands from several memories: what that costs is not known"
sed 's/scratchpad_by_bytes: .*1K: 5 }/scratchpad: 5/' core.yaml >alike.yaml
exits 0 "alike" "$LOOPC" --arch=alike.yaml --report=r.json product.loop
is "$(part scratchpad_pj)" 2620 "where all memories cost the same it is: 4 x 120 + 44 accesses"

# What bypasses the scratchpad makes it no larger, where its size is what is used of it.
printf 'version: 2\nname: m\nscratchpad: { bytes: 128 }\npe_array: { x: 2, y: 2, registers_bytes: 64, bypass: [output] }\n' >m.yaml
printf 'energy_pj: { mac: 1, register: 1, scratchpad: 0, scratchpad_sqrt: 0.5, scratchpad_size: schedule, dram: 100 }\n' >>m.yaml
printf 'bypass C\n' >m.sched
exits 0 "what bypasses" "$LOOPC" --arch=m.yaml --schedule=m.sched --report --report=r.json --verify product.loop
has out 'C .* bypasses memories$' "what bypasses: it does"
is "$(part scratchpad_pj)" "$(awk '/"name": "scratchpad"/ { on = 1 } on && $1 == "\"read_words\":" { w += $2 } on && $1 == "\"write_words\":" { w += $2 }
	$1 == "\"used_bytes\":" && !used { used = $2 + 0 } END { printf "%.6g", w * 0.5 * sqrt(8 * mine) }' mine="$(python3 -c "
import json; print(json.load(open('r.json'))['kernels'][0]['scratchpad']['memories'][0]['used_bytes'])")" r.json)" \
	"what bypasses: the size is that of the rest"

priced 2048 'register: 1, scratchpad_by_bytes: { 1: 1e-9, 2: 1e9 }' ''
exits 1 "prices without bounds" "$LOOPC" --arch=m.yaml product.loop
has err "^m.yaml:5:.*from 1 to 2 bytes 'energy_pj.scratchpad_by_bytes' changes with more than the size to the power of 4" "and their message"
finish
