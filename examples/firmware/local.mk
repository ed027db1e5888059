# The firmware example: built by its own Makefile, with cross compilers.
EXTRA_DIST += examples/firmware/Makefile examples/firmware/README.md \
	examples/firmware/board.h examples/firmware/gemm.loop examples/firmware/gemm_main.c \
	examples/firmware/host/board.c examples/firmware/make_network.c \
	examples/firmware/network.loop examples/firmware/network_expected.txt \
	examples/firmware/network_main.c examples/firmware/traffic.c examples/firmware/traffic.h \
	examples/firmware/mps2-an505/board.c examples/firmware/mps2-an505/board.ld \
	examples/firmware/mps2-an505/board.mk examples/firmware/mps2-an505/mps2-an505.yaml \
	examples/firmware/sifive_u/board.c examples/firmware/sifive_u/board.ld \
	examples/firmware/sifive_u/board.mk examples/firmware/sifive_u/sifive_u.yaml \
	examples/firmware/xilinx-zynq-a9/board.c examples/firmware/xilinx-zynq-a9/board.ld \
	examples/firmware/xilinx-zynq-a9/board.mk \
	examples/firmware/xilinx-zynq-a9/xilinx-zynq-a9.yaml
EXTRA_DIST += examples/firmware/kernel_main.awk
script_tests += examples/firmware/firmware_test.sh
# Nothing in it would see the sanitizers that firmware_test does not show them.
EXTRA_DIST += examples/firmware/kernels_test.sh
if !SANITIZERS
script_tests += examples/firmware/kernels_test.sh
endif
