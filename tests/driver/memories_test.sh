#!/bin/sh
# Machines with several memories: what is chosen, printed, read back, emitted and verified; and what
# cannot be had, which is said.
. "$top_srcdir/tests/tap/tap.sh"

cat >two.yaml <<'END'
name: two
memories:
  - { name: data, bytes: 640, holds: [input, output] }
  - { name: weights, bytes: 96, holds: [weight, output] }
dma: { startup_cycles: 100 }
END
cat >conv.loop <<'END'
#include <stdint.h>
void conv(int K, int C, int P, int Q, int R, const int8_t I[C][P + R - 1][Q + R - 1],
          const int8_t W[K][C][R][R], int32_t O[K][P][Q])
{
	for (int k = 0; k < K; k++)
		for (int p = 0; p < P; p++)
			for (int q = 0; q < Q; q++) {
				O[k][p][q] = 0;
				for (int c = 0; c < C; c++)
					for (int r = 0; r < R; r++)
						for (int s = 0; s < R; s++)
							O[k][p][q] += I[c][p + r][q + s] * W[k][c][r][s];
			}
}
END
sizes="-D K=8 -D C=4 -D P=12 -D Q=12 -D R=3"
conv="$LOOPC --arch=two.yaml $sizes conv.loop"
# json EXPRESSION: of the report R in r.json
json() { python3 -c "import json; R = json.load(open('r.json')); K = R['kernels'][0]['scratchpad']; print($1)"; }
# bytes COMMAND...: what it moves
bytes() { "$@" -o /dev/null --report=r.json && json "R['total']['total_bytes']"; }

exits 0 "a convolution is verified" $conv --verify --report=r.json --emit=c=conv.c,h=conv.h,plan=conv.plan,schedule=conv.sched
is "$(json "R['kernels'][0]['search']['optimal'], R['arch']['memories'][1]['bytes'], [m['name'] for m in K['memories']]")" \
	"True 96 ['data', 'weights']" "the report names the memories"
is "$(json "sum(m['used_bytes'] for m in K['memories']) - K['used_bytes']")" 0 "what is used of all is what is used of each"
json "'\\n'.join('memory %s %s' % (b['array'], b['memory']) for b in K['buffers'])" | sort >reported
grep ^memory conv.sched | sort >printed
same reported printed "the schedule says where buffers lie, as the report does"
has conv.c 'lrt_memory\(1\)' "the second memory is found by its number"
has conv.h 'define CONV_DATA_BYTES' "the header says what is used of the first"
has conv.h 'define CONV_WEIGHTS_BYTES' "and of the second"
exits 0 "the plan is read back" "$LOOPC" conv.plan --emit=plan
same conv.plan out "as it was"
exits 0 "the schedule is read back" $conv --schedule=conv.sched --verify --emit=schedule
same conv.sched out "as it was"
cat >port.c <<'END'
#include "conv.h"
#include <stdlib.h>
int main(void)
{
	return lrt_memory(0) != lrt_scratchpad() || lrt_memory(1) == lrt_memory(0);
}
END
for port in memcpy threads trace checked; do
	ok "the $port port has both memories" sh -c "$CC -std=c99 -I'$top_srcdir/runtime' port.c \
		'$top_srcdir/runtime/$port.c' -o port -pthread -lm && ./port"
done

# All ways to give three arrays to the memories that may hold them, one by one.
free=$(bytes $conv)
best=
for output in data weights; do
	printf 'memory I data\nmemory W weights\nmemory O %s\n' $output >ways.sched
	way=$(bytes $conv --schedule=ways.sched)
	[ -n "$best" ] && [ "$best" -le "$way" ] || best=$way
done
is "$free" "$best" "the best of all ways is found"
printf 'memory I weights\n' >other.sched
exits 0 "an array may lie where its role does not" $conv --schedule=other.sched --verify --report
has out 'memory I weights' "if a line says so"
hasnt out 'optimal in the schedule space' "which may cost something"
awk '/for \(int k/ { print "#pragma loopc memory O weights" } { print }' conv.loop >pragma.loop
exits 0 "a pragma says it too" "$LOOPC" --arch=two.yaml $sizes pragma.loop --emit=schedule
has out '^memory O weights$' "and is obeyed"

