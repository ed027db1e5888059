#!/bin/sh
# What must move at least, of random nests of any shape, counted element by element; and what a
# search claims, against searches of a part of its space.
. "$top_srcdir/tests/tap/tap.sh"
claims=$top_srcdir/tests/optimality
python3 "$claims/compulsory.py" 1 14 >nests.loop
exits 0 "random nests" "$LOOPC" --arch=tiny-2k --fuse=never -o nests.c --report=nests.json nests.loop
ok "what is compulsory is exact, and no bound is above what moves" \
	python3 "$claims/compulsory.py" 1 14 nests.json
ok "no schedule with a line changed is below what the search claims" \
	python3 "$claims/constrained.py" "$LOOPC" 1 "$(inputs 5 2)"
ok "no execution of triangles, or in place, moves less than the bound" \
	python3 "$claims/executions.py" "$LOOPC" 1 "$(inputs 16 6)"
ok "no bound of windows is above what they touch" \
	python3 "$claims/windows.py" "$LOOPC" 1 "$(inputs 12 5)"
finish
