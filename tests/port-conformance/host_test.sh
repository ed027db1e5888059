#!/bin/sh
# Every host port passes the conformance test, with no limits and with those of
# machines; and the test finds the faults that ports have had.
. "$top_srcdir/tests/tap/tap.sh"

# Arguments: scratchpad, max_rank, max_bytes, max_count, max_stride, align
for port in checked memcpy threads trace fifo; do
	ok "$port: no limits" "$top_builddir/conformance-$port"
	ok "$port: one dimension, 4095 bytes" "$top_builddir/conformance-$port" 32768 1 4095 4095
	ok "$port: three dimensions, 64 KB, multiples of two bytes" \
		"$top_builddir/conformance-$port" 110592 3 65536 0 0 2
	ok "$port: multiples of 16 bytes, strides of 16 bits" \
		"$top_builddir/conformance-$port" 262144 2 16384 32767 32767 16
	ok "$port: a small scratchpad" "$top_builddir/conformance-$port" 4096 4 0 255
done
ok "the port of docs/porting.md is short" test "$(wc -l <"$top_srcdir/examples/port/fifo_port.c")" -lt 150
ok "the conformance test finds faulty ports" "$top_builddir/conformance-faults"

threads_are_clean()
{
	"$CC" -g -O1 -std=c99 -fsanitize=thread -I"$top_srcdir/runtime" -o race \
		"$top_srcdir/tests/port-conformance/conformance.c" \
		"$top_srcdir/tests/port-conformance/host.c" "$top_srcdir/runtime/threads.c" -lpthread &&
	./race
}
echo 'int main(void) { return 0; }' >empty.c
if [ -n "$SANITIZER_FLAGS" ]; then
	skip "threads: no data race" "another sanitizer is on"
elif $CC -fsanitize=thread -o empty empty.c >/dev/null 2>&1 && ./empty >/dev/null 2>&1; then
	ok "threads: no data race" threads_are_clean
else
	skip "threads: no data race" "no thread sanitizer"
fi
finish
