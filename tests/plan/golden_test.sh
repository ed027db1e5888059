#!/bin/sh
# Plan files print as they were read, become C that compilers take without a word, and
# what is wrong in one is named where it stands.

. "$top_srcdir/tests/tap/tap.sh"

plans=$top_srcdir/tests/plan

for plan in "$plans"/*.plan; do
	name=$(basename "$plan" .plan)
	exits 0 "$name: is read" "$LOOPC" --emit=plan="$name.plan" "$plan"
	same "$plan" "$name.plan" "$name: prints as it was read"
	exits 0 "$name: becomes C" "$LOOPC" --emit=c="$name.c",h="$name.h" "$plan"
	ok "$name: compiles" $CC -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror -O2 \
		-I"$top_srcdir/runtime" -c "$name.c" -o "$name.o"
done

# damage LINE OLD NEW STATUS MESSAGE: in convolution.plan
damage()
{
	sed "s/$1/$2/" "$plans/convolution.plan" >damaged.plan
	! cmp -s "$plans/convolution.plan" damaged.plan
	result $? "damage: $1"
	exits "$3" "status: $1 -> $2" "$LOOPC" --emit=c=x.c damaged.plan
	has err "$4" "message: $1 -> $2"
	[ ! -e x.c ]
	result $? "no output: $1 -> $2"
}

damage 'tile q_tile = 0' 'tile w_tile = 0' 1 'damaged.plan:[0-9]+:[0-9]+: error: there is no variable .w_tile.'
damage 'dim 15 from 0' 'dim 15 from mod(k, 0)' 1 'mod needs a constant above 0'
damage 'max_rank 3' 'max_rank x' 1 'expected an integer, found .x.'
damage 'do S0' 'do S7' 1 "has no statement 'S7'"
damage '(O_0)' '(O_7)' 1 "there is no buffer 'O_7'"
damage 'buffer O_0 of O' 'buffer O_0 of Q' 1 "has no array 'Q'"
damage 'get W_0' 'fetch W_0' 1 "expected a node of the plan"
damage 'plan convolution {' 'plan nothing {' 1 "the program has no function 'nothing'"
damage 'tag 16' 'tag 32' 1 'tags are 0 .. 31'
# What reads well and is wrong all the same is the verifier's to find.
damage 'wait 1$' 'wait 3' 1 'while a (copy|transfer) of tag 1 is in flight'
damage 'offset 312' 'offset 300' 1 'buffers I_0 and O_0 overlap'
damage 'count (6, 5, 3, 3)' 'count (7, 5, 3, 3)' 1 'leaves dimension 0 of the array'

if command -v python3 >/dev/null 2>&1; then
	ok "random damage" python3 -B "$plans/damage.py" "$LOOPC" 1 "$(inputs 400 100)"
else
	skip "random damage" "no python3"
fi
finish
