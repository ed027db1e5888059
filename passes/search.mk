# The search's part of passes; the top Makefile.am says how.
libloopc_a_SOURCES += \
	passes/clip.c \
	passes/model.c passes/model_math.h \
	passes/search.c passes/search_tree.c passes/search_tree.h \
	passes/search_array.c passes/search_slots.c passes/search_state.h \
	passes/search_memo.c passes/search_memo.h \
	passes/bound.c
EXTRA_DIST += docs/search.md
