# The search's part of passes; the top Makefile.am says how.
libloopc_a_SOURCES += \
	passes/model.c passes/model_math.h \
	passes/search.c passes/search_tree.c passes/search_tree.h \
	passes/bound.c
