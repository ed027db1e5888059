#!/bin/sh
# What the README shows is what loopc prints: traffic, bounds and verification of its
# example, and the loop in the C it quotes.
. "$top_srcdir/tests/tap/tap.sh"

readme=$top_srcdir/README.md
if [ -n "$SANITIZER_FLAGS" ]; then
	skip "the README" "the plain build tests it"
	finish
fi

exits 0 "its example" "$LOOPC" --verify --report -o conv2.c "$top_srcdir/examples/alexnet/conv2.loop"
for line in '  O ' '  I ' '  W ' '  total' '  compulsory' 'verified'; do
	grep "^ *$line" "$readme" | head -n 1 | sed 's/^ *//' >expected
	grep "^ *$line" out | head -n 1 | sed 's/^ *//' >actual
	ok "it has a line '$line'" test -s expected
	same expected actual "the line '$line' is right"
done

finish
