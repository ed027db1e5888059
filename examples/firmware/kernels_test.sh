#!/bin/sh
# Kernels of many kinds on the boards: results, bytes and commands as on the host.
# A limit of a controller that is exceeded by one splits a copy and changes nothing.
. "$top_srcdir/tests/tap/tap.sh"

# kernel BOARD FILE DEFINES TARGET: make.
kernel()
{
	make -s -C "$top_srcdir/examples/firmware" BOARD="$1" O="$tap_dir/$1" LOOPC="$LOOPC" \
		WERROR=-Werror HOST_CC="$CC $SANITIZER_FLAGS" RUNTIME="$top_srcdir/runtime" \
		KERNEL="$2" DEFINES="$3" "$4"
}

# same_everywhere BOARD FILE DEFINES
same_everywhere()
{
	rm -f "$tap_dir/$1"/kernel* "$tap_dir/$1"/host/kernel*
	kernel "$1" "$2" "$3" run-kernel >board.out 2>err || { cat board.out err; return 1; }
	kernel "$1" "$2" "$3" run-host-kernel >host.out 2>err || { cat host.out err; return 1; }
	grep -v instructions board.out >board.same
	grep -v instructions host.out >host.same
	diff host.same board.same
}

# commands BOARD FILE DEFINES: how many the kernel starts; not a number if it fails.
commands()
{
	same_everywhere "$@" >/dev/null && awk '$1 == "measured" { print $2 }' board.out
}

example()
{
	ok "$board: $1 $2" same_everywhere "$board" "$top_srcdir/examples/$1.loop" "$2"
}

cat >run.loop <<'END'
#include <stdint.h>
void run(int N, const int8_t A[N], int8_t B[N])
{
	for (int i = 0; i < N; i++)
		B[i] = (int8_t)(A[i] + 1);
}
END
cat >rows.loop <<'END'
#include <stdint.h>
void rows(int M, int N, const int8_t A[M][N + 3], int8_t B[M][N + 5])
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			B[i][j] = (int8_t)(A[i][j] + 1);
}
END
cat >column.loop <<'END'
#include <stdint.h>
void column(int M, int N, const int8_t A[M][N], int8_t B[M])
{
	for (int i = 0; i < M; i++)
		B[i] = (int8_t)(A[i][3] + 1);
}
END
cat >box.loop <<'END'
#include <stdint.h>
void box(int L, int M, int N, const int16_t A[L][M + 2][N + 3], int16_t B[L][M + 1][N + 1])
{
	for (int h = 0; h < L; h++)
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++)
				B[h][i][j] = (int16_t)(A[h][i][j] + 1);
}
END

examples()
{
	example conv/strided "-D K=24 -D C=16 -D H=40 -D W=39"
	example conv/padded "-D N=1 -D K=12 -D C=9 -D H=31 -D W=29 -D R=5 --buffering=double"
	example conv/depthwise "-D C=13 -D H=61 -D W=59"
	example blas/gemm "-D M=97 -D N=89 -D K=101 --buffering=double"
	example nn/max_pool "-D C=21 -D P=30 -D Q=31"
	example nn/layer_norm "-D T=150 -D D=61"
	example networks/edges ""
	example polyhedral/jacobi-2d "-D T=5 -D N=61"
	example polyhedral/trmm "-D M=61 -D N=53"
}

# 4092 bytes, two dimensions
pl081_limits()
{
	is "$(commands mps2-an505 "$tap_dir/run.loop" "-D N=4092")" 2 "mps2-an505: a run at the limit"
	is "$(commands mps2-an505 "$tap_dir/run.loop" "-D N=4093")" 4 "mps2-an505: one byte above it"
	is "$(commands mps2-an505 "$tap_dir/rows.loop" "-D M=62 -D N=66")" 2 \
		"mps2-an505: rows at the limit"
	is "$(commands mps2-an505 "$tap_dir/rows.loop" "-D M=63 -D N=66")" 4 \
		"mps2-an505: one row above it"
	is "$(commands mps2-an505 "$tap_dir/box.loop" "-D L=5 -D M=7 -D N=9")" 10 \
		"mps2-an505: a dimension above it"
}

# one dimension
pdma_limits()
{
	is "$(commands sifive_u "$tap_dir/run.loop" "-D N=50001")" 2 "sifive_u: a long run"
	is "$(commands sifive_u "$tap_dir/rows.loop" "-D M=63 -D N=66")" 126 \
		"sifive_u: a dimension above the limit"
	is "$(commands sifive_u "$tap_dir/box.loop" "-D L=5 -D M=7 -D N=9")" 70 \
		"sifive_u: two dimensions above the limit"
}

# two dimensions, strides of 65535 bytes
pl330_limits()
{
	example conv/strided "-D K=24 -D C=16 -D H=90 -D W=89"
	example blas/gemm "-D M=157 -D N=149 -D K=131 --buffering=double"
	is "$(commands xilinx-zynq-a9 "$tap_dir/column.loop" "-D M=40 -D N=65535")" 2 \
		"xilinx-zynq-a9: a stride at the limit"
	is "$(commands xilinx-zynq-a9 "$tap_dir/column.loop" "-D M=40 -D N=65536")" 41 \
		"xilinx-zynq-a9: one byte above it"
}

for_board()
{
	board=$1
	for tool in "$2" "$3"; do
		command -v "$tool" >/dev/null 2>&1 && continue
		skip "$board" "$tool is not installed"
		return
	done
	for group in $4; do
		$group
	done
}

for_board mps2-an505 arm-none-eabi-gcc qemu-system-arm "examples pl081_limits"
for_board sifive_u riscv64-unknown-elf-gcc qemu-system-riscv64 "examples pdma_limits"
for_board xilinx-zynq-a9 arm-none-eabi-gcc qemu-system-arm pl330_limits
finish
