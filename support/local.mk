libloopc_a_SOURCES += support/arena.c support/arena.h support/diag.c support/diag.h \
	support/memory.c support/memory.h support/numbers.c support/numbers.h support/program.c support/program.h support/seconds.h