# More memory is never worse, and one memory of all of it moves no more.
for m in '640 192' '1K 96' '2K 2K'; do
	sed "s/ 640/ ${m% *}/; s/ 96/ ${m#* }/" two.yaml >more.yaml
	more=$(bytes "$LOOPC" --arch=more.yaml $sizes conv.loop)
	ok "no more bytes with $m" test "$more" -le "$free"
done
printf 'name: one\nscratchpad: { bytes: 736 }\n' >one.yaml
one=$(bytes "$LOOPC" --arch=one.yaml $sizes conv.loop)
ok "none with one memory of as many bytes" test "$one" -le "$free"
printf 'name: one\nmemories: [ { name: all, bytes: 736, holds: [input, weight, output] } ]\n' >list.yaml
"$LOOPC" --arch=one.yaml $sizes conv.loop -o one.c
"$LOOPC" --arch=list.yaml $sizes conv.loop -o list.c
sed 's/one.yaml/list.yaml/' one.c >expected.c
same expected.c list.c "a list of one memory is a scratchpad"

# Sizes left to the run, double buffers, and nests without closed forms.
exits 0 "sizes left to the run" $conv --symbolic=P,Q --verify
exits 0 "double buffers" $conv --buffering=double --verify
exits 0 "as there is room" $conv --buffering=auto --verify
printf 'form isl\n' >isl.sched
exits 0 "regions that isl finds" $conv --schedule=isl.sched --verify --report=r.json
has r.json '"memory": "weights"' "lie in both"
exits 0 "double ones" $conv --schedule=isl.sched --buffering=double --verify

# What does not fit one of the memories.
sed 's/ 96/ 4/; s/weight, output/weight/; s/ 640/ 2/' two.yaml >small.yaml
exits 3 "nothing fits" "$LOOPC" --arch=small.yaml $sizes conv.loop
has err "nothing fits: no schedule of 'conv' needs at most what 'two' has: data 2, weights 4 bytes" "says what there is"
hasnt err 'the least that would do' "and nothing of a sum"
printf 'memory O weight\n' >wrong.sched
exits 1 "no such memory" $conv --schedule=wrong.sched
has err "'two' has no memory 'weight' in the schedule" "is said"
printf 'memory X weights\n' >wrong.sched
exits 1 "no such array" $conv --schedule=wrong.sched
has err "the nest has no array 'X' in the schedule" "is said"
printf 'memory O\n' >wrong.sched
exits 1 "no name" $conv --schedule=wrong.sched
has err "something is missing: 'memory ARRAY NAME' is wanted" "is said"
printf 'memory O weights\nmemory O data\n' >wrong.sched
exits 1 "two places" $conv --schedule=wrong.sched
has err "'memory O data' says again what was said before" "are said"
sed 's/memory weights bytes/memory data bytes/' conv.plan >wrong.plan
exits 1 "two memories of one name" "$LOOPC" wrong.plan --emit=c
has err 'each with a name of its own' "are refused in a plan"
sed 's/ memory weights offset 0 / memory weights offset 96 /' conv.plan >wrong.plan
exits 1 "a buffer outside its memory" "$LOOPC" wrong.plan --emit=c
has err 'is outside the weights' "is found"

# More ways to give arrays to memories than are tried: nothing is proved, and what was not tried is told.
{
	echo 'name: many'
	echo 'memories:'
	for m in a b c; do echo "  - { name: $m, bytes: BYTES, holds: [input, weight, output] }"; done
} >many.yaml
{
	printf 'void sum(int N'
	for a in A B C D E F G; do printf ', const float %s[N + %d]' $a "$(printf %d "'$a")"; done
	echo ', float O[N]) { for (int i = 0; i < N; i++) O[i] = A[i] + B[i] + C[i] + D[i] + E[i] + F[i] + G[i]; }'
} >sum.loop
sed 's/BYTES/64/' many.yaml >some.yaml
exits 0 "more ways than are tried" "$LOOPC" --arch=some.yaml -D N=100 sum.loop --verify
sed 's/BYTES/3/' many.yaml >none.yaml
exits 3 "nothing fits" "$LOOPC" --arch=none.yaml -D N=100 sum.loop
has err 'not all ways to give its arrays to the memories may have been tried' "says that there are more"

