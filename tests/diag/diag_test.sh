# One bad input a file: cases/NAME.loop must be refused with exactly cases/NAME.err, and
# nothing else printed.  The options are in its first line: // options: -D N=4
# LOOPC_BLESS=1 writes what is printed now to NAME.err instead.
. "$top_srcdir/tests/tap/tap.sh"

driver=$top_builddir/tests/frontend/frontend_driver
cases=$top_srcdir/tests/diag/cases

# check NAME: file names in messages are as given, so it runs where the files are.
check()
{
	options=$(sed -n '1s,^// options: ,,p' "$cases/$1.loop")
	(cd "$cases" && exec "$driver" $options "$1.loop") >out 2>err </dev/null
	status=$?
	if [ -n "$LOOPC_BLESS" ]; then
		cp err "$cases/$1.err"
	fi
	[ $status -eq 1 ] && [ ! -s out ] && cmp -s "$cases/$1.err" err
	result $? "$1"
	cmp -s "$cases/$1.err" err || diff -u "$cases/$1.err" err | sed 's/^/# /'
}

for file in "$cases"/*.loop; do
	name=${file##*/}
	check "${name%.loop}"
done

# Files that no editor would keep as they are.
# refused NAME: in.loop of this directory is an error, not a crash.
refused()
{
	exits 1 "$1" "$driver" in.loop
	has err '^in\.loop:[0-9]+:[0-9]+: error: ' "$1: has a place"
}

printf 'void f(float A[1])\n{\n  A[0] = 1 \000 + 2;\n}\n' >in.loop
refused "a NUL byte"
has err 'byte of value 0 is not C' "a NUL byte is named"
printf 'void f(float A[1])\r\n{\r\n  A[0] = x;\r\n}\r\n' >in.loop
refused "lines that end in CR LF"
has err '^    3 \|   A\[0\] = x;$' "the line is shown without its CR"
printf 'void f(float A[1])\n{\n\tA[0] = /* \303\251\344\270\255 */ x;\n}\n' >in.loop
refused "tabs and UTF-8 before the caret"
has err '^      \| {26}\^$' "the caret is below what it means"
has err ':3:21: error' "columns count bytes"
printf 'void f(float A[1])\n{\n  A[0] = \377\376;\n}\n' >in.loop
refused "bytes that are no UTF-8"
has err '^    3 \|   A\[0\] = \?\?;$' "they are shown as ?"
printf '%10000s' '' | tr ' ' '{' >in.loop
refused "ten thousand braces"
printf 'void f(float A[1]) { A[0] = %20000s 1; }' '' | tr ' ' '-' | sed 's/-1/ 1/' >in.loop
refused "twenty thousand signs"
: >in.loop
exits 1 "an empty file" "$driver" in.loop
has err 'defines no function' "an empty file: says so"

finish
