#!/bin/sh
# The text of a program compiles to the same C as its source, byte for byte but for the line
# with the options, and reads back to itself; so does the text of a plan.
. "$top_srcdir/tests/tap/tap.sh"

# compile NAME FILE OPTIONS...: writes NAME.c, NAME.program and NAME.plan, and what is said of the
# program: but for what the front end warns of, and for columns that count a tab as several, as the
# lines of the source are not there.
compile()
{
	tap_stem=$1
	tap_input=$2
	shift 2
	"$LOOPC" "$@" -Wno-all -Rloop --diagnostics-format=json \
		--emit="c=$tap_stem.c,program=$tap_stem.program,plan=$tap_stem.plan" \
		"$tap_input" >tap.out 2>"$tap_stem.json" || return
	sed 's/"\(display-\)\{0,1\}column": [0-9]*//g' "$tap_stem.json" >"$tap_stem.said"
	sed '/^ \* options:/d' "$tap_stem.c" >"$tap_stem.text"
}

# reads_back NAME OPTIONS FILE: what loopc refuses is passed over.
reads_back()
{
	# shellcheck disable=SC2086
	compile source "$3" --effort=1 $2 || return
	compared=$((compared + 1))
	compile program source.program --effort=1 &&
		cmp source.text program.text && cmp source.program program.program &&
		cmp source.said program.said && cmp source.plan program.plan &&
		"$LOOPC" --emit=c=plan.c,plan=plan.plan source.plan >tap.out 2>&1 &&
		grep -q '^ \* options: (those of the plan)' plan.c &&
		sed '/^ \* options:/d' plan.c | cmp source.text - && cmp source.plan plan.plan
	result $? "$1"
}

compared=0
golden=$top_srcdir/tests/frontend/golden
for file in "$golden"/*.loop; do
	options=$(sed -n '1s,^// options: ,,p' "$file")
	reads_back "${file##*/}" "$options" "$file"
done
sed -n '/^[bn][ln]/s/ / -D /gp' "$top_srcdir/examples/sizes.txt" >list
while read -r example sizes; do
	reads_back "$example" "$sizes" "$top_srcdir/examples/$example"
done <list

# Dependences name the places of their statements.
exits 0 "dependences" "$LOOPC" --emit=deps -D M=3 -D N=3 -D K=3 \
	"$top_srcdir/examples/blas/gemm.loop"
has out '^  statement S1 @9:5$' "have source lines"

# Loops that never run, with locals in them; and conditions that cut a domain into pieces.
python3 "$top_srcdir/tests/frontend/texts.py" "$top_srcdir/tests/fuzz" . "$(inputs 12 6)"
for file in random*.loop; do
	reads_back "${file%.loop}" "$(cat "${file%.loop}.options")" "$file"
done
[ "$compared" -gt 24 ]
result $? "$compared texts were compared"
finish
