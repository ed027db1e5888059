#!/bin/sh
# What is emitted for real kernels compiles without a warning, with every compiler that
# is installed, for hosts and for firmware; its header is good for C++.

. "$top_srcdir/tests/tap/tap.sh"

strict="-Wall -Wextra -Wconversion -pedantic -Werror -I$top_srcdir/runtime -I."
machine=$top_srcdir/tests/e2e/machines

# Every fifth example, the kinds of buffering in turn.
buffering=single
grep -v '^#' "$top_srcdir/examples/sizes.txt" | awk 'NR % 5 == 2' >list
while read -r example sizes; do
	name=$(echo "$example" | tr / _)
	name=${name%.loop}
	set --
	for size in $sizes; do
		set -- "$@" -D "$size"
	done
	exits 0 "$example is compiled, $buffering buffering" "$LOOPC" --effort=200 \
		--arch="$machine/unified-8k.yaml" --buffering=$buffering --prefix=k${tap_count}_ \
		--line-directives "$@" --emit=c="$name.c",h="$name.h" "$top_srcdir/examples/$example"
	[ $buffering = single ] && buffering=double || buffering=single
done <list
# What compilers once warned of in emitted code, found by random programs.
cat >found.loop <<'END'
#include <stdint.h>
void found(const int32_t A[40], const int32_t B[40], int32_t C[40], uint32_t D[40],
	const int16_t E[40])
{
	for (int i = 0; i < 40; i++)
		D[i] *= (unsigned int)(E[i] > 3 ? E[i] : E[0]);
	for (int i = 0; i < 40; i++)
		C[i] = (!A[i]) < B[i] ? 1 : B[i] - (!B[i]);
	int seen = 0;
	for (int i = 0; i < 40; i++)
		seen += A[i];
	(void)seen;
}
END
exits 0 "what compilers warned of" "$LOOPC" --arch="$machine/unified-8k.yaml" --emit=c=found.c,h=found.h found.loop
ls -- *.c >/dev/null || { finish; }

# compiler COMMAND...: takes all files.
compiler()
{
	if ! command -v "$1" >/dev/null; then
		skip "$*" "not installed"
		return
	fi
	# shellcheck disable=SC2086
	ok "$*" "$@" $strict -c ./*.c
}

compiler gcc -std=c99 -O2
compiler clang -std=c99 -O1
compiler arm-none-eabi-gcc -std=c99 -mcpu=cortex-m33 -Os
if command -v g++ >/dev/null; then
	cat ./*.h >all.h
	# shellcheck disable=SC2086
	ok "C++ takes the headers" g++ $strict -x c++ -fsyntax-only all.h
else
	skip "C++ takes the headers" "not installed"
fi

finish
