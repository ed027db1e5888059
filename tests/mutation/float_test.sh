#!/bin/sh
# --verify sees every error in a computation of floats, even if it happens once: each assignment
# of the emitted code, dropped, done twice, or with one subscript off by one, at one of its
# runs or at every seventh.

. "$top_srcdir/tests/tap/tap.sh"

runtime=$top_srcdir/runtime
kernels=$top_srcdir/tests/mutation

cat >machine.yaml <<END
name: small
scratchpad: { bytes: 1536 }
dma: { startup_cycles: 10, bytes_per_cycle: 4, max_rank: 3, max_bytes: 4096 }
END

cat >mutant.h <<END
int is_mutated(int number, int kind);
void restart(void);
END

# MUTANT: the number of the assignment, what is done to it, and its run, or -7 for every seventh.
cat >mutant.c <<END
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mutant.h"

static long runs;

void restart(void)
{
	runs = 0;
}

int is_mutated(int number, int kind)
{
	static int wanted = -1, wanted_kind;
	static long when;

	if (wanted < 0) {
		const char *mutant = getenv("MUTANT");

		wanted = 0;
		if (mutant && *mutant && sscanf(mutant, "%d %d %ld", &wanted, &wanted_kind, &when) != 3)
			abort();
	}
	if (number != wanted || kind != wanted_kind)
		return 0;
	runs++;
	return when > 0 ? runs == when : runs % -when == 0;
}
END

# make_mutable <kernel.c >mutable.c; the number of mutants' kinds of each assignment goes to
# the file kinds: "NUMBER KINDS".
make_mutable()
{
	printf '#include "mutant.h"\n#define NEAR(i) ((i) > 0 ? (i) - 1 : 1)\n'
	awk '
	# SUBSCRIPTED TEXT with its subscript number WHICH off by one
	function off_by_one(text, which,    i, c, depth, out, open) {
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			if (c == "[" && depth++ == 0 && --which == 0) {
				open = 1
				out = out "[NEAR("
				continue
			}
			if (c == "]" && --depth == 0 && open) {
				open = 0
				out = out ")]"
				continue
			}
			out = out c
		}
		return out
	}
	function subscripts(text,    i, c, depth, count) {
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			if (c == "[" && depth++ == 0)
				count++
			if (c == "]")
				depth--
		}
		return count
	}
	# an assignment may be wrapped; one of 0 may change nothing
	/^[ \t]*[A-Za-z_0-9]+(\[.*\])* [-+*]?= / && !/lrt_|checked/ {
		while (!/;$/ && (getline more) > 0) {
			sub(/^[ \t]+/, " ", more)
			$0 = $0 more
		}
		if (/ = 0;$/) {
			print
			next
		}
		match($0, / [-+*]?= /)
		target = substr($0, 1, RSTART - 1)
		operator = substr($0, RSTART, RLENGTH)
		value = substr($0, RSTART + RLENGTH)
		number++
		kinds = 2
		text = "if (is_mutated(" number ", 1)) { } else "
		if (operator != " = ")
			text = text "if (is_mutated(" number ", 2)) { " $0 $0 " } else "
		for (which = 1; which <= subscripts(value); which++)
			text = text "if (is_mutated(" number ", " ++kinds ")) { " target operator \
				off_by_one(value, which) " } else "
		print text "{ " $0 " }"
		print number, kinds, operator == " = " ? "once" : "twice" >"kinds"
		next
	}
	{ print }'
}

# is_caught KERNEL MUTANT: the run of the mutant does not end well.
is_caught()
{
	MUTANT=$2 "$1/mutant" >"$1/actual" 2>"$1/err" || return 0
	grep -Eq '^differ|^violations [^ ]* [1-9]' "$1/actual"
}

# mutate KERNEL OPTION...
mutate()
{
	name=$1
	shift
	exits 0 "$name: verifies" "$LOOPC" --verify --save-temps="$name" --arch=machine.yaml "$@" \
		-o "$name.c" "$kernels/$name.loop"
	make_mutable <"$name/kernel.c" >"$name/mutable.c"
	sed "s/^	$name(/	restart();&/" "$name/tiled.c" >"$name/restarted.c"
	ok "$name: builds" $CC -std=c99 -D_POSIX_C_SOURCE=200809L -O1 -w -fwrapv -ffp-contract=off \
		-I. -I"$name" -I"$runtime" -o "$name/mutant" -include mutant.h "$name/mutable.c" \
		"$name/reference.c" "$name/restarted.c" "$name/shadow.c" "$name/main.c" mutant.c \
		"$runtime/checked.c" -lm
	! is_caught "$name" ""
	result $? "$name: is right as it was"
	survivors=
	tried=0
	while read -r number kinds times; do
		kind=1
		while [ "$kind" -le "$kinds" ]; do
			for when in 29 -7; do
				[ "$kind" -eq 2 ] && [ "$times" = once ] && break
				tried=$((tried + 1))
				is_caught "$name" "$number $kind $when" ||
					survivors="$survivors ($number $kind $when)"
			done
			kind=$((kind + 1))
		done
	done <kinds
	[ "$tried" -ge 6 ]
	result $? "$name: has mutants"
	is "$survivors" "" "$name: all mutants are caught, of $tried"
}

mutate gemm -D M=20 -D N=22 -D K=24
mutate product -D M=40 -D N=37
mutate float_layers -D C=5 -D H=9 -D W=6
mutate attention -D N=13 -D D=9
mutate norm -D N=9 -D C=15
mutate stencil -D T=4 -D N=150

finish
