#!/bin/sh
# Kernels on three boards and on the host: results, bytes and commands are equal
# everywhere and are what loopc predicted.
. "$top_srcdir/tests/tap/tap.sh"

# A copy, so that sources can be touched.
cp -r "$top_srcdir/examples/firmware" example && chmod -R u+w example
cd example || exit 99
rm -rf build

# firmware BOARD DIRECTORY ARGUMENT...: make.
firmware()
{
	board=$1
	directory=$2
	shift 2
	make -s BOARD="$board" O="$tap_dir/$directory" LOOPC="$LOOPC" WERROR=-Werror \
		HOST_CC="$CC $SANITIZER_FLAGS" RUNTIME="$top_srcdir/runtime" \
		CONFORMANCE="$top_srcdir/tests/port-conformance" "$@"
}

# What is the same on board and host.
without_instructions()
{
	grep -v instructions "$1"
}

# The sums of a report's bytes, as the programs print them.
report_bytes()
{
	awk '/"total": \{/ { total = 1 }
		total && /"read_bytes"/ { gsub(/[^0-9]/, ""); read = $0 }
		total && /"write_bytes"/ { gsub(/[^0-9]/, ""); print read, $0; exit }' "$1"
}

measured_bytes()
{
	awk -v name="$2" '$2 == "on" { here = $1 == name }
		here && $1 == "measured" { print $3, $4 }' "$1"
}

# run_test BOARD WHAT ARGUMENT...: builds a variant from the same emitted C and runs it.
run_test()
{
	variant=$tap_dir/$1-$2
	board=$1
	mkdir "$variant" && cp -p "$tap_dir/$1"/*.[chd] "$tap_dir/$1"/*.json "$variant"
	shift 2
	exits 0 "${variant##*/}: runs" firmware "$board" "${variant##*/}" run "$@"
	cp out "$variant.out"
	without_instructions "$tap_dir/$board-host.out" >"$tap_dir/expected"
	without_instructions "$variant.out" >"$tap_dir/actual"
	same "$tap_dir/expected" "$tap_dir/actual" "${variant##*/}: as on the host"
}

board_test()
{
	exits 0 "$1: host, checked port" firmware "$1" "$1" run-host
	cp out "$tap_dir/$1-host.out"
	run_test "$1" polling
	run_test "$1" interrupt INTERRUPT=1
	run_test "$1" protect PROTECT=1 INTERRUPT=1
	run_test "$1" size OPTIMIZE=-Os
	exits 0 "$1: runs again" firmware "$1" "$1-polling" run
	same "$tap_dir/$1-polling.out" out "$1: instruction counts repeat"
	is "$(measured_bytes "$tap_dir/$1-polling.out" classify)" "$(report_bytes "$tap_dir/$1/network.json")" \
		"$1: the report has the network's bytes"
	is "$(measured_bytes "$tap_dir/$1-polling.out" gemm)" "$(report_bytes "$tap_dir/$1/gemm.json")" \
		"$1: the report has the product's bytes"
	exits 2 "$1: touching external memory ends the program" firmware "$1" "$1" protect
	has err 'protect\] Error 3' "$1: with status 3"
}

# Names of the kernels that a make would compile again.
compiled()
{
	firmware "$1" "$1" -n | sed -n 's/.*--emit=c=.*\/\([a-z]*\)\.c,.*/\1/p' | sort -u | tr '\n' ' '
}

rebuild_test()
{
	is "$(compiled "$1")" "" "$1: nothing to do"
	touch gemm.loop
	is "$(compiled "$1")" "gemm " "$1: a changed kernel is compiled again, no other"
	touch "$1/$1.yaml"
	is "$(compiled "$1")" "gemm network " "$1: a changed machine file compiles all"
}

for source in gemm network; do
	ok "$source.loop is C99" $CC -std=c99 -x c -Wall -Wextra -pedantic -Werror -c -o source.o \
		$source.loop
done
exits 0 "the checked-in scores are those of the independent computation" \
	firmware mps2-an505 mps2-an505 expected

for_board()
{
	for tool in "$2" "$3"; do
		command -v "$tool" >/dev/null 2>&1 && continue
		skip "$1" "$tool is not installed"
		return
	done
	board_test "$1"
	rebuild_test "$1"
}

for_board mps2-an505 arm-none-eabi-gcc qemu-system-arm
for_board sifive_u riscv64-unknown-elf-gcc qemu-system-riscv64
for_board xilinx-zynq-a9 arm-none-eabi-gcc qemu-system-arm
finish
