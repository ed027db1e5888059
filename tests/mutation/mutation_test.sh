#!/bin/sh
# Removing any one wait from emitted code makes the checked run fail: every kernel is
# built once with waits that can be switched off, and run once without each of them.

. "$top_srcdir/tests/tap/tap.sh"

runtime=$top_srcdir/runtime
kernels=$top_srcdir/tests/mutation

cat >machine.yaml <<END
name: small
scratchpad: { bytes: 1536 }
dma: { startup_cycles: 10, bytes_per_cycle: 4, max_rank: 3, max_bytes: 4096 }
END

cat >switch.h <<END
int is_wait_on(int number);
END

cat >switch.c <<END
#include <stdlib.h>
#include "switch.h"

int is_wait_on(int number)
{
	const char *off = getenv("WAIT_OFF");

	return !off || atoi(off) != number;
}
END

# number_waits <kernel.c >mutable.c: each wait can be switched off by its number.
number_waits()
{
	echo '#include "switch.h"'
	awk '/^[ \t]*lrt_wait\(/ {
		sub(/lrt_wait\([^)]*\);/, "if (is_wait_on(" ++count ")) { & }")
	} { print }'
}

# mutate KERNEL BUFFERING OPTION...
mutate()
{
	name=$1-$2
	kernel=$1
	buffering=$2
	shift 2
	exits 0 "$name: verifies" "$LOOPC" --verify --save-temps="$name" --arch=machine.yaml \
		--buffering="$buffering" "$@" -o "$name.c" "$kernels/$kernel.loop"
	number_waits <"$name/kernel.c" >"$name/mutable.c"
	waits=$(grep -c is_wait_on "$name/mutable.c")
	ok "$name: builds" $CC -std=c99 -D_POSIX_C_SOURCE=200809L -O1 -w -fwrapv -ffp-contract=off \
		-I. -I"$name" -I"$runtime" -o "$name/mutant" "$name/mutable.c" "$name/reference.c" \
		"$name/tiled.c" "$name/shadow.c" "$name/main.c" switch.c "$runtime/checked.c" -lm
	"$name/mutant" >"$name/expected" 2>"$name/err"
	is "$?" 0 "$name: runs as it was"
	[ "$waits" -ge 1 ]
	result $? "$name: has waits"
	survivors=
	number=1
	while [ $number -le "$waits" ]; do
		if WAIT_OFF=$number "$name/mutant" >"$name/actual" 2>"$name/err" &&
			cmp -s "$name/expected" "$name/actual"; then
			survivors="$survivors $number"
			grep -n "is_wait_on($number)" "$name/mutable.c" | sed 's/^/# /'
		fi
		number=$((number + 1))
	done
	is "$survivors" "" "$name: no wait can be removed, of $waits"
}

for buffering in single double; do
	mutate gemm $buffering -D M=20 -D N=22 -D K=24
	mutate convolution $buffering -D K=6 -D C=5 -D P=13 -D Q=11 -D R=3 -D S=3
	mutate depthwise $buffering -D C=5 -D P=9 -D Q=14
	mutate product $buffering -D M=40 -D N=37
	mutate contraction $buffering -D A=9 -D B=10 -D C=11 -D D=7
	mutate pooling $buffering -D C=5 -D P=11 -D Q=13
	mutate triangle $buffering -D N=23 -D M=11
	mutate layers $buffering -D C=4 -D H=9 -D W=6
	mutate layers $buffering -D C=7 -D H=4 -D W=3 --fuse=all
done

finish
