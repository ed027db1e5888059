# The rooms of passes/ use each other in one direction, and no files include in a circle.
. "$top_srcdir/tests/tap/tap.sh"

if ! command -v python3 >/dev/null 2>&1; then
	skip "rooms" "no python3"
	finish
fi
ok "a room includes only those below it" python3 -B "$top_srcdir/tests/passes/rooms.py" "$top_srcdir"
mkdir -p up/passes/analysis up/passes/cost
echo '#include "passes/cost/b.h"' >up/passes/analysis/a.h
: >up/passes/cost/b.h
not_ok() { ! "$@"; }
ok "one that includes a higher one is found" not_ok python3 -B "$top_srcdir/tests/passes/rooms.py" up
mkdir -p circle/passes/cost
echo '#include "passes/cost/b.h"' >circle/passes/cost/a.h
echo '#include "passes/cost/a.h"' >circle/passes/cost/b.h
ok "a circle is found" not_ok python3 -B "$top_srcdir/tests/passes/rooms.py" circle
finish
