#!/bin/sh
# Time where a core computes: searched, bounded, and told.
. "$top_srcdir/tests/tap/tap.sh"

value_of()
{
	awk -v key="\"$1\":" '/"objective": \{/ { on = 1 } on && $1 == key { print $2 + 0; exit }' r.json
}

# A product, on two channels.
cat >product.loop <<'END'
#include <stdint.h>
void product(const int16_t A[64][64], const int16_t B[64][64], int16_t C[64][64])
{
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 64; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
machine()
{
	printf 'version: 2\nname: m\nscratchpad: { bytes: %s }\ndma: { startup_cycles: %s, bytes_per_cycle: 4, channels: 2 }\n%s' "$1" "$2" "$3" >m.yaml
}

# All fits: what comes first and what leaves last has nothing beside it.
cat >turned.loop <<'END'
#include <stdint.h>
void turned(const int16_t A[64][64], int16_t B[64][64])
{
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++)
			B[j][i] = A[i][j] * 3;
}
END
machine 64K 100 ''
exits 0 "all at once" "$LOOPC" --arch=m.yaml --objective=cycles --report=r.json -o r.c turned.loop
is "$(value_of lower_bound)" $((16384 / 4 + 100)) "the bus has nothing to do until something starts"
is "$(value_of value)" $((16384 / 4 + 200)) "what leaves starts behind what comes"
exits 0 "all at once, as the user wants" "$LOOPC" --arch=m.yaml --objective=cycles --buffering=single --report=r.json -o r.c turned.loop
is "$(value_of lower_bound)" $((16384 / 4 + 200)) "in single buffers that is what any schedule takes"

# Small tiles of double buffers hide starts that large ones of single buffers do not.
machine 8K 100 ''
exits 0 "for bytes" "$LOOPC" --arch=m.yaml --report=r.json -o r.c product.loop
bytes=$(awk '/"total": \{/ { on = 1 } on && $1 == "\"cycles\":" { print $2 + 0; exit }' r.json)
exits 0 "for cycles" "$LOOPC" --arch=m.yaml --objective=cycles --explain --verify --report=r.json --emit=c=r.c,schedule=product.sched product.loop
has out '^\* auto +what it takes ' "the way that weighs time is best"
has product.sched '^store . in . .*double$' "some buffer is double"
has product.sched '^store . in . .*single$|^store . outside$' "some is not"
ok "a fifth less than for bytes" test $((5 * $(value_of value))) -le $((4 * bytes))
exits 0 "in single buffers" "$LOOPC" --arch=m.yaml --objective=cycles --buffering=single -Rtime --explain --report=s.json -o r.c product.loop
has out '^[* ] single +what it takes ' "what the user says of buffers holds"
hasnt out ' (auto|double) ' "no others are tried"

# Energy times cycles, and sums of bytes and commands.
machine 4K 300 'core: { mac_cycles: 0.5 }
energy_pj: { mac: 4, register: 1, scratchpad: 6, dram: 200 }
'
exits 0 "energy times cycles" "$LOOPC" --arch=m.yaml --objective=edp --explain --report=r.json -o r.c product.loop
has out '^. auto +what it takes ' "it is searched"
ok "within a twentieth of what is possible" awk "BEGIN { exit !($(value_of value) <= 1.05 * $(value_of lower_bound)) }"
sed '/C\[i\]\[j\] = 0;/d' product.loop >update.loop
exits 0 "bytes and commands" "$LOOPC" --arch=m.yaml --objective=traffic+40*commands --report=r.json -o r.c update.loop
is "$(value_of lower_bound)" "$(value_of value)" "a search proves it"
has r.json '"scope": "searched"' "in what is searched"

# Several nests: apart where time is weighed.
cat >two.loop <<'END'
#include <stdint.h>
void two(const int16_t A[64][64], const int16_t B[64][64], int16_t C[64][64], int16_t D[64][64])
{
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 64; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++)
			D[i][j] = C[i][j] * 3;
}
END
exits 0 "two nests" "$LOOPC" --arch=m.yaml --objective=cycles --explain --verify --report=r.json -o r.c two.loop
has out '^. auto +what it takes +[0-9]+ +[0-9]+$' "their parts are chosen by time"
exits 0 "fused as the user wants" "$LOOPC" --arch=m.yaml --objective=cycles --fuse=all --explain -o r.c two.loop
hasnt out 'nests apart' "fused as the user wants: in all ways"

# With several threads all is the same.
"$LOOPC" --arch=m.yaml --objective=cycles -o one.c product.loop
"$LOOPC" --arch=m.yaml --objective=cycles -j 3 -o three.c product.loop
ok "threads make no difference" cmp one.c three.c

if command -v python3 >/dev/null 2>&1; then
	ok "nothing is below what bounds it" python3 -B "$top_srcdir/tests/passes/core_bound.py" "$LOOPC" 1 "$(inputs 24 6)" .
	ok "what is expected is about what is there" python3 -B "$top_srcdir/tests/passes/expected.py" "$LOOPC" 200 "$(inputs 30 8)" . core
fi
finish
