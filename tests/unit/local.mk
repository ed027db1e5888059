# What tests/unit adds to the build; the top Makefile.am says how.
