# The importer of ONNX networks: a program of its own.  The format's description comes with
# ONNX and is compiled here.
if HAVE_ONNX
bin_PROGRAMS += loopc-onnx
endif

loopc_onnx_SOURCES = \
	onnx/attribute.c onnx/attribute.h \
	onnx/constant.c \
	onnx/convolution.c \
	onnx/copy.c \
	onnx/elementwise.c \
	onnx/evaluate.c \
	onnx/function.c onnx/function.h \
	onnx/loopc-onnx.c \
	onnx/lower.c onnx/lower.h \
	onnx/matmul.c \
	onnx/model.c onnx/model.h \
	onnx/move.c onnx/move.h \
	onnx/nest.c onnx/nest.h \
	onnx/network.c onnx/network.h \
	onnx/normalize.c \
	onnx/operators.c \
	onnx/place.c onnx/place.h \
	onnx/print.c onnx/print.h \
	onnx/project.c onnx/project.h \
	onnx/qdq.c \
	onnx/quantize.c onnx/quantize.h \
	onnx/reduce.c \
	onnx/requantize.c onnx/requantize.h \
	onnx/rescale.c \
	onnx/type.c onnx/type.h \
	onnx/wire.c onnx/wire.h \
	driver/output.c driver/output.h \
	support/arena.c support/arena.h \
	support/memory.c support/memory.h \
	support/program.c support/program.h
loopc_onnx_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS)
loopc_onnx_LDADD = libonnx_proto.a $(PROTOBUF_C_LIBS) -lm

# What protoc-c writes is held to its own standard of warnings.
EXTRA_LIBRARIES = libonnx_proto.a
CLEANFILES += libonnx_proto.a
nodist_libonnx_proto_a_SOURCES = onnx/proto/onnx.pb-c.c
libonnx_proto_a_CFLAGS = -std=gnu11 $(SANITIZER_FLAGS) $(PROTOBUF_C_CFLAGS)
CLEANFILES += onnx/proto/onnx.pb-c.c onnx/proto/onnx.pb-c.h

onnx/proto/onnx.pb-c.c: $(ONNX_PROTO)
	$(AM_V_GEN)$(MKDIR_P) onnx/proto && \
		$(PROTOC_C) --c_out=onnx/proto -I'$(ONNX_PROTO_DIR)' onnx.proto
onnx/proto/onnx.pb-c.h: onnx/proto/onnx.pb-c.c
onnx/loopc_onnx-attribute.$(OBJEXT) onnx/loopc_onnx-model.$(OBJEXT): onnx/proto/onnx.pb-c.h
