#!/bin/sh
# How long a run takes, in the report: by hand for small ones, and as measured for random ones.
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
# machine DMA MORE: 20,000 bytes, where all is moved once.
machine()
{
	printf 'name: m\nscratchpad: { bytes: 20000 }\ndma: { %s }\n%s\n' "$1" "$2" >m.yaml
}
# time_of NAME: of the total's time.
time_of()
{
	awk -v name="\"$1\":" '/"total": \{/ { on = 1 } on && $1 == name { sub(/,/, "", $2); print $2; exit }' r.json
}
# is_timed NAME CYCLES COMPUTE STALL DMA
is_timed()
{
	exits 0 "$1" "$LOOPC" --arch=m.yaml --verify --report --report=r.json -o product.c product.loop
	is "$(time_of cycles) $(time_of compute_cycles) $(time_of stall_cycles) $(time_of dma_cycles)" \
		"$2 $3 $4 $5" "$1: cycles, computing, waiting, bus"
}

# A 48 bytes and B 40 in, 120 multiply-accumulates, C 60 bytes out.
machine 'startup_cycles: 10, bytes_per_cycle: 4' ''
is_timed "one channel" $((10 + 12 + 10 + 10 + 10 + 15)) 0 67 37
machine 'startup_cycles: 10, bytes_per_cycle: 4, channels: 2' ''
is_timed "B starts while A is copied" $((10 + 12 + 10 + 10 + 15)) 0 57 37
machine 'startup_cycles: 10, bytes_per_cycle: 4, channels: 2' 'core: { mac_cycles: 0.5 }
clock_hz: 100e6'
is_timed "the core computes" $((10 + 12 + 10 + 60 + 10 + 15)) 60 57 37
has out 'time: 117 cycles, 0.00117 ms: the core computes 51.3 % and waits 48.7 %, the bus is busy 31.6 %' \
	"the table for people"
# A command of 48 bytes: (10 + 12) / 4 of the core's cycles, 6 whole ones.
machine 'startup_cycles: 10, bytes_per_cycle: 4, clock_hz: 400e6' 'clock_hz: 100e6'
is_timed "the DMA engine's clock is faster" $((6 + 5 + 7)) 0 18 $((3 + 3 + 4))
exits 0 "the plan" "$LOOPC" --arch=m.yaml --emit=plan -o m.plan product.loop
exits 0 "the plan is read" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps the clocks"

# Bursts of 16 bytes, none across rows: of A and B, whole arrays, 3 and 3 of them, of C 4; 3 cycles each, 1 of a put.
machine 'startup_cycles: 10, write_startup_cycles: 20, bytes_per_cycle: 8, burst_bytes: 16, burst_cycles: 3, write_burst_cycles: 1' ''
is_timed "bursts" $((10 + 15 + 10 + 14 + 20 + 12)) 0 81 $((15 + 14 + 12))
exits 0 "the plan of bursts" "$LOOPC" --arch=m.yaml --emit=plan -o m.plan product.loop
exits 0 "the plan of bursts is read" "$LOOPC" --emit=plan -o again.plan m.plan
same m.plan again.plan "the plan's text keeps bursts"
machine 'startup_cycles: 10, burst_cycles: 3' ''
exits 1 "bursts of no size" "$LOOPC" --arch=m.yaml -o product.c product.loop
has err "'dma.burst_cycles' needs 'dma.burst_bytes'" "bursts of no size: says what is missing"

# The trace port says the same of the code that users build, if it is told to count: on each machine CLOCKS are
# what its model has.
cat >main.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include "loopc_trace.h"
void product(const int16_t A[6][4], const int16_t B[4][5], int16_t C[6][5]);
int main(void)
{
	static int16_t A[6][4], B[4][5], C[6][5];
	const lrt_trace_model model = { 10, 4.0, CHANNELS, 100e6, 0 };
	const lrt_trace_dma dma = { DMA_HZ, 10, 0, 0, 0, 0, 0 };
	lrt_trace_result result;
	lrt_trace_begin(&model, NULL);
	lrt_trace_dma_engine(&dma);
	lrt_trace_core(MAC_CYCLES);
	product(A, B, C);
	result = lrt_trace_end();
	printf("%llu %llu %llu\n", (unsigned long long)result.cycles,
		(unsigned long long)result.compute_cycles, (unsigned long long)result.wait_cycles);
	return 0;
}
END
# traced BYTES CHANNELS DMA_HZ MAC_CYCLES OPTION
traced()
{
	printf 'name: m\nscratchpad: { bytes: %s }\ndma: { startup_cycles: 10, bytes_per_cycle: 4, channels: %s, clock_hz: %s }\ncore: { mac_cycles: %s }\nclock_hz: 100e6\n' \
		"$1" "$2" "$3" "$4" >m.yaml
	exits 0 "traced $*" "$LOOPC" --arch=m.yaml "$5" --report=r.json -o product.c product.loop
	# shellcheck disable=SC2086
	ok "traced $*: builds" $CC -std=c99 -Wall -Wextra -Werror $SANITIZER_FLAGS -DLRT_TRACE_COMPUTE -DCHANNELS="$2" \
		-DDMA_HZ="$3" -DMAC_CYCLES="$4" -I "$top_srcdir/runtime" -o traced main.c product.c \
		"$top_srcdir/runtime/trace.c" -lm
	is "$(./traced)" "$(time_of cycles) $(time_of compute_cycles) $(time_of stall_cycles)" \
		"traced $*: as predicted"
}
traced 20000 2 100e6 0.5 --buffering=single
traced 60 1 100e6 2 --buffering=single
traced 60 3 250e6 0.3 --buffering=double
ok "without it nothing is counted" $CC -std=c99 -Wall -Wextra -Werror -I "$top_srcdir/runtime" -c -o plain.o product.c

