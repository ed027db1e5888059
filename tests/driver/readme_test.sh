#!/bin/sh
# What the README shows is what loopc prints: the report of its example, line by line, the
# loop in the C it quotes, and the source that both are of.
. "$top_srcdir/tests/tap/tap.sh"

readme=$top_srcdir/README.md
example=examples/alexnet/conv2.loop
if [ -n "$SANITIZER_FLAGS" ]; then
	skip "the README" "the plain build tests it"
	finish
fi

# quoted PATTERN: the lines of code after the one that matches, up to one of text
quoted()
{
	awk -v pattern="$1" 'is_in && /^[^ ]/ { exit } is_in { sub(/^    /, ""); print }
		$0 ~ pattern { is_in = 1 }' "$readme" |
		awk 'NF { for (; blank; blank--) print ""; print; next } NR > 1 && any { blank++ } { any = 1 }'
}

# What a run took is another time each time.
timeless()
{
	sed 's/, [0-9.]* s$/, SECONDS/; s/, [0-9.]* CPU s/, SECONDS/'
}

(cd "$top_srcdir" && "$LOOPC" --verify --report "$example") >report 2>&1
is "$?" 0 "its example is verified"
quoted '^    \$ loopc --verify --report' | grep -v '^$' | timeless >expected
grep -v '^$' report | timeless >actual
has expected '^verified: ' "the README has a report"
same expected actual "the report is what loopc prints"

exits 0 "its C" "$LOOPC" -o conv2.c "$top_srcdir/$example"
# in_order EXPECTED ACTUAL: all lines of one are in the other, one after the other, with what
# "..." stands for between them
in_order()
{
	awk 'BEGIN { k = n = 0 } NR == FNR { want[n++] = $0; next }
		k < n && want[k] ~ /^ *[.][.][.]$/ { k++; is_free = 1 }
		k < n && $0 == want[k] { k++; is_free = 0; next }
		k < n && !is_free { k = 0 }
		END { if (k < n) print "not found: " want[k]; exit k < n }' "$1" "$2"
}
quoted 'conv2.c --arch=machine.yaml conv2.loop. writes the C' | grep -v '^$' >expected
# In its function the loop is two levels in.
sed -n '/for (int32_t k_tile/,$p' conv2.c | grep -v '^$' | expand -t 4 | sed 's/^        //' >actual
has expected 'k_turned' "the README quotes C"
ok "the C is what loopc writes" in_order expected actual

quoted 'is the second convolution layer' | sed 's/^ *//; /^$/d' >expected
sed 's/^[[:space:]]*//; /^$/d' "$top_srcdir/$example" >source
has expected '^for ' "the README quotes the source"
ok "the source is the example's" awk 'BEGIN { k = n = 0 } NR == FNR { want[n++] = $0; next }
	$0 == want[k] { if (++k == n) exit } $0 != want[k - 1] { if (k < n) k = 0 }
	END { exit k < n }' expected source

finish
