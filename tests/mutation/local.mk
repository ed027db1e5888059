# What tests/mutation adds to the build; the top Makefile.am says how.
