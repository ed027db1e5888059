# What tests/passes adds to the build; the top Makefile.am says how.
script_tests += tests/passes/schedule_test.sh tests/passes/general_test.sh
