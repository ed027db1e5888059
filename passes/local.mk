libloopc_a_SOURCES += \
	passes/band.c \
	passes/dependence.c \
	passes/fuse.c \
	passes/fuse.h \
	passes/general.c \
	passes/lower.c \
	passes/lower_function.c \
	passes/lowering.h \
	passes/model.h \
	passes/nest.h \
	passes/nest_model.c \
	passes/nests.c \
	passes/pass.h \
	passes/points.c \
	passes/reuse.c \
	passes/schedule_text.c \
	passes/schedule_text.h \
	passes/name_values.c \
	passes/name_values.h \
	passes/simplify.c \
	passes/simplify.h \
	passes/split.c \
	passes/split.h \
	passes/transfers.c \
	passes/values.c \
	passes/values.h
