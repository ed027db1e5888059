#!/bin/sh
# What the user says of a schedule is so in the result, or refused with a message at the line.
. "$top_srcdir/tests/tap/tap.sh"
cat >product.loop <<'END'
void product(int C[64][64], const int A[64][64], const int B[64][64])
{
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 64; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
cat >two.loop <<'END'
void two(const int A[40], int B[40], int C[40])
{
	for (int i = 0; i < 40; i++)
		B[i] = A[i];
	for (int j = 0; j < 40; j++)
		C[j] = B[j];
}
END
printf 'name: small\nscratchpad: { bytes: 2048 }\n' >small.yaml

count=0

# refused STATUS SOURCE LINE:COLUMN MESSAGE LINES...: the schedule of these lines.
refused()
{
	status=$1 source=$2 place=$3 message=$4
	shift 4
	printf '%s\n' "$@" >said
	exits "$status" "refused: $*" "$LOOPC" --arch=small.yaml --schedule=said -o x.c "$source"
	has err "^said:$place: error: $message" "refused: $*: message"
}
refused 3 product.loop 1:1 "nothing fits: no schedule of 'product' with what is said of it" 'store B outside'
has err "note: 'store B outside' alone: at least 16392 bytes are needed" "what the line needs"
refused 3 product.loop 1:1 "nothing fits: .* needs at most the 2048 bytes" 'tile i 16' 'tile j 32'
has err "said:1:1: note: 'tile i 16' alone: at least [0-9]* bytes" "what the first tile needs"
has err "said:2:1: note: 'tile j 32' alone: at least [0-9]* bytes" "what the second tile needs"
has err 'said:1:1: note: all together: at least [0-9]* bytes' "what both need"
refused 1 product.loop 1:6 "'products' names nests that are not there, the nests are product" 'nest products' 'tile i 4'
refused 1 product.loop 1:6 "'product.1' names nests" 'nest product.1'
refused 1 product.loop 1:1 "a nest's name is missing" nest
refused 1 product.loop 2:1 "'tile i 8' says again" 'tile i 4' 'tile i 8'
refused 1 product.loop 2:1 "'order j i' says again" 'order i j' 'order j i'
refused 1 product.loop 2:1 "'store A:0 outside' says again" 'store A outside' 'store A:0 outside'
refused 1 product.loop 3:1 "'nest product' says again" 'nest product' 'tile i 4' 'nest product'
refused 1 product.loop 1:1 "something is missing: 'store ARRAY outside.in LOOP" 'store B'
refused 1 product.loop 1:1 "something is missing: 'tile LOOP SIZE' is wanted" 'tile i'
refused 1 product.loop 1:10 "unexpected '5'" 'tile i 4 5'
refused 1 product.loop 3:1 "loop 'i' does not move what is held" '# a comment' 'order i j k' 'store B in i'
refused 1 product.loop 1:1 'a buffer outside all loops' 'store B outside slots 2'
refused 1 product.loop 1:1 'all iterations of a loop in one tile' 'tile i 64' 'order i j'
refused 1 product.loop 2:1 "the nest is scheduled in parts: this line belongs below" 'form parts' 'tile i 4'
refused 1 product.loop 1:6 "'product/0' is a part of 'product', for which 'form parts'" 'nest product/0' 'tile i 4'
refused 1 two.loop 1:1 "a heading 'nest NAME' is missing before this line: the nests are two.0 to two.1" 'store B outside'
refused 1 two.loop 1:6 "'two' names nests that are not there, the nests are two.0 to two.1" 'nest two' 'tile i 4'
refused 1 two.loop 2:1 "tile, order, serpentine, memory, carry, repeat, stream, double, merge or fuse is wanted of a group, not 'store'" 'nest two.0-1' 'store B outside'
refused 1 two.loop 2:12 "no loop that can be tiled is called 'i'" 'nest two.0-1' 'serpentine i'
refused 1 two.loop 2:6 "the group cannot keep on chip the array 'A'" 'nest two.0-1' 'fuse A'
refused 1 two.loop 2:10 "no loop is called 'z'" 'nest two.0-1' 'stream A z 3'
refused 3 two.loop 1:6 "nothing fits: no schedule of the nests 'two.0' to 'two.1' as one" 'nest two.0-1' 'tile j 4' 'repeat j'
refused 1 two.loop 2:1 "'B' is no local array" 'nest two.0' 'carry B'

# What can be is so, line by line.
printf 'tile i 4\ntile k 8\norder j i k\nserpentine k\nstore A in i\n' >said
exits 0 "kept" "$LOOPC" --arch=small.yaml --schedule=said --verify --emit=schedule=s product.loop
has s '^tile i 4$' "a tile is kept"
has s '^order j i k$' "an order is kept, to its last loop"
has s '^serpentine i k$' "a turn is kept"
exits 0 "in DOS's lines, with a mark before and no end" sh -c "printf '\\357\\273\\277tile i 4\\r\\ntile k 8' |
	'$LOOPC' --arch=small.yaml --schedule=- --emit=schedule=s product.loop"
has s '^tile k 8$' "the last line is read"

# The best of what a line leaves is not called the best of all.
printf 'name: large\nscratchpad: { bytes: 4K }\n' >large.yaml
"$LOOPC" --arch=large.yaml --report product.loop >free
for line in 'tile i 3' 'order k j i' 'tile k 64' 'serpentine none' 'store C outside'; do
	echo "$line" >said
	"$LOOPC" --arch=large.yaml --schedule=said --report product.loop >out 2>err || continue
	moved=$(sed -n 's/^  total .* //p' out | tr -d ,) best=$(sed -n 's/^  total .* //p' free | tr -d ,)
	claims=0
	grep -q 'search: optimal' out && [ "$moved" -gt "$best" ] && claims=1
	is $claims 0 "'$line' moves $moved bytes, not less than $best: no false claim"
	count=$((count + 1))
done
ok "some lines leave something" test "$count" -ge 3

# Pragmas, too: of nests that would be fused, and against a file.
sed 's/^\tfor (int i/#pragma loopc tile i 5\n&/' two.loop >pragma.loop
exits 0 "a nest with a tile" "$LOOPC" --verify --emit=schedule=s pragma.loop
has s '^nest two.0$' "a nest with a tile is in no group"
has s '^tile i 5$' "its tile is kept"
sed 's/^\tfor (int i/#pragma loopc fuse\n&/' pragma.loop >both.loop
exits 1 "a tile and fuse" "$LOOPC" -o x.c both.loop
has err 'both.loop:4:.*one of the two has a schedule of its own' "a tile and fuse: message"
sed 's/^\tfor (int i/#pragma loopc tile i 5\n&/' pragma.loop >twice.loop
exits 1 "two tiles" "$LOOPC" -o x.c twice.loop
has err "twice.loop:4:15: error: 'tile i 5' says again" "two tiles: message"
sed 's/^\tfor (int i/#pragma loopc fuse B\n&/' two.loop >fuse.loop
exits 1 "an array after fuse" "$LOOPC" -o x.c fuse.loop
sed 's/^\tfor (int i/#pragma loopc carry A\n&/' two.loop >carry.loop
exits 1 "a parameter that is carried" "$LOOPC" -o x.c carry.loop
has err "carry.loop:3:15: error: 'A' is no local array" "a parameter that is carried: message"
printf 'nest two.0\ntile i 8\n' >said
exits 0 "a file against a pragma" "$LOOPC" --schedule=said --emit=schedule=s pragma.loop
has s '^tile i 8$' "the file has the last word"
has err "pragma.loop:3:15: warning: 'tile i 5' gives way to what the schedule's file says .*Wschedule" "with a warning"
printf 'nest two.0-1\n' >said
exits 0 "a group against a pragma" "$LOOPC" --schedule=said --emit=schedule=s pragma.loop
has err "pragma.loop:3:15: warning: 'tile i 5' gives way" "a group against a pragma: a warning"

exits 0 "random lines on random nests" python3 "$top_srcdir/tests/passes/constraints.py" "$LOOPC" 61 "$(inputs 86 70)"
cat out
finish
