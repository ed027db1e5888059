# What tests/passes adds to the build; the top Makefile.am says how.
