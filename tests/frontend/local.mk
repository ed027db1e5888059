# What tests/frontend adds to the build; the top Makefile.am says how.
check_PROGRAMS += tests/frontend/frontend_driver
tests_frontend_frontend_driver_SOURCES = tests/frontend/frontend_driver.c
cmocka_tests += tests/frontend/meaning_test
# Its kernels compute what the interpreter does: integers that wrap.
tests_frontend_meaning_test_CFLAGS = $(AM_CFLAGS) -fwrapv -fno-sanitize=shift
tests_frontend_meaning_test_SOURCES = tests/frontend/meaning_test.c \
	tests/frontend/interpret.c tests/frontend/interpret.h
script_tests += tests/frontend/blocks_test.sh tests/frontend/choices_test.sh tests/frontend/condition_test.sh tests/frontend/golden_test.sh tests/frontend/scopes_test.sh tests/frontend/text_test.sh tests/frontend/fuzz_test.sh
EXTRA_DIST += tests/frontend/choices.py tests/frontend/conditions.py tests/frontend/divided.py tests/frontend/scopes.py tests/frontend/texts.py tests/frontend/golden tests/frontend/seeds tests/frontend/fuzz.dict \
	tests/frontend/fuzz_frontend.c
