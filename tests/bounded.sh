#!/bin/sh
# Runs a test under a limit of time, without standard input.  Past the limit the
# test and all its children are ended, and the missing plan makes it an error.
limit=${TEST_SECONDS:-900}
[ -z "$SANITIZER_FLAGS" ] || limit=$((limit * 2))
exec timeout -k 10 "$limit" "$@" </dev/null