machine 'bytes_per_cycle: 4' 'clock_hz: 100e6'
exits 0 "no clock" "$LOOPC" --arch=m.yaml --verify --report=r.json -o product.c product.loop
hasnt r.json '"time"' "a machine on which nothing takes time says none"
machine 'startup_cycles: 1' 'core: { }'
exits 1 "nothing of the core" "$LOOPC" --arch=m.yaml -o product.c product.loop
has err "'core.mac_cycles' is missing" "nothing of the core: says so"

# Rows of A in two tiles each, of 256 bytes: 74 cycles to come, 128 to be computed with.  Each but the first comes
# meanwhile, also from one row to the next.  What is waited for: x (26), the first y (18) and A behind the next y
# (18 + 74), and y, 18 each time it leaves.
cat >mv.loop <<'END'
void mv(const float A[128][16], const float x[16], float y[128])
{
	for (int i = 0; i < 128; i++)
		for (int k = 0; k < 16; k++)
			y[i] += A[i][k] * x[k];
}
END
cat >mv.sched <<'END'
nest mv
tile i 8
tile k 8
order i k
store A in k double
store x outside
store y in i double
END
machine 'startup_cycles: 10, bytes_per_cycle: 4, max_rank: 2' 'core: { mac_cycles: 2 }'
exits 0 "runs of two tiles" "$LOOPC" --arch=m.yaml --schedule=mv.sched --verify --report=r.json -o mv.c mv.loop
is "$(time_of cycles)" $((32 * 128 + 26 + 18 + 18 + 74 + 16 * 18)) "double buffers ask ahead from run to run"

# A billion visits, of which hardly any is walked.  A and B come one after the other, 6 cycles each, but for A where k turns,
# and B where n does, too; C comes and leaves.
cat >mm.loop <<'END'
void mm(const float A[1000][1000], const float B[1000][1000], float C[1000][1000])
{
	for (int m = 0; m < 1000; m++)
		for (int n = 0; n < 1000; n++)
			for (int k = 0; k < 1000; k++)
				C[m][n] += A[m][k] * B[k][n];
}
END
cat >mm.sched <<'END'
nest mm
tile m 1
tile n 1
tile k 1
order m n k
serpentine n k
store A in k
store B in k
store C in n
END
machine 'startup_cycles: 5, bytes_per_cycle: 4'
exits 0 "a long run" "$LOOPC" --arch=m.yaml --schedule=mm.sched --report=r.json -o mm.c mm.loop
is "$(time_of cycles)" $((12 * 1000 * 1000 * 1000 - 6 * (1000 * 999 + 999) + 12 * 1000 * 1000)) "a run of a billion tiles has a time"

exits 0 "random programs on random machines take as long as predicted" \
	python3 -B "$top_srcdir/tests/driver/times.py" "$LOOPC" 4000 "$(inputs 15 5)"
has out ' 0 failed' "random programs: none failed"

# A run that is too long to be told ends the walk of its plan; if not, sanitizers see sums overflow.
printf 'version: 2\nname: m\nscratchpad: { bytes: 64 }\ndma: { startup_cycles: 1000000000, bytes_per_cycle: 1, clock_hz: 3e8 }\nclock_hz: 1e15\n' >long.yaml
cat >long.loop <<'END'
void f(int A[100000])
{
	for (int i = 0; i < 100000; i++)
		A[i] += 1;
}
END
exits 0 "a very long run" "$LOOPC" --arch=long.yaml --report -o long.c long.loop
hasnt out '-[0-9]* cycles' "no time that wrapped"
finish
