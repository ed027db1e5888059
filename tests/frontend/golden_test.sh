# What the front end makes of golden/NAME.loop is golden/NAME.program, which reads back to
# itself, and golden/NAME.ast.  The options are in the first line.
# LOOPC_BLESS=1 writes what is printed now.
. "$top_srcdir/tests/tap/tap.sh"

driver=$top_builddir/tests/frontend/frontend_driver
golden=$top_srcdir/tests/frontend/golden

# print FILE OPTIONS...: runs where the files are, so that their names are short.
print()
{
	(cd "$golden" && exec "$driver" "$@") </dev/null
}

for file in "$golden"/*.loop; do
	name=${file##*/}
	name=${name%.loop}
	options=$(sed -n '1s,^// options: ,,p' "$file")
	exits 0 "$name" print $options "$name.loop"
	cp out program
	exits 0 "$name: tree" print $options --ast "$name.loop"
	cp out ast
	if [ -n "$LOOPC_BLESS" ]; then
		cp program "$golden/$name.program"
		cp ast "$golden/$name.ast"
	fi
	same "$golden/$name.program" program "$name: the program"
	same "$golden/$name.ast" ast "$name: the tree"
	exits 0 "$name: reads back" print "$name.program"
	same program out "$name: reads back to itself"
	ok "$name: is C99" "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror \
		-Wno-unused-function -Wno-unknown-pragmas -x c -c "$file" -o /dev/null
done

# Texts of programs that are wrong are refused, and never believed.
# wrong NAME PATTERN SCRIPT: golden/small.program edited by sed SCRIPT.
wrong()
{
	sed "$3" "$golden/small.program" >wrong.program
	exits 1 "$1" "$driver" wrong.program
	has err "$2" "$1: says so"
}

wrong "a size that is no number" "expected a number" 's/: int = 8/: int = x/'
wrong "an iterator that is none" "is no iterator" 's/A\[i + j\]/A[i + q]/'
wrong "an array that is none" "is not declared" 's/A\[i + j\]/Z[i + j]/'
wrong "a domain of another statement" "expected a set of S0" 's/{ S0\[/{ S9[/'
wrong "a domain that is no set" "expected a set" 's/S0\[i, j\] : /S0[i, j] : what /'
wrong "a domain without bounds" "without bounds" 's/ : [^}]*}/ }/'
wrong "an access outside of its array" "leaves" 's/A\[i + j\]/A[i + 2*j]/'
wrong "an operator that is none" "expected an operator" 's/ \* / @ /'
wrong "a reduction that is none" "no reduction by" 's/ sum$/ max/'
wrong "a write to a const array" "const" 's/parameter B : /parameter B : const /'
wrong "text that ends too soon" "expected" '$d'
wrong "nothing" "expected 'program'" 'd'
finish
