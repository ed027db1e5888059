#!/bin/sh
# How long processing elements take: by hand, as --verify and the trace port measure it, in reports and objectives.
. "$top_srcdir/tests/tap/tap.sh"

cat >product.loop <<'EOF'
#include <stdint.h>
void product(const int16_t A[4][4], const int16_t B[4][4], int16_t C[4][4])
{
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 4; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
EOF
# machine ARRAY SCRATCHPAD MORE: arrays of 32 bytes are copied in 8 cycles.
machine()
{
	printf 'version: 2\nname: m\nscratchpad: { bytes: 64K%s }\ndma: { bytes_per_cycle: 4 }\npe_array: { x: 4, y: 1, registers_bytes: 64, mac_cycles: 1%s }\n%b' \
		"$2" "$1" "$3" >m.yaml
}
# mapped LINE...: of whole tiles.
mapped()
{
	{ printf 'nest product\ntile i 4\ntile j 4\ntile k 4\norder\n'; printf '%s\n' "$@"; } >product.sched
}
# time_of NAME: of the total's time.
time_of()
{
	awk -v name="\"$1\":" '/"total": \{/ { on = 1 } on && $1 == name { print $2 + 0; exit }' r.json
}
# is_timed NAME CYCLES COMPUTE FILL STALL
is_timed()
{
	exits 0 "$1" "$LOOPC" --arch=m.yaml --schedule=product.sched --verify --report --report=r.json --explain -o product.c product.loop
	is "$(time_of cycles) $(time_of compute_cycles) $(time_of fill_drain_cycles) $(time_of stall_cycles)" "$2 $3 $4 $5" \
		"$1: cycles, computing, words, copies"
}

# Four elements have a row of A each, and all of a column of B: A and B are there after 16 cycles, and C leaves in 8.  The
# first step waits for the 16 words of A, each one computes for 4 cycles, and writes 4 words; B comes meanwhile.
mapped 'spatial i x 4' 'register j 1' 'register k 4' 'hold A outside' 'hold B in j.step'
machine '' '' ''
is_timed "rows" $((16 + 16 + 4 * (4 + 4) + 8)) 16 $((16 + 4 * 4)) 24
has out 'time: 72 cycles, 7.2e-05 ms: elements compute 22.2 %, wait for words 44.4 % and for copies 33.3 %, the bus is busy 33.3 %' \
	"the table for people"
has out '^  array: 4 of 4 elements, .* 33\.3 % used' "the share of elements is one of their time"
has out '^  72 cycles: the bus is busy in 24, elements compute in 16, words travel to and from them in 44, and 3 commands start for 0 .*: the network of elements takes most' \
	"what takes most is explained"

# Two of four iterations of k a step, of which an element holds two words of A and of B: 8 words of A are read.
mapped 'spatial i x 4' 'register k 2' 'steps j k' 'hold A in k.step' 'hold B in k.step'
machine ', registers: single' '' ''
# they come when all elements are done, as C leaves: 8, 2, 8, 2 for each column
is_timed "single registers" $((16 + 4 * 20 + 4 + 8)) 16 68 24
mapped 'spatial i x 4' 'register k 2' 'steps j k' 'hold A in k.step double' 'hold B in k.step double'
# they come since the step before began
is_timed "double registers" $((16 + 8 * 8 + 2 + 4 + 8)) 16 54 24
has out ', 18 of 64 bytes of registers' "double registers: two sets of them"
mapped 'spatial i x 4' 'register k 2' 'steps j k'
machine ', registers: overlapped' '' ''
is_timed "overlapped registers" $((16 + 8 * 8 + 2 + 4 + 8)) 16 54 24
has out ', 10 of 64 bytes of registers' "overlapped registers: one set of them"
exits 0 "the plan of overlapped registers" "$LOOPC" --arch=m.yaml --schedule=product.sched --emit=plan -o m.plan product.loop
exits 0 "the plan of overlapped registers is read" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps overlapped registers"
mapped 'spatial i x 4' 'register k 2' 'steps j k' 'hold A in k.step double' 'hold B in k.step double'
# one network: 10 words come one after the other
machine ', networks: { read: 1 }' '' ''
is_timed "one network" $((16 + 8 * 10 + 2 + 4 + 8)) 16 70 24
# the scratchpad gives a word a cycle: where C's 4 have left since, they were in the way
machine '' ', words_per_cycle: 1' ''
is_timed "a slow scratchpad" $((16 + 8 * 10 + 3 * 4 + 2 + 4 + 8)) 16 82 24
machine ', words_per_cycle: 2' '' ''
is_timed "fast networks" $((16 + 8 * 4 + 2 + 2 + 8)) 16 20 24
exits 0 "the plan" "$LOOPC" --arch=m.yaml --schedule=product.sched --emit=plan -o m.plan product.loop
exits 0 "the plan is read" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps the array's time"
has m.plan '^    pe_time 1 3 1 1 2 0$' "it says it"
has m.plan '^ *step {$' "it has steps"
has m.plan '^ *element i_element = 0 to 3 {$' "and elements"
sed 's/pe_time 1 3/pe_time 1 0/' m.plan >bad.plan
exits 1 "a plan without networks" "$LOOPC" -o product.c bad.plan
has err "an array's cycles, networks and words are above 0" "a plan without networks: says so"

# Four elements have an iteration of k each, and add up what they made: 4 words of A and B come, 3 are added up, 1 leaves.
mapped 'spatial k x 4' 'steps i j'
machine '' '' ''
is_timed "sums" $((16 + 4 + 16 * 5 + 8)) 16 68 24
# where sums leave double registers, what is made meanwhile does not wait for them: 3 cycles, and 1, beside the next words
mapped 'spatial k x 4' 'steps i j' 'hold C in j.step double'
is_timed "sums in double registers" $((16 + 4 * 16 + 1 + 4 + 8)) 16 53 24

# Elements of a machine whose core computes too: what they cannot is the core's, a triangle of 10 products here.
cat >two.loop <<'EOF'
#include <stdint.h>
void two(const int16_t A[4][4], int32_t s[4], int32_t t[4])
{
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < 4; k++)
			s[i] += A[i][k] * 2;
	for (int i = 0; i < 4; i++)
		for (int k = 0; k <= i; k++)
			t[i] += A[k][i] * 3;
}
EOF
printf 'nest two.0\ntile i 4\ntile k 4\norder\nspatial i x 4\nregister k 4\n' >two.sched
machine '' '' 'core: { mac_cycles: 3 }\n'
exits 0 "a core, and elements" "$LOOPC" --arch=m.yaml --fuse=never --schedule=two.sched --verify --report --report=r.json -o two.c two.loop
is "$(time_of compute_cycles)" $((4 + 10 * 3)) "a core, and elements: each computes its nest"
has out '^in all: time: .* core and elements compute' "a core, and elements: both are told of"
has out '^  time: .* the core computes' "a core, and elements: of each nest who computes it"
machine '' '' ''
exits 0 "a core beside elements" "$LOOPC" --arch=m.yaml --fuse=never --schedule=two.sched --verify --report=r.json -o two.c two.loop
is "$(time_of compute_cycles)" $((4 + 10)) "a core beside elements: as fast as one of them"

