# What tests/bench adds to the build; the top Makefile.am says how.
