#!/bin/sh
# What --emit=schedule prints says everything: given back, it makes the same code and
# prints the same schedule.  Kernels of all forms on a scratchpad of 512 bytes and one of
# 2 KB, and random programs.
. "$top_srcdir/tests/tap/tap.sh"
machines=$top_srcdir/tests/e2e/machines

# replays EXAMPLE MACHINE OPTIONS...: with the size of examples/sizes.txt.
replays()
{
	name="$1 on $2${3:+, $3}"
	defines=$(sed -n "s|^$1.loop ||p" "$top_srcdir/examples/sizes.txt" | sed 's/[^ ]*=/-D &/g')
	source=$top_srcdir/examples/$1.loop
	machine=$machines/$2.yaml
	[ -e "$machine" ] || machine=$2
	shift 2
	# shellcheck disable=SC2086
	ok "$name" "$LOOPC" --arch="$machine" $defines "$@" --emit=schedule=first,c=first.c "$source"
	# shellcheck disable=SC2086
	ok "$name: given back" "$LOOPC" --arch="$machine" $defines "$@" --schedule=first \
		--emit=schedule=again,c=again.c "$source"
	same first again "$name: the same schedule"
	grep -v '^ \* options' first.c >first.text
	grep -v '^ \* options' again.c >again.text
	same first.text again.text "$name: the same code"
	cat first >>forms
}

replays polyhedral/adi unified-512
replays polyhedral/gramschmidt unified-512
replays polyhedral/ludcmp unified-2k
replays polyhedral/symm unified-512
replays polyhedral/syr2k unified-2k
replays polyhedral/floyd-warshall unified-512
replays conv/padded unified-512 --buffering=auto
replays blas/gemm unified-2k --buffering=auto
replays blas/gemm_update unified-2k --buffering=double
replays conv/grouped banked-1k --buffering=double
replays networks/edges unified-2k --fuse=all
replays networks/resnet_basic unified-2k --fuse=auto
replays networks/resnet_downsample tiny-2k --fuse=auto --recompute=allowed

# Ways with other buffers are tried again: what is single has to stay so.
cat >timed-512.yaml <<'END'
name: timed-512
memories:
  - { name: scratchpad, bytes: 512, holds: [input, weight, output] }
dma: { startup_cycles: 20, bytes_per_cycle: 4, max_rank: 3 }
core: { mac_cycles: 2 }
clock_hz: 1e8
END
replays blas/gemm_int8 ./timed-512.yaml --objective=cycles

has forms '^form parts' "a nest whose parts have schedules of their own was among them"
has forms '^form.* sequential' "one with loops in order was"
has forms '^form.* apart' "one with reference groups apart was"
has forms '^store .*:1 ' "a buffer of such a group was"
has forms '^fuse ' "a group was"
has forms ' double$' "a double buffer was"
has forms ' single$' "a single one beside it was"

if command -v python3 >/dev/null 2>&1; then
	ok "random programs" python3 -B "$top_srcdir/tests/passes/replay.py" "$LOOPC" 100 "$(inputs 124 108)"
else
	skip "random programs" "no python3"
fi

# What is found in less scratchpad has double buffers in all there is.
cat >diagonals.loop <<'END'
#include <stdint.h>
void diagonals(const int64_t A[5][8], int64_t B[5])
{
	for (int i = 0; i < 5; i++)
		B[i] = A[i][i] + A[4 - i][i];
}
END
printf 'name: m\nscratchpad: { bytes: 440 }\n' >m.yaml
ok "found in less" "$LOOPC" --arch=m.yaml --buffering=auto --emit=schedule=first diagonals.loop
has first '^store A in i double$' "found in less: a double buffer"
ok "found in less: given back" "$LOOPC" --arch=m.yaml --buffering=auto --schedule=first \
	--emit=schedule=again diagonals.loop
same first again "found in less: the same schedule"

# What a text says wrongly is told where it says it.
cat >sum.loop <<'END'
void sum(const float A[8][9], float B[8])
{
	for (int i = 0; i < 8; i++) {
		B[i] = 0;
		for (int j = 0; j < 9; j++)
			B[i] += A[i][j];
	}
}
END
# wrong TEXT MESSAGE
wrong()
{
	printf 'nest sum\n%s\n' "$1" >wrong.schedule
	exits 1 "wrong: $1" "$LOOPC" --schedule=wrong.schedule sum.loop
	has err "wrong.schedule:2:[0-9]*: error: $2" "wrong: $1: message"
}
wrong 'form round' "plain, parts, inplace, expanded, chained, sequential, isl, refetched, borrowed or apart is wanted, not 'round' in the schedule"
wrong 'form sequential many' "a number of loops is wanted after sequential 'many' in the schedule"
wrong 'form sequential 7' "the nest 'sum' cannot be lowered in this form"
wrong 'form expanded' "the nest 'sum' cannot be lowered in this form"
wrong 'form apart A 0 1' "the nest 'sum' cannot be lowered in this form"
wrong 'store A:4 in i' "the nest has no such buffer: 'A:4' in the schedule"
wrong 'store A:x in i' "no buffer of an array is 'A:x' in the schedule"
wrong 'store A in' "a loop's name is missing in the schedule"
wrong 'tile i 90' "a number between 1 and the loop's extent, 8, is wanted, not '90' in the schedule"
wrong 'order i i' "the order names twice the loop 'i' in the schedule"
wrong 'serpentine i i' "the line names twice the loop 'i' in the schedule"
wrong 'colour red' "form, tile, order, serpentine, store, memory, bypass, spatial, register, steps, hold, carry or nofuse is wanted, not 'colour'"
# A search that ends early may leave loops forward that would turn for the better.
cat >early.loop <<'END'
void early(const float X[3][5], const float W[3][2][3], float O[3][3])
{
	for (int k = 0; k < 3; k++)
		for (int p = 0; p < 3; p++) {
			O[k][p] = 0;
			for (int r = 0; r < 2; r++)
				for (int s = 0; s < 3; s++)
					O[k][p] += (p * 2 + r >= 1 && p * 2 + r < 6 && s >= 1 && s < 2
						? X[k][p * 2 + r - 1] : 0) * W[k][r][s];
		}
}
END
printf 'name: m\nscratchpad: { bytes: 12 }\n' >early.yaml
exits 0 "an early end" "$LOOPC" --arch=early.yaml --effort=1 --emit=schedule=first,c=first.c early.loop
exits 0 "an early end, given back" "$LOOPC" --arch=early.yaml --schedule=first --emit=schedule=again,c=again.c early.loop
has first '^serpentine none$' "an early end: it is said"
grep -v '^ \* options' first.c >first.text
grep -v '^ \* options' again.c >again.text
same first.text again.text "an early end: the same code"
cat >sum.loop <<'END'
void sum(const float A[8][8], float B[8])
{
	for (int i = 0; i < 8; i++)
		B[i] = A[i][0] + A[0][i];
}
END
wrong 'form apart C 0 1' "the nest has no array 'C' in the schedule"
wrong 'form apart A 3' "no reference groups of an array are '3' in the schedule"
printf 'nest sum\nform apart A 0 1\n' >good.schedule
exits 0 "groups apart" "$LOOPC" --schedule=good.schedule --verify --emit=schedule=s sum.loop
has s '^form apart A 0 1$' "groups apart: kept"
printf 'nest sum\nform apart A 0+1\n' >good.schedule
exits 0 "groups joined" "$LOOPC" --schedule=good.schedule --verify --emit=schedule=s sum.loop
has s '^form plain$' "groups joined: one buffer"
finish
