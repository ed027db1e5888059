#!/bin/sh
# Sums into the same elements, one behind the other, in one dimension.  LOOPC_CHAINED=N: so many random nests.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi

cat >gates.loop <<'END'
void gates(const float W[64][48], const float x[16][48], const float U[64][64], const float h[16][64], float G[16][64])
{
	for (int b = 0; b < 16; b++)
		for (int j = 0; j < 64; j++) {
			G[b][j] = 0;
			for (int d = 0; d < 48; d++)
				G[b][j] += W[j][d] * x[b][d];
			for (int k = 0; k < 64; k++)
				G[b][j] += U[j][k] * h[b][k];
		}
}
END
printf 'name: m\nscratchpad: { bytes: 1024 }\n' >machine.yaml
total() { awk '$1 == "total" { gsub(",", ""); print $NF; exit }' out; }
exits 0 "two sums" "$LOOPC" --arch=machine.yaml --verify --report --emit=schedule=found,c=one.c gates.loop
has found '^form chained$' "two sums: chained"
chained=$(total)
exits 0 "two sums, given back" "$LOOPC" --arch=machine.yaml --schedule=found --emit=schedule=again gates.loop
ok "two sums, given back: the same schedule" cmp -s found again
for form in plain 'parts sequential 0' 'parts sequential 1'; do
	printf 'nest gates\nform %s\n' "$form" >wanted
	exits 0 "$form" "$LOOPC" --arch=machine.yaml --schedule=wanted --report gates.loop
	ok "$form moves more" test "$(total)" -gt "$chained"
done
# An element that is read between the sums has to wait for all of the first.
sed 's/for (int k/G[b][j] = G[b][j] > 0 ? G[b][j] : 0;\n\t\t\t&/' gates.loop >between.loop
printf 'nest gates\nform chained\n' >wanted
exits 1 "between" "$LOOPC" --arch=machine.yaml --schedule=wanted between.loop
has err "cannot be lowered in this form" "between: says so"

ok "random nests" python3 -B "$top_srcdir/tests/passes/chained.py" "$LOOPC" 1 \
	"${LOOPC_CHAINED:-$(inputs 12 4)}"
finish
