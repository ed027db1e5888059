# What tests/port-conformance adds to the build; the top Makefile.am says how.
