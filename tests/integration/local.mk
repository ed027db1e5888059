# What tests/integration adds to the build; the top Makefile.am says how.
