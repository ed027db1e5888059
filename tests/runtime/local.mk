# What tests/runtime adds to the build; the top Makefile.am says how.
