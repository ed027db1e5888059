#!/bin/sh
# The stack that a header promises, and what gcc says it takes, up to -O2.
. "$top_srcdir/tests/tap/tap.sh"
if ! echo 'int f(void);' | gcc -fstack-usage -xc -c -o probe.o - 2>/dev/null || [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP no gcc for x86-64, which the figures are of'
	exit 0
fi

# measured FILE FUNCTION: its frame and the largest of its transfers'.
measured()
{
	awk -F '\t' -v name="$2" '{
		sub(/.*:/, "", $1)
		if ($1 == name) own = $2
		else if (index($1, name "_get_") == 1 || index($1, name "_put_") == 1)
			if ($2 > transfer) transfer = $2
	} END { print own + transfer }' "$1"
}

# check EXAMPLE MACHINE: at the sizes of the tests.
check()
{
	sizes=$(awk -v file="$1" '$1 == file { for (i = 2; i <= NF; i++) print "-D" $i }' \
		"$top_srcdir/examples/sizes.txt")
	# shellcheck disable=SC2086
	exits 0 "$1 on $2" "$LOOPC" --arch="$2" --effort=200 $sizes --emit=c=k.c,h=k.h \
		"$top_srcdir/examples/$1"
	name=$(sed -n 's/^void \([a-z0-9_]*\)(.*/\1/p' k.h | head -n 1)
	said=$(sed -n 's/^#define .*_STACK_BYTES *\([0-9]*\).*/\1/p' k.h)
	most=0
	for level in -O0 -Os -O1 -O2; do
		gcc -w -std=c99 $level -fstack-usage -I "$top_srcdir/runtime" -I . -c k.c -o k.o
		found=$(measured k.su "$name")
		[ "$found" -gt "$most" ] && most=$found
	done
	[ "$most" -gt 0 ] && [ "$most" -le "$said" ] && [ "$said" -le $((4 * most)) ]
	result $? "$1 on $2: $most bytes of stack, $said said"
}

for example in blas/gemm.loop conv/padded.loop nn/batch_norm.loop networks/attention.loop polyhedral/lu.loop; do
	check $example tiny-2k
done
for example in conv/direct.loop nn/softmax.loop polyhedral/heat-3d.loop; do
	check $example default
done
finish
