# What tests/e2e adds to the build; the top Makefile.am says how.
