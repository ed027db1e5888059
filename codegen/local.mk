libloopc_a_SOURCES += \
	codegen/body.c \
	codegen/c.c codegen/codegen.h \
	codegen/expr.c codegen/expr.h \
	codegen/header.c codegen/signature.h codegen/sizes.c codegen/sizes.h \
	codegen/names.c codegen/names.h \
	codegen/reserved.c \
	codegen/reserved.h \
	codegen/ring.c codegen/ring.h \
	codegen/report_elements.c codegen/report_elements.h codegen/report_memory.c codegen/report_memory.h \
	codegen/report_time.c codegen/report_time.h \
	codegen/stack.c \
	codegen/transfer.c codegen/transfer.h \
	codegen/top_comment.c codegen/used.c \
	codegen/wrap.c codegen/wrap.h \
	codegen/writer.h
