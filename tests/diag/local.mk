# What tests/diag adds to the build; the top Makefile.am says how.
