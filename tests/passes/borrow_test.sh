#!/bin/sh
# Reference groups of an array that overlap in tiles on the diagonal: one that only reads
# reads in the buffer of the one that writes what that holds.
. "$top_srcdir/tests/tap/tap.sh"

# bytes FILE: what the report in FILE says is moved in all
bytes()
{
	awk '$1 == "total" { gsub(",", ""); sum += $NF } END { print sum }' "$1"
}

# borrows KERNEL BYTES LIMIT DEFINES...: in so much scratchpad it borrows, is right, moves at
# most LIMIT bytes, and the schedule that is printed makes the same again
borrows()
{
	kernel=$1 bytes=$2 limit=$3
	shift 3
	printf 'name: m\nscratchpad: { bytes: %d }\n' "$bytes" >m.yaml
	source=$kernel.loop
	[ -f "$source" ] || source=$top_srcdir/examples/polyhedral/$kernel.loop
	exits 0 "$kernel in $bytes bytes" "$LOOPC" --arch=m.yaml "$@" --verify --report \
		--emit=schedule=first.schedule "$source"
	has first.schedule '^form .*borrowed' "borrows"
	moved=$(bytes out)
	ok "and moves $moved, at most $limit" test "$moved" -le "$limit"
	exits 0 "its schedule" "$LOOPC" --arch=m.yaml "$@" --schedule=first.schedule \
		--emit=schedule=second.schedule "$source"
	ok "replays" cmp first.schedule second.schedule
}

# LU and its kin in blocks, which move a small part of what row by row moves.
borrows lu 1024 113000 -D N=48
[ -n "$SANITIZER_FLAGS" ] || borrows lu 3000 82000 -D N=48
borrows cholesky 1024 68000 -D N=48
borrows cholesky 600 29500 -D N=32
# Right-looking forms: the column that is divided is a part of the block that is updated, though its
# subscripts are those of what is read.
cat >cholesky-right.loop <<'END'
#include <math.h>
#ifndef N
#define N 1
#endif
void cholesky_right(double A[N][N])
{
  for (int k = 0; k < N; k++) {
    A[k][k] = sqrt(A[k][k] * A[k][k] + 1);
    for (int i = k + 1; i < N; i++)
      A[i][k] /= A[k][k];
    for (int j = k + 1; j < N; j++)
      for (int i = j; i < N; i++)
        A[i][j] -= A[i][k] * A[j][k];
  }
}
END
cat >lu-right.loop <<'END'
#ifndef N
#define N 1
#endif
void lu_right(double A[N][N])
{
  for (int k = 0; k < N; k++) {
    for (int i = k + 1; i < N; i++)
      A[i][k] /= A[k][k];
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}
END
borrows cholesky-right 1024 72500 -D N=48
[ -n "$SANITIZER_FLAGS" ] || borrows lu-right 1024 108000 -D N=48
# Tiles of rows and columns, one step of the outer loop after the other.
borrows floyd-warshall 512 475000 -D N=48
# A panel of columns stays, the rows it needs come one after the other.
borrows nussinov 1024 18500 -D N=40

# Parts of a tile that borrow and parts that do not run in the order of the source.
cat >shifted.loop <<'END'
#ifndef N
#define N 1
#endif
void shifted(unsigned D[N][N + 1])
{
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        D[i][j + 1] += 3 * D[i][k + 1] + D[k][j];
}
END
printf 'name: m\nscratchpad: { bytes: 4000 }\n' >m.yaml
for case in "5 5 3" "6 4 2" "7 8 2" "8 8 2"; do
	set -- $case
	printf 'nest shifted\nform sequential 1 refetched borrowed apart D 0 1 2\ntile j %d\ntile i %d\norder k j i\nstore D:0 in i\n' \
		"$2" "$3" >shifted.schedule
	ok "tiles of $2 and $3 of $1" "$LOOPC" --arch=m.yaml -D N="$1" --schedule=shifted.schedule \
		--verify shifted.loop
done
finish
