# What frontend adds to the build; the top Makefile.am says how.
libloopc_a_SOURCES += frontend/frontend.c frontend/frontend.h frontend/sema.c frontend/sema.h frontend/declare.c \
	frontend/scope.c frontend/headers.c frontend/index.c frontend/index.h frontend/index_affine.c \
	frontend/index_arithmetic.c frontend/index_range.c frontend/loop.c \
	frontend/builder.h frontend/access.c frontend/value.c frontend/store.c \
	frontend/uninitialized.c frontend/guard.c frontend/block.c frontend/divide.c \
	frontend/parser.y frontend/parse.h frontend/types.c frontend/lexer.l frontend/lexer.h \
	frontend/preprocess.c frontend/preprocess.h frontend/preprocessor.h frontend/macro.c \
	frontend/include.c frontend/condition.c frontend/condition.h frontend/ast.c frontend/ast.h
BUILT_SOURCES += frontend/parser.h
EXTRA_DIST += docs/language.md
