#!/bin/sh
# Processing elements: what schedules say of them, what is reported, and that it is what emitted code does.
# LOOPC_ELEMENTS=N: so many random nests.
. "$top_srcdir/tests/tap/tap.sh"

# A layer counted by hand: 156 of the 168 elements of Eyeriss take AlexNet's conv5.
cat >conv5.sched <<'END'
nest conv5
tile n 2
tile k 86
tile c 8
order k n c
serpentine n c
store I in c
store W in c slots 3
store O in n
spatial n x 2
spatial k x 3
spatial q x 2
spatial p y 13
register q 7
register r 3
register s 3
steps c k
hold I in c.step
hold W in k.step
hold O in n
END
exits 0 "conv5 of AlexNet" "$LOOPC" --arch=eyeriss-array --schedule=conv5.sched --report -o conv5.c \
	"$top_srcdir/examples/alexnet/conv5.loop"
has out '^  total .* 3,027,392$' "bytes of external memory"
has out '^  array: 156 of 168 elements, 478 of 520 bytes of registers, 33,024 steps,' "elements and registers"
has out '^    I +518,400 +0 ' "reads of the input, each step of c"
has out '^    W +884,736 +0 ' "reads of the weights, each step of k"
has out '^    O +0 +173,056 +173,056 +0$' "outputs are written once"
has out '^  energy: .*, network [0-9.]+ %, sums of neighbours 0\.0 %$' "prices of the network"
"$LOOPC" --arch=eyeriss-array --schedule=conv5.sched --report=report.json -o conv5.c \
	"$top_srcdir/examples/alexnet/conv5.loop"
has report.json '"registers_bytes_used": 478' "JSON: registers"
has report.json '"array_read_words": 518400' "JSON: words"
has report.json '"network_pj": 1' "JSON: energy"

exits 0 "conv5 is explained" "$LOOPC" --arch=eyeriss-array --schedule=conv5.sched --explain -o conv5.c \
	"$top_srcdir/examples/alexnet/conv5.loop"
has out '^    elements read 884,736 words \(2\.00 times\) and write 0 \(0\.00 times\); 46,006,272 come to' "W is explained"

# The same at a size that runs: sums across elements, windows that slide, what stays at a turn.
cat >small.sched <<'END'
nest conv5
tile n 1
tile k 4
tile c 4
tile p 5
order n k c p
spatial k x 2
spatial c y 2
register q 2
register r 3
register s 3
steps k p q c
serpentine k p.step q.step
hold I in q.step sliding
hold W in k.step
hold O in q.step
END
exits 0 "a small layer runs as predicted" "$LOOPC" --arch=eyeriss-array --schedule=small.sched --verify --report -o conv5.c \
	-D N=2 -D K=6 -D C=6 -D P=7 -D Q=5 "$top_srcdir/examples/alexnet/conv5.loop"
has out '^    O +[1-9][0-9,]+ +[1-9][0-9,]+ +[1-9][0-9,]+ +[1-9][0-9,]+$' "words of all kinds"

# ---- what cannot be ----

