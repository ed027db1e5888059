#!/bin/sh
# The ports for real controllers pass the conformance test on boards that QEMU
# emulates, whether copies complete by polling or by interrupt.
. "$top_srcdir/tests/tap/tap.sh"

conformance()
{
	make -s -C "$top_srcdir/examples/firmware" BOARD="$1" INTERRUPT="$2" O="$tap_dir/$1-$2" \
		CONFORMANCE="$top_srcdir/tests/port-conformance" RUNTIME="$top_srcdir/runtime" conformance
}

board_tests()
{
	for tool in "$2" "$3"; do
		command -v "$tool" >/dev/null 2>&1 && continue
		skip "$1: polling" "$tool is not installed"
		skip "$1: by interrupt" "$tool is not installed"
		return
	done
	ok "$1: polling" conformance "$1" ""
	ok "$1: by interrupt" conformance "$1" 1
}

board_tests mps2-an505 arm-none-eabi-gcc qemu-system-arm
board_tests sifive_u riscv64-unknown-elf-gcc qemu-system-riscv64
board_tests xilinx-zynq-a9 arm-none-eabi-gcc qemu-system-arm
finish
