# What tests/frontend adds to the build; the top Makefile.am says how.
check_PROGRAMS += tests/frontend/frontend_driver
tests_frontend_frontend_driver_SOURCES = tests/frontend/frontend_driver.c
