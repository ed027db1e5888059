# How tests run: every one writes TAP, and none outlives its limit.
TESTS = $(long_tests) $(cmocka_tests) $(script_tests)
EXTRA_DIST += $(long_tests) $(script_tests) tests/bounded.sh tests/tap/tap.sh
TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/bounded.sh
SH_LOG_COMPILER = $(LOG_COMPILER) $(SHELL)
AM_TESTS_ENVIRONMENT = \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	LOOPC='$(abs_top_builddir)/loopc'; export LOOPC; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; \
	SANITIZER_FLAGS='$(SANITIZER_FLAGS)'; export SANITIZER_FLAGS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS; \
	ASAN_OPTIONS="$${ASAN_OPTIONS-$(TESTED_ASAN_OPTIONS)}"; export ASAN_OPTIONS; \
	LOOPC_RUNTIME_DIR='$(abs_top_builddir)/tests/verify'; export LOOPC_RUNTIME_DIR; \
	LDLIBS="'$(abs_top_builddir)/tests/verify/checked.o'"; export LDLIBS; \
	CFLAGS=$(VERIFY_CFLAGS); export CFLAGS; \
	unset CDPATH MAKEFLAGS MFLAGS;

# isl allocates all the time: less memory waits to be used again, and fewer callers of each allocation are
# kept, than would be usual.  ASAN_OPTIONS= gives longer traces.
TESTED_ASAN_OPTIONS = quarantine_size_mb=16:malloc_context_size=2

# Some thousand times a test has loopc --verify build a program.  The checked port in it is
# built once: the runtime that --verify finds has nothing but headers and an empty source in
# its place.  The code that a sanitized loopc writes is that of the plain one, whose tests
# have built it as users do; there it is only built as fast as can be.
if SANITIZERS
VERIFY_CFLAGS = -O0
else
VERIFY_CFLAGS =
endif
check_DATA = tests/verify/checked.o
CLEANFILES += tests/verify/checked.o tests/verify/checked.c tests/verify/loopc_rt.h \
	tests/verify/loopc_checked.h tests/verify/loopc_trace.h tests/verify/loopc_timeline.h
tests/verify/checked.o: runtime/checked.c $(runtime_header_files)
	$(AM_V_CC)$(MKDIR_P) tests/verify && \
		(cd '$(srcdir)' && cp $(runtime_header_files) '$(abs_builddir)/tests/verify') && \
		echo 'typedef int in_checked_o;' >tests/verify/checked.c && \
		$(CC) -std=c99 -O2 -c -o $@ '$(srcdir)/runtime/checked.c'