# Groups, merged nests and arrays that stay on chip.
cat >chain.loop <<'END'
void chain(int N, const float A[N], float B[N], float C[N])
{
	float T[N];
	for (int i = 0; i < N; i++)
		T[i] = A[i] * 2;
	for (int i = 0; i < N; i++)
		B[i] = T[i] + 1;
	for (int i = 0; i < N; i++)
		C[i] = B[i] + T[i];
}
END
chain="$LOOPC --arch=two.yaml -D N=100 chain.loop"
exits 0 "nests that share arrays" $chain --verify --report=r.json
is "$(json "R['total']['total_bytes'], R['functions'][0]['optimal']")" "1200 True" "move each of the caller's once"
printf 'nest chain.0\ncarry T\nmemory T weights\n' >carry.sched
exits 3 "a carried array in a memory that is too small" $chain --schedule=carry.sched
has err "'T' cannot stay on chip from the first nest that uses it to the last" "is refused"
printf 'nest chain.0\ncarry T\nmemory T data\n' >carry.sched
exits 0 "in one that is not" $chain --schedule=carry.sched --verify --report --emit=schedule=again.sched
has out 'T_carried +400 bytes at +[0-9]+ +\[100\]' "it has its place"
is "$(grep -c '^memory T data$' again.sched)" "$(grep -c '^carry T$' again.sched)" "which the schedules say"
cat >filters.loop <<'END'
#include <stdint.h>
void filters(const int16_t X[18][18], const int16_t K1[3][3], const int16_t K2[3][3], int16_t Y[14][14])
{
	int16_t T[16][16];
	for (int p = 0; p < 16; p++)
		for (int q = 0; q < 16; q++) {
			T[p][q] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					T[p][q] += X[p + r][q + s] * K1[r][s];
		}
	for (int p = 0; p < 14; p++)
		for (int q = 0; q < 14; q++) {
			Y[p][q] = 0;
			for (int r = 0; r < 3; r++)
				for (int s = 0; s < 3; s++)
					Y[p][q] += T[p + r][q + s] * K2[r][s];
		}
}
END
cat >three.yaml <<'END'
name: three
memories:
  - { name: inputs, bytes: 150, holds: [input] }
  - { name: weights, bytes: 36, holds: [weight] }
  - { name: sums, bytes: 160, holds: [output] }
END
filters="$LOOPC --arch=three.yaml filters.loop"
exits 0 "a group in three memories" $filters --verify --report=r.json --emit=schedule=f.sched,plan=f.plan
is "$(json "R['total']['total_bytes'], [b['memory'] for b in K['buffers']]")" \
	"$((18 * 18 * 2 + 36 + 14 * 14 * 2)) ['sums', 'inputs', 'weights', 'sums', 'weights']" \
	"moves nothing twice; what is between its nests lies with results"
exits 0 "its schedule is read back" $filters --schedule=f.sched --emit=schedule
same f.sched out "as it was"
exits 0 "and its plan" "$LOOPC" f.plan --emit=plan
same f.plan out "as it was"
printf 'nest filters.0-1\nfuse T\nmemory T inputs\n' >other.sched
exits 0 "it may lie with inputs, too" $filters --schedule=other.sched --verify --emit=schedule
has out '^memory T inputs$' "as a line says"
sed 's/memory K2 .*/memory K2 sums/' f.sched >other.sched
exits 0 "and others where their roles are not" $filters --schedule=other.sched --verify --emit=schedule
has out '^memory K2 sums$' "as a line says"
sed 's/memory T .*/memory T weights/' f.sched >other.sched
exits 3 "but not where there is no room" $filters --schedule=other.sched
has err "needs at most what 'three' has: inputs 150, weights 36, sums 160 bytes" "which is said"
printf 'nest filters.0-1\nfuse T\nmemory T sum\n' >wrong.sched
exits 1 "no such memory" $filters --schedule=wrong.sched
has err "'three' has no memory 'sum' in the schedule" "is said"

