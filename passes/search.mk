# The search's part of passes; the top Makefile.am says how.
