#!/bin/sh
# Expressions of #if mean what they mean to a C preprocessor, and what is wrong is said.
. "$top_srcdir/tests/tap/tap.sh"

# assigned FILE: what is left of the statements A[k] = v, in order
assigned()
{
	sed -n 's/.*A\[\([0-9]*\)\] *= *\([01]\);*$/\1 \2/p' "$1"
}
for seed in 1 2 3; do
	python3 "$top_srcdir/tests/frontend/conditions.py" 400 "$seed" >in.loop
	exits 0 "400 conditions of seed $seed: the preprocessor has taken them" \
		$CC -E -P -w -x c in.loop
	assigned out >expected
	exits 0 "400 conditions of seed $seed: so has loopc" "$LOOPC" --emit=program in.loop
	assigned out >found
	ok "400 conditions of seed $seed mean the same" cmp expected found
done

# refuses EXPRESSION MESSAGE
refuses()
{
	printf '#if %s\nvoid f(int A[4]) { A[0] = 1; }\n#endif\n' "$1" >in.loop
	exits 1 "$1" "$LOOPC" in.loop
	has err "^in\\.loop:1:[0-9]+: error: $2 in #if" "$1: the reason"
}
refuses '1 / 0' 'a division by zero'
refuses '1 ? 2' "missing ':'"
refuses '9223372036854775807 + 1' 'an overflow of 64 bits'
refuses '(-9223372036854775807 - 1) / -1' 'an overflow of 64 bits'
refuses '1 << 63' 'a shift out of range'
refuses '-1 > 0u' 'negative and unsigned values together'
refuses '1 2' 'an operator was expected'
refuses "$(awk 'BEGIN { for (k = 0; k < 300; k++) printf "1 ? 1 : "; print 1 }')" 'too deep an expression'
finish
