#!/bin/sh
# The commands of the tutorial, and of the page on levels, print what these show.  LOOPC_BLESS=1 writes what they print now
# into them.
. "$top_srcdir/tests/tap/tap.sh"
if [ -n "$SANITIZER_FLAGS" ]; then
	skip "the tutorial" "the plain build tests it"
	finish
fi
mkdir bin page levels
ln -s "$LOOPC" bin/loopc
PATH=$PWD/bin:$PATH
LOOPC_RUNTIME_DIR=$top_srcdir/runtime
export PATH LOOPC_RUNTIME_DIR
unset LDLIBS     # has the port that the other tests' runtime leaves out
ok "the tutorial is true" sh -c 'cd page && exec python3 "$1" "$2" $3' sh \
	"$top_srcdir/tests/driver/tutorial.py" "$top_srcdir/docs/tutorial.md" "${LOOPC_BLESS:+--write}"
ok "the page on levels is true" sh -c 'cd levels && exec python3 "$1" "$2" $3' sh \
	"$top_srcdir/tests/driver/tutorial.py" "$top_srcdir/docs/levels.md" "${LOOPC_BLESS:+--write}"
finish
