# What examples/firmware adds to the build; the top Makefile.am says how.
