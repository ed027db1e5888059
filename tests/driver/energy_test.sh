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
finish
