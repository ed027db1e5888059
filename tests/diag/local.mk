# What tests/diag adds to the build; the top Makefile.am says how.
script_tests += tests/diag/diag_test.sh
EXTRA_DIST += tests/diag/cases
