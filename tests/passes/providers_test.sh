#!/bin/sh
# The two ways to know what a tile touches say the same.  LOOPC_PROVIDERS=N: so many random programs.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
# What takes many times as long with sanitizers is shorter there.
[ -n "$SANITIZER_FLAGS" ] ||
	ok "examples" python3 -B "$top_srcdir/tests/passes/providers.py" "$LOOPC" examples "$top_srcdir"
ok "random programs" python3 -B "$top_srcdir/tests/passes/providers.py" "$LOOPC" random 1 \
	"${LOOPC_PROVIDERS:-$(inputs 6 3)}"

# What no model knows: triangles, guards, sums around inner loops.
ok "turns without closed forms" python3 -B "$top_srcdir/tests/passes/turns.py" "$LOOPC" 1 "$(inputs 10 4)"

# The first row of tiles shows one tile of B, the last six: 21 of 40 bytes.  Where the loop along a row
# turns at its low end, twice, the tile stays; two slots hold the next one too, and one of the high end.
cat >in.loop <<'END'
void t(const int A[60][60], const int B[60], int C[60])
{
	for (int i = 0; i < 60; i++)
		for (int j = 0; j <= i; j++)
			C[i] += A[i][j] * B[j];
}
END
printf 'name: m\nscratchpad: { bytes: 800 }\n' >machine.yaml
while read -r turns slots bytes; do
	printf 'nest t\ntile i 10\ntile j 10\norder i j\nserpentine none %s\nstore B in j slots %d\n' "$turns" \
		"$slots" >wanted
	exits 0 "a triangle: turns '$turns', slots $slots" "$LOOPC" --arch=machine.yaml --buffering=single \
		--schedule=wanted --verify --report in.loop
	has out "^  B +240 +$bytes +0 " "a triangle: turns '$turns', slots $slots: $bytes bytes of B"
done <<'END'
none 1 840
j 1 760
j 2 640
END
printf 'nest t\ntile i 10\ntile j 10\norder i j\nserpentine none\nstore C in i slots 2\n' >wanted
exits 3 "no slots where no loop turns" "$LOOPC" --arch=machine.yaml --schedule=wanted in.loop
sed 's/60/N/g; s/(const/(int N, const/' in.loop >sized.loop
for line in 'serpentine j' 'store B in j slots 2'; do
	printf 'nest t\ntile i 10\ntile j 10\norder i j\n%s\n' "$line" >wanted
	exits 1 "sizes that are left to the run: no '$line'" "$LOOPC" --arch=machine.yaml --schedule=wanted \
		-D N=60 --symbolic=N sized.loop
done

# A local array whose elements each stay in one tile never leaves the chip, without closed forms too.
cat >in.loop <<'END'
void f(const int A[30][30], int B[30])
{
	int T[30][30];
	for (int i = 0; i < 30; i++) {
		for (int j = 0; j <= i; j++)
			T[i][j] = 2 * A[i][j];
		B[i] = 0;
		for (int j = 0; j <= i; j++)
			B[i] += T[i][j] * T[i][i - j];
	}
}
END
printf 'name: m\nscratchpad: { bytes: 800 }\n' >machine.yaml
printf 'nest f\nform isl\n' >wanted
for schedule in /dev/null wanted; do
	exits 0 "a triangle of locals, $schedule" "$LOOPC" --arch=machine.yaml --schedule=$schedule --verify \
		--report in.loop
	has out '^  T +[0-9,]+ +0 +0 +0$' "a triangle of locals, $schedule: it stays on chip"
done
has out '^    form isl' "the form is as wanted"
exits 0 "parts have no closed forms" "$LOOPC" --arch=machine.yaml --schedule=wanted -o out.c in.loop
printf 'nest f\nform parts sequential 1 isl\n' >wanted
exits 1 "and need no such word" "$LOOPC" --arch=machine.yaml --schedule=wanted -o out.c in.loop

# Every second element of a triangle: those between have no room, so that tiles of many rows fit.
cat >in.loop <<'END'
void g(const int A[60][60], int B[60][60])
{
	for (int i = 0; i < 30; i++)
		for (int j = 0; j <= i; j++)
			B[2 * i + 1][2 * j] = A[2 * i][2 * j];
}
END
printf 'name: m\nscratchpad: { bytes: 2000 }\n' >machine.yaml
exits 0 "a strided triangle" "$LOOPC" --arch=machine.yaml --verify in.loop
has err 'read 1,860 and wrote 1,860 bytes by 60 commands' "rows of it move as they are"
# What a sum begins with is seen in the first tile of its loops alone, and stays where another loop turns.
cat >bias.loop <<'END'
void bias(const float D[32], const float W[32][16], const float X[24][16], float O[24][32])
{
	for (int b = 0; b < 24; b++)
		for (int j = 0; j < 32; j++) {
			O[b][j] = D[j];
			for (int d = 0; d < 16; d++)
				O[b][j] += W[j][d] * X[b][d];
		}
}
END
printf 'name: m\nscratchpad: { bytes: 600 }\n' >machine.yaml
exits 0 "a bias" "$LOOPC" --arch=machine.yaml --emit=schedule=found,c=o.c --report bias.loop
has out 'search: optimal in the schedule space' "a bias: proved"
for lines in 'D in j' 'D in j slots 6' 'D in j slots 30'; do
	for loops in 'b j d' 'b j' 'j' 'b d'; do
		sed -e "s/^serpentine.*/serpentine $loops/" -e "s/^store D.*/store $lines/" found >wanted
		"$LOOPC" --arch=machine.yaml --schedule=wanted --report --verify -o o.c bias.loop >closed 2>err || continue
		sed -i '1a form isl' wanted
		exits 0 "a bias: '$lines', '$loops' turn" "$LOOPC" --arch=machine.yaml --schedule=wanted --report --verify -o o.c bias.loop
		is "$(sed -n 's/^  \(D .*\)/\1/p' out)" "$(sed -n 's/^  \(D .*\)/\1/p' closed)" "as much with regions from isl"
		tried=$((tried + 1))
	done
done
ok "$tried schedules of a bias" test "$tried" -ge 4
finish