cat >in.loop <<'END'
#include <stdint.h>
void f(const int16_t A[8][8], const int16_t B[8][8], int32_t C[8][8], float D[8], const float E[8][8])
{
	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 8; j++)
			for (int k = 0; k < 8; k++)
				C[i][j] += A[i][k] * B[k][j];
	for (int n = 0; n < 8; n++)
		for (int m = 0; m < 8; m++)
			D[n] += E[n][m];
}
END
machine='version: 2\nname: m\nscratchpad: { bytes: 64K }\n'
# refused NAME MESSAGE LINE...: of nest f.0, whose tiles are given.
refused()
{
	refused_name=$1
	refused_message=$2
	shift 2
	{ printf 'nest f.0\ntile i 4\ntile j 8\ntile k 8\norder i\n'; printf '%s\n' "$@"; } >in.sched
	exits 1 "refused: $refused_name" "$LOOPC" --arch=m.yaml --schedule=in.sched -o out.c in.loop
	has err "^in\\.sched:6:.*$refused_message" "the message: $refused_name"
}
printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64, reduce: y }\n' >m.yaml
refused "an axis that is none" "x, y or free is wanted, not 'z'" 'spatial i z 2'
refused "no number" "'spatial LOOP x.y.free N' is wanted" 'spatial i x'
refused "a loop that is none" "no loop that can be tiled is called 'q'" 'register q 2'
refused "more than a tile has" "a tile of loop 'i' has 4 iterations: no element takes 5" 'register i 5'
refused "elements with nothing to do" "of 3 elements that take 2 each some have nothing to do" 'spatial i x 3' 'register i 2'
refused "too many elements" "no room for 1 times 4 elements along y" 'spatial i y 4'
refused "a shape that it has not" "a loop in space is on the axis x or y" 'spatial i free 2'
refused "sums along an axis that has none" "have sums of 'C' to add up, and the machine's array cannot" 'spatial k x 2'
refused "a loop of one step" "a tile of loop 'i' is one step" 'steps i j k' 'register i 4'
refused "a loop that is left out" "a tile of loop 'k' has several steps, and the line does not say" 'steps i j'
refused "a loop that is named twice" "names twice the loop 'i'" 'steps i i'
refused "a step that is none" "a tile of loop 'i' is one step: there is no loop over its steps to turn" 'serpentine i.step' 'register i 4'
refused "an array that is none" "the nest has no array 'X'" 'hold X in i'
refused "a place that does not move it" "loop 'j' does not move what elements hold of 'A'" 'hold A in j.step'
refused "a place that is none" "loop 'j' has no loop over tiles to hold 'B' in" 'hold B in j'
refused "two places" "the array is held in two places" 'hold A outside in i'
refused "slots without a turn" "registers cannot hold 'A' so" 'hold A in k.step slots 2'
refused "too few registers" "registers of an element have 64 bytes, and this needs" 'register k 8' 'register j 4'
printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64, shape: free }\n' >m.yaml
refused "an axis where there are none" "loops in space are 'free', on no axis" 'spatial i x 2'
printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64 }\ncore: { mac_cycles: 1 }\n' >m.yaml
refused "a core that computes" "how long these take is not told" 'spatial i x 2'
printf "$machine" >m.yaml
refused "no elements" "the machine has no processing elements" 'spatial i x 2'

printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64 }\n' >m.yaml
printf 'nest f.1\ntile n 8\ntile m 8\norder\nspatial m x 2\n' >in.sched
exits 0 "a sum of floating-point numbers" "$LOOPC" --arch=m.yaml --schedule=in.sched --verify -o out.c in.loop
exits 1 "refused: one that keeps its order" "$LOOPC" --arch=m.yaml --schedule=in.sched -fno-reassociate -o out.c in.loop
has err "^in\.sched:5:.*the iterations of loop 'm' need each other's results" "the message: one that keeps its order"

# arch MESSAGE KEYS: a machine file that is refused.
arch()
{
	printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64, %s }\n' "$2" >bad.yaml
	exits 1 "refused: $2" "$LOOPC" --arch=bad.yaml -o out.c in.loop
	has err "^bad\\.yaml:4:.*$1" "the message: $2"
}
arch "'pe_array.multicast' must be 'none', 'x', 'y' or 'any'" 'multicast: z'
arch "'pe_array.reduce' must be 'none', 'x', 'y' or 'any'" 'reduce: [x]'
arch "'pe_array.shape' must be 'rows' or 'free'" 'shape: round'
arch "'pe_array.registers' must be 'single', 'double' or 'overlapped'" 'registers: triple'
arch "'pe_array.multicast' must be 'none' or 'any' where 'shape' is 'free'" 'shape: free, multicast: x'

