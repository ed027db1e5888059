# The rooms of passes/ use each other in one direction, and no files include in a circle.
. "$top_srcdir/tests/tap/tap.sh"

if ! command -v python3 >/dev/null 2>&1; then
	skip "rooms" "no python3"
	finish
fi
not_ok() { ! "$@"; }
rooms() { python3 -B "$top_srcdir/tests/passes/rooms.py" "$1"; }
# house NAME: two rooms, in order but for what a test adds.
house()
{
	mkdir -p "$1/passes/analysis" "$1/passes/cost" "$1/docs"
	touch "$1/passes/analysis/README" "$1/passes/cost/README" "$1/passes/analysis/a.h"
	echo 'See `passes/cost/b.h`.' >"$1/docs/ARCHITECTURE.md"
	echo '| a | b | `passes/analysis/a.h` |' >"$1/docs/glossary.md"
	echo '#include "passes/analysis/a.h"' >"$1/passes/cost/b.h"
}

ok "a room includes only those below it" rooms "$top_srcdir"
house good
ok "a house in order" rooms good
house up
echo '#include "passes/cost/b.h"' >up/passes/analysis/b.h
ok "an include of a higher room is found" not_ok rooms up
house circle
echo '#include "passes/cost/b.h"' >circle/passes/cost/c.h
echo '#include "passes/cost/c.h"' >>circle/passes/cost/b.h
ok "a circle is found" not_ok rooms circle
house silent
rm silent/passes/cost/README
ok "a room without a README is found" not_ok rooms silent
house gone
echo 'See `passes/cost/gone.c`.' >>gone/docs/ARCHITECTURE.md
ok "a file that is named and gone is found" not_ok rooms gone
house stale
echo '| a | b | `passes/analysis/gone.h` |' >stale/docs/glossary.md
ok "so is one that the glossary names" not_ok rooms stale

# A search is remembered by all that it depends on.
fields() { python3 -B "$top_srcdir/tests/passes/fields.py" "$1"; }
ok "questions are remembered by all their fields" fields "$top_srcdir"
mkdir -p one/passes/cost one/passes/search one/ir
for file in passes/cost/model.h passes/search/search.h passes/search/search_memo.c passes/search/mapping_search.h ir/arch.h \
	ir/pe_array.h; do
	cp "$top_srcdir/$file" one/$file
done
sed 's/^\tbool is_partial;/\tbool is_new;\n&/' "$top_srcdir/passes/cost/model.h" >one/passes/cost/model.h
ok "a field that was forgotten is found" not_ok fields one
sed 's/^\tbool is_partial;/\tint store;\n&/' "$top_srcdir/passes/cost/model.h" >one/passes/cost/model.h
ok "so is one with the name of another structure's" not_ok fields one
finish
