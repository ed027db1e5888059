# What tests/symbolic adds to the build; the top Makefile.am says how.
long_tests += tests/symbolic/sizes_test.sh
script_tests += tests/symbolic/random_test.sh tests/symbolic/small_nests_test.sh
EXTRA_DIST += tests/symbolic/random_sizes.py tests/symbolic/small_nests.py
