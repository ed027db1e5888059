# What tests/optimality adds to the build; the top Makefile.am says how.
