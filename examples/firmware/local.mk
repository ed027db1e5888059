# The firmware example: built by its own Makefile, with cross compilers.
EXTRA_DIST += examples/firmware/Makefile examples/firmware/board.h \
	examples/firmware/mps2-an505/board.c examples/firmware/mps2-an505/board.ld \
	examples/firmware/mps2-an505/board.mk examples/firmware/mps2-an505/machine.yaml \
	examples/firmware/sifive_u/board.c examples/firmware/sifive_u/board.ld \
	examples/firmware/sifive_u/board.mk examples/firmware/sifive_u/machine.yaml
