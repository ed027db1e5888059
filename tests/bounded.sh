#!/bin/sh
# Runs a test under a limit of time, without standard input.  Past the limit the
# test and all its children are ended, and the missing plan makes it an error.
# The log ends with the processor time of this shell, and of the test: user and system.
limit=${TEST_SECONDS:-900}
[ -z "$SANITIZER_FLAGS" ] || limit=$((limit * 2))
timeout -k 10 "$limit" "$@" </dev/null
status=$?
echo "# processor time:"
times
exit $status