# A memory that adds what elements put there: no sums come back from it.
cat >gemm.loop <<'END'
#include <stdint.h>
void gemm(const int32_t A[12][16], const int32_t B[16][12], int32_t C[12][12])
{
	for (int i = 0; i < 12; i++)
		for (int j = 0; j < 12; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 16; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
gemm='nest gemm\ntile i 4\ntile k 8\norder i k\nspatial i x 4\nspatial k y 2\nregister k 2\nsteps k j\nhold C in j.step\n'
memories='version: 2\nname: m\nmemories:\n  - { name: operands, bytes: 2K, holds: [input, weight] }\n'
memories=$memories'  - { name: sums, bytes: 1K, holds: [output], accumulate: %s }\npe_array: { x: 4, y: 4, registers_bytes: 64 }\n'
for adds in false true; do
	printf "$memories" $adds >m.yaml
	printf "$gemm" >in.sched
	exits 0 "a memory for sums, accumulate: $adds" "$LOOPC" --arch=m.yaml --schedule=in.sched --verify --report gemm.loop
	[ $adds = true ] && words='0 +576 +576 +576' || words='432 +576 +1,008 +576'
	has out "^ +C +$words$" "of 576 words that leave, those come back"
done
"$LOOPC" --arch=m.yaml --schedule=in.sched --emit=plan -o in.plan gemm.loop
exits 0 "its plan is read" "$LOOPC" --emit=plan in.plan
same in.plan out "as it was"
sed 's/ accumulates$//' in.plan >bad.plan
exits 1 "a word that is added where none are" "$LOOPC" -o out.c bad.plan
has err 'a word of C is added in a memory that does not add' "the message: a word that is added"
printf "$gemm"'serpentine j.step\n' >in.sched
exits 0 "loops that turn" "$LOOPC" --arch=m.yaml --schedule=in.sched --verify --report gemm.loop
has out '^ +C +408 +552 +960 +552$' "keep what stays at a turn, and fetch the rest"
sed 's/int32_t/float/g' gemm.loop >float.loop
printf "$gemm" >in.sched
exits 0 "floating-point sums" "$LOOPC" --arch=m.yaml --schedule=in.sched --verify --report float.loop
has out '^ +C +0 +576 +576 +576$' "may have another rounding"
exits 0 "or not" "$LOOPC" -fno-reassociate --arch=m.yaml --verify --report float.loop
sed 's/C\[i\]\[j\] += A\[i\]\[k\] \* B\[k\]\[j\]/C[i][j] = C[i][j] > A[i][k] * B[k][j] ? C[i][j] : A[i][k] * B[k][j]/' gemm.loop >most.loop
printf "$gemm" | grep -v 'spatial k' >in.sched
exits 0 "what is no sum" "$LOOPC" --arch=m.yaml --schedule=in.sched --verify --report most.loop
has out '^ +C +[1-9][0-9,]* ' "comes back"

# Points of a front have tiles of their own.
printf 'nest f.0\nspatial i x 2\nregister k 4\n' >in.sched
printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64 }\n' >m.yaml
exits 3 "a front of tiles that elements cannot share" "$LOOPC" --arch=m.yaml --schedule=in.sched --pareto -o front in.loop
has err 'the front has no point that is as the schedule says' "the message: a front"
printf 'nest f.0\ntile i 8\ntile j 8\ntile k 8\norder\nspatial i x 2\nregister k 4\n' >in.sched
exits 0 "a front of tiles that they can" "$LOOPC" --arch=m.yaml --schedule=in.sched --pareto -o front in.loop

# A plan whose words move where nothing is.
{ printf 'nest f.0\ntile i 4\norder i\nspatial i x 2\n'; } >in.sched
printf "$machine"'pe_array: { x: 4, y: 2, registers_bytes: 64 }\n' >m.yaml
"$LOOPC" --arch=m.yaml --schedule=in.sched --emit=plan -o in.plan in.loop
exits 0 "a plan with elements is read" "$LOOPC" -o out.c in.plan
sed 's/^\( *move A_0\) at (/\1 at (100 + /' in.plan >bad.plan
exits 1 "a word outside its buffer" "$LOOPC" -o out.c bad.plan
has err 'a word moves at [0-9]+ of dimension 0 of buffer A_0' "the message: a word outside its buffer"
sed 's/^\( *move\) A_network \(.*to\) A_registers/\1 A_network \2 B_registers/' in.plan >bad.plan
exits 1 "a word that changes its array" "$LOOPC" -o out.c bad.plan
has err 'a word moves between buffers of one array' "the message: a word that changes its array"

sed 's/^\( *\)element i_element/\1step { element i_element/; s/^ *do S0 .*/& }/' in.plan >bad.plan
exits 1 "a step in a step" "$LOOPC" -o out.c bad.plan
has err 'a step of elements is inside another one' "the message: a step in a step"
sed '/^    elements /d; /^    words /d' in.plan >bad.plan
exits 1 "a step without elements" "$LOOPC" -o out.c bad.plan
has err 'a step of elements is in a nest that none compute' "the message: a step without elements"
sed 's/^\( *\)point i_element_moved/\1element i_element_moved/' in.plan >bad.plan
exits 1 "elements in no step" "$LOOPC" -o out.c bad.plan
has err 'loop i_element_moved over elements is in no step of them' "the message: elements in no step"
sed 's/^\( *\)do S0 .*/&\n\1wait 0/' in.plan >bad.plan
exits 1 "a wait in a step" "$LOOPC" -o out.c bad.plan
has err 'in a step elements compute, and nothing is moved or waited for' "the message: a wait in a step"

# ---- parts ----

# A core computes the parts of a nest, also where each is inside no loop of the others.
cat >parts.loop <<'END'
void f(const float A[5][4], const float B[4], float C[5], const float D[5])
{
	for (int i = 0; i < 5; i++) {
		C[i] = D[i];
		for (int k = 0; k < 4; k++)
			C[i] += A[i][k] * B[k];
	}
}
END
printf 'nest f\nform parts sequential 0\n' >parts.schedule
exits 0 "parts on a machine with elements" "$LOOPC" --arch=m.yaml --schedule=parts.schedule --verify --report -o out.c parts.loop
hasnt out '^  array: ' "parts: no elements compute them"

# ---- memories whose ports are slow ----

cat >ports.yaml <<'EOF'
version: 2
name: ports
memories:
  - { name: operands, bytes: 4K, holds: [input, weight], words_per_cycle: 2 }
  - { name: results, bytes: 2K, holds: [output], words_per_cycle: 0.5 }
dma: { startup_cycles: 20, bytes_per_cycle: 4 }
pe_array: { x: 4, y: 4, registers_bytes: 64, mac_cycles: 1 }
clock_hz: 1e9
EOF
cat >gemm.sched <<'EOF'
nest gemm
tile m 4
order m
store A in m
store B outside
store C in m
spatial m x 4
spatial n y 4
register n 2
steps n k
hold A in k.step
hold B in k.step
hold C in n.step
EOF
sed 's/, words_per_cycle: 0.5//' ports.yaml >fast.yaml
for machine in ports fast; do
	exits 0 "two memories, $machine" "$LOOPC" --arch=$machine.yaml -D M=40 -D N=30 -D K=20 --schedule=gemm.sched --verify \
		--report=$machine.json --emit=plan=$machine.plan "$top_srcdir/examples/blas/gemm.loop"
done
has ports.plan '^    pe_memory 1 0.5$' "a plan says what the second one's port does"
exits 0 "such a plan is read" "$LOOPC" --emit=plan=again.plan ports.plan
ok "and printed as it was" cmp ports.plan again.plan
# 1,200 results leave elements, in two cycles each instead of one
cycles()
{
	awk '/"total"/ { total = 1 } total && sub(/.*"cycles": /, "") { sub(/,.*/, ""); print; exit }' "$1"
}
is $(($(cycles ports.json) - $(cycles fast.json))) 1200 "results take a cycle more each"

# ---- what bypasses memories ----

cat >layer.loop <<'EOF'
#include <stdint.h>
void layer(const int16_t X[8][16][16], const int16_t W[16][8][3][3], int16_t Y[16][14][14])
{
	for (int k = 0; k < 16; k++)
		for (int p = 0; p < 14; p++)
			for (int q = 0; q < 14; q++) {
				Y[k][p][q] = 0;
				for (int c = 0; c < 8; c++)
					for (int r = 0; r < 3; r++)
						for (int s = 0; s < 3; s++)
							Y[k][p][q] += X[c][p + r][q + s] * W[k][c][r][s];
			}
}
EOF
# bypassing KEYS: a machine whose elements have these too
bypassing()
{
	printf 'version: 2\nname: m\nscratchpad: { bytes: 2K }\ndma: { startup_cycles: 100, bytes_per_cycle: 4 }\n'
	printf 'pe_array: { x: 4, y: 4, registers_bytes: 64, registers: single, mac_cycles: 1%s }\n' "$1"
	printf 'energy_pj: { mac: 1, register: 1, network: 2, scratchpad: 6, dram: 200 }\n'
}
bypassing ', bypass: [output]' >bypass.yaml
bypassing '' >plain.yaml
cat >bypass.sched <<'EOF'
nest layer
tile p 1
tile k 8
order p k
store Y in k
bypass Y
spatial k x 4
spatial q y 4
register k 2
register q 4
hold Y in k
EOF
exits 0 "sums leave from registers" "$LOOPC" --arch=bypass.yaml --schedule=bypass.sched --verify --report --report=r.json \
	--emit=c=layer.c,h=layer.h,plan=layer.plan,schedule=again.sched layer.loop
has out '^    Y +0 +3,136 +3,136 +0  bypasses memories$' "the table says so"
has out '^  bypass: 224 of 1,024 bytes used$' "and what registers of all elements hold of it"
is "$(python3 -c "import json; K = json.load(open('r.json'))['kernels'][0]; L = K['levels'][0]
print([a['name'] for a in L['arrays'] if a['bypass']], L['write_words'] * 2 == sum(a['read_bytes'] for a in K['traffic']['arrays']))")" \
	"['Y'] True" "nothing but what is read from outside is written into the scratchpad"
has layer.c 'lrt_memory\(1\)' "it is copied from and to a memory of its own"
has layer.h 'define LAYER_BYPASS_BYTES' "whose size the header has"
has again.sched '^bypass Y$' "the schedule says it"
hasnt again.sched '^memory' "and nothing of other memories, where there is one"
exits 0 "the schedule that is printed" "$LOOPC" --arch=bypass.yaml --schedule=again.sched --emit=c=again.c,plan=again.plan layer.loop
same layer.plan again.plan "makes the same plan"
exits 0 "the plan that is printed" "$LOOPC" --emit=plan=again.plan layer.plan
same layer.plan again.plan "is read back"

# value MACHINE OPTIONS: what traffic + 0.03 x scratchpad comes to
value()
{
	machine=$1
	shift
	"$LOOPC" --arch="$machine" --objective=traffic+0.03*scratchpad --verify --report=r.json -o /dev/null "$@" layer.loop || return
	python3 -c "import json; print(json.load(open('r.json'))['functions'][0]['objective']['value'])"
}
with=$(value bypass.yaml) without=$(value plain.yaml)
ok "what bypasses the scratchpad is found, and costs less: $with for $without" \
	python3 -c "import sys; sys.exit(not float('$with') < 0.95 * float('$without'))"
printf 'memory Y scratchpad\n' >told.sched
is "$(value bypass.yaml --schedule=told.sched)" "$without" "not where the schedule gives it a memory"

# refused WHAT LINES...: it cannot be, and what is said of it
refused()
{
	what=$1
	shift
	printf '%s\n' "$@" >wrong.sched
	exits 1 "refused: $what" "$LOOPC" --arch="$machine" --schedule=wrong.sched -o /dev/null layer.loop
	has err "$what" "it says why: $what"
}
machine=plain.yaml
refused "the elements of 'm' get nothing that bypasses memories" 'bypass Y'
machine=bypass.yaml
refused "input is none of them: 'X'" 'bypass X'
refused "the nest has no array 'Z'" 'bypass Z'
refused "'m' has no memory 'bypass'" 'memory Y bypass'
refused "registers are all that holds 'Y'" 'tile p 1' 'tile k 8' 'order p k' 'store Y in k' 'bypass Y' 'register k 2' \
	'spatial k x 2' 'hold Y in k.step'
refused "registers are all that holds 'Y'" 'tile p 1' 'tile k 8' 'order p k' 'store Y in k' 'bypass Y' 'hold Y in k slots 2'
exits 0 "Chen's machine" "$LOOPC" --arch=chen-1 --objective=traffic,scratchpad --verify --report -o out.c layer.loop
has out '^    Y +0 +3,136 .* bypasses memories$' "sums are in none of its buffers"
exits 0 "a cluster's cores" "$LOOPC" --arch=cluster-8 --verify --report -o out.c layer.loop
has out '^  array: [1-8] of 8 elements' "share the layer"
printf 'version: 2\nname: m\nscratchpad: { bytes: 2K }\npe_array: { x: 4, y: 4, registers_bytes: 0, bypass: [output] }\n' >none.yaml
exits 1 "no registers" "$LOOPC" --arch=none.yaml -o /dev/null layer.loop
has err "'pe_array.bypass' needs registers" "no registers: it says so"

# A tile of four million iterations can be shared in more ways than can be looked at.
cat >huge.yaml <<'END'
version: 2
name: m
scratchpad: { bytes: 1G }
dma: { startup_cycles: 10, bytes_per_cycle: 4 }
pe_array: { x: 1024, y: 3, registers_bytes: 64M, mac_cycles: 1 }
END
exits 0 "a huge tile" "$LOOPC" --arch=huge.yaml -D M=4000000 -D N=8 -D K=8 --effort=20000 --report=huge.json -o huge.c "$top_srcdir/examples/blas/gemm.loop"
is "$(python3 -c "import json; A = json.load(open('huge.json'))['kernels'][0]; print(A['array']['steps'] >= 1, A['search']['optimal'])")" "True True" \
	"the search ends"

# ---- random nests ----

if command -v python3 >/dev/null 2>&1; then
	ok "random nests" python3 -B "$top_srcdir/tests/passes/elements.py" "$LOOPC" 1 "${LOOPC_ELEMENTS:-$(inputs 25 8)}" .
	# What a search under lines of a schedule has shown says nothing of others: seed 8.
	ok "what bounds objectives" python3 -B "$top_srcdir/tests/passes/elements_bound.py" "$LOOPC" 1 "${LOOPC_ELEMENTS:-$(inputs 6 3)}" .
fi

# A bound that is reached is, in JSON too, though sums of prices are rounded.
cat >reached.loop <<'END'
#include <stdint.h>
void reached(int8_t C[2][3], const int16_t A[2][1], const int16_t B[1][3])
{
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 2; i++)
			for (int k = 0; k < 1; k++)
				C[i][j] += A[i][k] * B[k][j];
}
END
cat >reached.yaml <<'END'
version: 2
name: m
scratchpad: { bytes: 16 }
dma: { startup_cycles: 10 }
pe_array: { x: 1, y: 4, registers_bytes: 7, registers: single }
END
exits 0 "what is reached" "$LOOPC" --arch=reached.yaml --objective=traffic+0.1*scratchpad --report=reached.json -o /dev/null reached.loop
is "$(python3 -c "import json; A = json.load(open('reached.json'))['functions'][0]['objective']
print(A['value'] == A['lower_bound'], A['optimal'], A['gap'])")" "True True 0.0" "it is: no gap"
finish