# A sweep: of all memories in proportion, or of one.
small="-D K=4 -D C=3 -D P=6 -D Q=6 -D R=3 conv.loop"
exits 0 "a sweep of all" "$LOOPC" --arch=two.yaml $small --sweep=scratchpad:184..736/1 --sweep-output=s.csv --sweep-output=s.json
has out '^ *all memories +least traffic' "says what it is of"
is "$(head -n 1 s.csv)" "scratchpad_bytes,total_bytes,lower_bound_bytes,compulsory_bytes,optimal,data_bytes,weights_bytes" "names the memories"
is "$(tail -n +2 s.csv | cut -d, -f1,6,7 | tr '\n' ' ')" "184,160,24 368,320,48 736,640,96 " "gives each its share"
exits 0 "a sweep of one" "$LOOPC" --arch=two.yaml $small --sweep=weights:12..96/1 --sweep-output=w.csv
is "$(tail -n +2 w.csv | cut -d, -f6,7 | tr '\n' ' ')" "640,12 640,24 640,48 640,96 " "leaves the others as they are"
for file in s w; do
	tail -n +2 $file.csv | while IFS=, read -r all total bound compulsory optimal data weights; do
		sed "s/ 640/ $data/; s/ 96/ $weights/" two.yaml >point.yaml
		"$LOOPC" --arch=point.yaml $small -o /dev/null --report=r.json 2>point.err
		[ $? -eq 3 ] && echo "$all,,,,,$data,$weights" ||
			json "','.join(map(str, ($all, R['total']['total_bytes'], R['total']['lower_bound_bytes'], $compulsory, 'true', $data, $weights)))"
	done >points
	tail -n +2 $file.csv >swept
	same swept points "each point of $file.csv is what a compilation for its sizes finds"
done
ok "more of it moves no more" awk -F, 'NR > 2 && $2 != "" && last != "" && $2 > last { exit 1 } { last = $2 }' w.csv
exits 2 "a sweep of no memory" "$LOOPC" --arch=two.yaml $small --sweep=weight:12..96
has err "'two' has no memory 'weight'" "is refused"

# A front: of the bytes of all memories.
exits 0 "a front" "$LOOPC" --arch=two.yaml $small --pareto --pareto-points=30 --pareto-output=f.json
has out '^ *point +all memories +traffic' "says what it is of"
cat >front.py <<'END'
import json, subprocess, sys
front = json.load(open('f.json'))['fronts'][0]
assert front['points'][0]['traffic_bytes'] == int(sys.argv[1])
for point in front['points'][:6]:
    open('p.sched', 'w').write(point['schedule'])
    subprocess.run(sys.argv[2:] + ['--schedule=p.sched', '--report=r.json', '-o', '/dev/null'], check=True)
    kernel = json.load(open('r.json'))['kernels'][0]
    assert kernel['traffic']['total_bytes'] == point['traffic_bytes']
    assert kernel['scratchpad']['used_bytes'] == point['memory_bytes']
END
if command -v python3 >/dev/null 2>&1; then
	ok "its points are schedules" python3 front.py "$(bytes "$LOOPC" --arch=two.yaml $small)" "$LOOPC" --arch=two.yaml $small
fi

# Strategies: no more than with one memory of the bytes that each of two has, and no less than with one of both.
for bytes in 128 256 512; do
	printf 'name: m\nscratchpad: { bytes: %d }\n' $bytes >less.yaml
	printf 'name: m\nscratchpad: { bytes: %d }\n' $((2 * bytes)) >more.yaml
	printf 'name: m\nmemories:\n  - { name: data, bytes: %d, holds: [input, output] }\n  - { name: weights, bytes: %d, holds: [weight] }\n' \
		$bytes $bytes >both.yaml
	for machine in less both more; do
		"$LOOPC" --arch=$machine.yaml $small --explain=strategies -o /dev/null 2>err |
			awk '$1 == "conv" { gsub(",", ""); for (i = 2; i <= 5; i++) print $i }' >$machine.strategies
	done
	ok "strategies in two memories of $bytes bytes" awk '
		FILENAME == "less.strategies" { less[FNR] = $1 }
		FILENAME == "both.strategies" { both[FNR] = $1; count = FNR }
		FILENAME == "more.strategies" && ((less[FNR] != "-" && (both[FNR] == "-" || both[FNR] + 0 > less[FNR] + 0)) \
			|| (both[FNR] != "-" && ($1 == "-" || both[FNR] + 0 < $1 + 0))) { bad = 1 }
		END { exit bad || count != 4 }' less.strategies both.strategies more.strategies
done
is "$(sed -n 4p both.strategies)" "$(bytes "$LOOPC" --arch=both.yaml $small)" "all of the space is what is compiled"
finish
