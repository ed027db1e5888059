#!/bin/sh
# The tutorial's commands print what it shows.  LOOPC_BLESS=1 writes what they print now into it.
. "$top_srcdir/tests/tap/tap.sh"
if [ -n "$SANITIZER_FLAGS" ]; then
	skip "the tutorial" "the plain build tests it"
	finish
fi
mkdir bin page
ln -s "$LOOPC" bin/loopc
PATH=$PWD/bin:$PATH
LOOPC_RUNTIME_DIR=$top_srcdir/runtime
export PATH LOOPC_RUNTIME_DIR
unset LDLIBS     # has the port that the other tests' runtime leaves out
ok "the tutorial is true" sh -c 'cd page && exec python3 "$1" "$2" $3' sh \
	"$top_srcdir/tests/driver/tutorial.py" "$top_srcdir/docs/tutorial.md" "${LOOPC_BLESS:+--write}"
finish
