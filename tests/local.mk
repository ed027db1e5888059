# How tests run: every one writes TAP, and none outlives its limit.
TESTS = $(cmocka_tests) $(script_tests)
EXTRA_DIST += $(script_tests) tests/bounded.sh tests/tap/tap.sh
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
	unset CDPATH MAKEFLAGS MFLAGS LOOPC_RUNTIME_DIR;