# ---- the trace port, and what others see ----

cat >main.c <<'EOF'
#include <stdint.h>
#include <stdio.h>
#include "loopc_trace.h"
void product(const int16_t A[4][4], const int16_t B[4][4], int16_t C[4][4]);
int main(void)
{
	static int16_t A[4][4], B[4][4], C[4][4];
	const lrt_trace_model model = { 0, 4.0, 1, 1e9, 0 };
	const lrt_trace_pe_array array = { 1, { 3, 1, 1 }, 1, { 1 } };
	lrt_trace_result result;
	lrt_trace_begin(&model, "trace.json");
	lrt_trace_elements(&array);
	product(A, B, C);
	result = lrt_trace_end();
	printf("%llu %llu %llu\n", (unsigned long long)result.cycles, (unsigned long long)result.compute_cycles,
		(unsigned long long)result.wait_cycles);
	return 0;
}
EOF
mapped 'spatial i x 4' 'register k 2' 'steps j k' 'hold A in k.step double' 'hold B in k.step double'
machine '' ', words_per_cycle: 1' ''
is_timed "traced" 122 16 82 24
# shellcheck disable=SC2086
ok "traced: builds" $CC -std=c99 -Wall -Wextra -Werror $SANITIZER_FLAGS -DLRT_TRACE_COMPUTE -I "$top_srcdir/runtime" -o traced \
	main.c product.c "$top_srcdir/runtime/trace.c" -lm
is "$(./traced)" "122 16 24" "the trace port says what was predicted"
has trace.json '"name":"elements"' "and draws elements"
ok "without it nothing is told" $CC -std=c99 -Wall -Wextra -Werror -I "$top_srcdir/runtime" -c -o plain.o product.c
printf 'version: 2\nname: m\nscratchpad: { bytes: 64K }\ndma: { startup_cycles: 1 }\npe_array: { x: 4, y: 1, registers_bytes: 64 }\n' >m.yaml
exits 0 "no time of elements" "$LOOPC" --arch=m.yaml --schedule=product.sched --verify --report --report=r.json -o product.c product.loop
hasnt product.c 'LRT_' "a machine that says none: the code has nothing of it"
hasnt r.json 'fill_drain_cycles' "a machine that says none: nor has the report"
has out 'of copies alone' "a machine that says none: time is of copies"

# ---- objectives ----

machine '' '' 'energy_pj: { mac: 1, register: 1, scratchpad: 6, dram: 200 }\n'
for objective in cycles edp energy; do
	exits 0 "the least $objective" "$LOOPC" --arch=m.yaml --schedule=product.sched --objective=$objective --verify --report=r.json \
		-o product.c product.loop
	has r.json "\"name\": \"$objective\"" "the least $objective is told"
done
# 64 multiply-accumulates by 4 elements take 16 cycles at least, copies 24.
exits 0 "a bound of time" "$LOOPC" --arch=m.yaml --schedule=product.sched --objective=cycles --report=r.json -o product.c product.loop
is "$(awk '/"objective": \{/ { on = 1 } on && $1 == "\"lower_bound\":" { print $2 + 0; exit }' r.json)" 24 "the bus takes longest"
sed 's/mac_cycles: 1/mac_cycles: 5/' m.yaml >slow.yaml
exits 0 "a bound of slow elements" "$LOOPC" --arch=slow.yaml --schedule=product.sched --objective=cycles --report=r.json -o product.c product.loop
is "$(awk '/"objective": \{/ { on = 1 } on && $1 == "\"lower_bound\":" { print $2 + 0; exit }' r.json)" 80 "elements take longest"

# What a search compares schedules by, copies and all.
exits 0 "what a search expects" "$LOOPC" --arch=m.yaml --objective=cycles -Rtime -o product.c product.loop
has err 'product.loop:4:2: remark: the search expected about [0-9]+ cycles of this nest.s schedule \[-Rtime\]' "it is a remark"
if command -v python3 >/dev/null 2>&1; then
	ok "is about what is there" python3 -B "$top_srcdir/tests/passes/expected.py" "$LOOPC" 1 "$(inputs 30 8)" .
fi
finish
