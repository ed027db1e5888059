#!/bin/sh
# Double buffers in groups: what each buffer needs is known to the byte, and the schedule's
# text says which are double.
. "$top_srcdir/tests/tap/tap.sh"

layers=$top_srcdir/tests/mutation/layers.loop
lines="-D C=4 -D H=9 -D W=6"       # rows follow each other: rings, weights held
whole="-D C=7 -D H=4 -D W=3"       # no loop moves anything: weights come in chunks

machine()
{
	printf 'name: of-%s\nscratchpad: { bytes: %s }\n' "$1" "$1" >machine.yaml
}

# compiles NAME OPTIONS...: verified; its schedule in schedule, its report in out.
compiles()
{
	name=$1
	shift
	exits 0 "$name" "$LOOPC" --arch=machine.yaml --fuse=all --verify --report \
		--emit=schedule=schedule "$@" "$layers"
}

used()
{
	sed -n 's/^  scratchpad: \([0-9,]*\) of .*/\1/p' out | tr -d ,
}

moved()
{
	sed -n 's/^in all: .* \([0-9,]*\) moved.*/\1/p' out | tr -d ,
}

machine 1536
compiles "rows" $lines --buffering=double
has out 'scratchpad: .* double buffered' "rows: the report says so"
has schedule '^double X$' "rows: what is read comes ahead"
has schedule '^double Y$' "rows: what is written goes out later"
hasnt schedule '^double [TUV]$' "rows: nothing else moves"
double=$(used)
cp schedule given
grep -v '^double' given >single
moved >moved.double

# The same schedule single buffered needs one row of each less, and moves as much.
compiles "rows, single" $lines --schedule=single
hasnt schedule '^double' "rows, single: none is double"
is "$(moved)" "$(cat moved.double)" "rows, single: as much moves"
is $((double - $(used))) $((4 * 6 * 4 * 2)) "rows, single: a row of X and one of Y less"
compiles "rows, single is enough" $lines --schedule=single --buffering=double
hasnt schedule '^double' "rows, single is enough: the schedule has the last word"

# Exactly what it needs is enough, and less is not.
machine "$double"
compiles "rows, tight" $lines --schedule=given
same given schedule "rows, tight: the same schedule"
machine $((double - 4))
compiles "rows, too tight" $lines --schedule=given
has schedule '^stream Y k 2$' "rows, too tight: the result goes in chunks"
has schedule '^double Y' "rows, too tight: while the next one is computed"
has out 'Y_0 .* x 2 slots' "rows, too tight: it has two places"

machine 1536
compiles "chunks" $whole --buffering=double
has schedule '^stream V k 1$' "chunks: weights come in them"
has schedule '^double V$' "chunks: the next one comes ahead"
has out 'V_0 .* x 2 slots' "chunks: they have two places"
double=$(used)
cp schedule given
machine "$double"
compiles "chunks, tight" $whole --schedule=given
same given schedule "chunks, tight: the same schedule"
machine $((double / 2))
exits 3 "chunks, too tight" "$LOOPC" --arch=machine.yaml --schedule=given $whole "$layers"

# Where there is no room, auto leaves single what is least moved.
machine 2048
compiles "auto" $lines --buffering=auto
has schedule '^double' "auto: there is room"
compiles "single" $lines --buffering=single
single=$(moved)
machine "$(used)"
compiles "auto, no room" $lines --buffering=auto
is "$(moved)" "$single" "auto, no room: no more moves than with single buffers"

machine 1536
printf 'nest layers.0-1\ntile h 1\norder h\ndouble Z\n' >wrong
exits 1 "an array that is not there" "$LOOPC" --arch=machine.yaml $lines --schedule=wrong "$layers"
has err "wrong:4:8: error: .*array .*'Z'" "an array that is not there: message"
finish
