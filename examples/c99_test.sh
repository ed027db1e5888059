#!/bin/sh
# Every example is C99 without a warning, at its own sizes and at the small ones of
# sizes.txt, which has a line for every example.
. "$top_srcdir/tests/tap/tap.sh"

examples=$top_srcdir/examples

# compiles NAME FILE OPTION...
compiles()
{
	name=$1
	file=$2
	shift 2
	ok "$name" ${CC:-cc} -std=c99 -x c -c -Wall -Wextra -pedantic -Werror "$@" -o kernel.o "$file"
}

# macros FILE NAME=VALUE...: the -D options for those that are macros, not parameters.
macros()
{
	file=$1
	shift
	for size; do
		! grep -q "^#ifndef ${size%%=*}\$" "$file" || printf -- '-D%s ' "$size"
	done
}

# The sizes of a line are names that its file has.
names_known()
{
	file=$1
	shift
	for size; do
		grep -Eq "^#ifndef ${size%%=*}\$|\\bint ${size%%=*}\\b" "$file" ||
			{ echo "no size ${size%%=*}"; return 1; }
	done
}

grep -v '^#' "$examples/sizes.txt" >sizes
while read -r path sizes; do
	compiles "$path" "$examples/$path"
	compiles "$path, small" "$examples/$path" $(macros "$examples/$path" $sizes)
	ok "$path, sizes" names_known "$examples/$path" $sizes
done <sizes

(cd "$examples" && find . -name '*.loop' ! -path './firmware/*' ! -path './port/*') |
	sed 's|^\./||' | sort >have
cut -d ' ' -f 1 sizes | sort >listed
same have listed "every example is in sizes.txt"
finish
