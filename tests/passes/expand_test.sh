#!/bin/sh
# Scalars that carry sums: kept in arrays on chip where that moves less, in the array of
# the result where the sum is stored as it is.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 512 }\n' >small.yaml

# kernel NAME BODY: a product of matrices, BODY for each element of C and D.
kernel()
{
	cat >"$1.loop" <<END
#include <stdint.h>
#ifndef N
#define N 1
#endif
void $1(const int8_t A[N][N], const int8_t B[N][N], int32_t C[N][N], int8_t D[N][N])
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      $2
    }
}
END
}

# total NAME: bytes moved.
total()
{
	exits 0 "$1 verifies" "$LOOPC" --arch=small.yaml -D N=300 --verify --report "$1.loop"
	moved=$(awk '$1 == "total" { gsub(",", ""); print $NF }' out)
}

product='for (int k = 0; k < N; k++)'
kernel textbook "C[i][j] = 0; $product C[i][j] += A[i][k] * B[k][j]; D[i][j] = 0;"
kernel scalar "int32_t s = 0; $product s += A[i][k] * B[k][j]; C[i][j] = s; D[i][j] = 0;"
total textbook
textbook=$moved
total scalar
is "$moved" "$textbook" "a sum in a scalar moves what the sum in its result does"
hasnt out 'array s' "and needs no array of its own"
exits 0 "its code" "$LOOPC" --arch=small.yaml -D N=300 --emit=c,plan scalar.loop
hasnt out '^[ 	]*s += ' "the sum is kept in the result"

# With a conversion at the end the sum has an array of its own.
kernel shifted "int32_t s = 0; $product s += A[i][k] * B[k][j]; C[i][j] = 0; D[i][j] = (int8_t)(s >> 8);"
total shifted
is "$(awk '$1 == "s" { print $3 }' out)" "$(awk '$1 == "s" { print $4 }' out)" \
	"what of a sum of its own goes out comes back, and nothing more"
has out '^  s ' "it has an array"
"$LOOPC" --arch=small.yaml -D N=300 --emit=plan -o shifted.plan shifted.loop
exits 0 "its plan is read back" "$LOOPC" --emit=plan -o again.plan shifted.plan
same shifted.plan again.plan "and is the same"

# Where each row's sum is wanted by the next, the scalar stays a scalar.
cat >carried.loop <<'END'
void carried(const float A[60][60], float R[60])
{
  float s = 1;
  for (int i = 0; i < 60; i++) {
    for (int j = 0; j < 60; j++)
      s += A[i][j];
    R[i] = s;
  }
}
END
exits 0 "a sum that goes on from row to row" "$LOOPC" --arch=small.yaml --verify --emit=c carried.loop
has out 's += ' "it stays in the core"

# The value is also wanted where it may not be stored: not every element gets it.
cat >sometimes.loop <<'END'
void sometimes(const int A[80][80], const int B[80][80], int C[80][80])
{
  for (int i = 0; i < 80; i++)
    for (int j = 0; j < 80; j++) {
      int s = 0;
      for (int k = 0; k < 80; k++)
        s += A[i][k] * B[k][j];
      if (i > j)
        C[i][j] = s;
    }
}
END
exits 0 "a sum that is stored on a condition" "$LOOPC" --arch=small.yaml --verify sometimes.loop
# One scalar for sums that have nothing to do with each other, in several nests, that begin
# with the element which a function of the sum is stored in: each is summed up there.
cat >shared.loop <<'END'
void shared(const int A[90][90], int B[90][90], const int d[90], int y[90])
{
  int w;
  for (int i = 0; i < 90; i++) {
    for (int j = 0; j < i; j++) {
      w = B[i][j];
      for (int k = 0; k < 90; k++)
        w -= A[i][k] * A[k][j];
      B[i][j] = w / d[j];
    }
    for (int j = i; j < 90; j++) {
      w = B[i][j];
      for (int k = 0; k < 90; k++)
        w += A[i][k] * A[k][j];
      B[i][j] = w;
    }
  }
  for (int i = 0; i < 90; i++) {
    w = 0;
    for (int j = 0; j < 90; j++)
      w += A[i][j];
    y[i] = w;
  }
}
END
sed 's/void shared/void last/; s/^}$/  y[0] = w;\n}/' shared.loop >last.loop
for name in shared last; do
	exits 0 "$name" "$LOOPC" --arch=small.yaml --verify --report --emit=schedule=$name.schedule $name.loop
	has $name.schedule '^form expanded' "sums are where their results are stored"
done
moved=$(awk '$1 == "total" { gsub(",", ""); sum += $NF } END { print sum }' out)
ok "and the products are tiled: $moved bytes" test "$moved" -le 720000
# Between, the element is read: the sum cannot be there.
cat >between.loop <<'END'
void between(const int A[40][40], int B[40][40], int C[40][40])
{
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++) {
      int w = B[i][j];
      for (int k = 0; k < 40; k++)
        w += A[i][k] * B[k][j];
      C[i][j] = B[i][j];
      B[i][j] = w;
    }
}
END
exits 0 "an element that is read before its sum is stored" "$LOOPC" --arch=small.yaml --verify between.loop
# A recursive filter in both directions: what the scalars hold passes from tile to tile in arrays,
# one for each nest, as the nests use the same scalars.
cat >filter.loop <<'END'
void filter(const float X[90][90], float Y[90][90], float Z[90][90])
{
  float x1, y1, y2;
  for (int i = 0; i < 90; i++) {
    x1 = 0;
    y1 = 0;
    y2 = 0;
    for (int j = 0; j < 90; j++) {
      Y[i][j] = 0.5f * X[i][j] + 0.25f * x1 + 0.2f * y1 - 0.1f * y2;
      x1 = X[i][j];
      y2 = y1;
      y1 = Y[i][j];
    }
  }
  for (int j = 0; j < 90; j++) {
    x1 = 0;
    y1 = 0;
    for (int i = 89; i >= 0; i--) {
      Z[i][j] = 0.25f * x1 + 0.2f * y1;
      x1 = X[i][j];
      y1 = Z[i][j];
    }
  }
}
END
exits 0 "a filter" "$LOOPC" --arch=small.yaml --fuse=never --verify --report \
	--emit=schedule=filter.schedule filter.loop
is "$(awk '$1 == "total" { print $NF }' out | tr '\n' ' ')" "64,800 64,800 " "moves each element once"
is "$(grep -cx 'tile [ij] [2-9][0-9]*\|tile [ij] [1-9][0-9]' filter.schedule)" 4 "in tiles of both loops"
exits 0 "its schedule is taken back" "$LOOPC" --arch=small.yaml --fuse=never --schedule=filter.schedule \
	--emit=schedule=again.schedule filter.loop
same filter.schedule again.schedule "as it is"

sed 's/\[90\]\[90\]/[4096][2160]/g; s/i < 90/i < 4096/; s/j < 90/j < 2160/; s/i = 89/i = 4095/' filter.loop >large.loop
# Many ways to share memory between rows of equal arrays: the search ends all the same.
printf 'name: large\nscratchpad: { bytes: 32768 }\n' >large.yaml
exits 0 "the same, in large" "$LOOPC" --arch=large.yaml --fuse=never --report -o large.c large.loop
ok "few points are looked at" test "$(awk '/points/ { sub(".*space, ", ""); gsub(",", ""); sum += $1 } END { print sum }' out)" -lt 1000000

# A system solved from its last row on: the tiles of the sum go backwards.
cat >backward.loop <<'END'
void backward(const double U[200][200], const double b[200], double x[200])
{
  double w;
  for (int i = 199; i >= 0; i--) {
    w = b[i];
    for (int j = i + 1; j < 200; j++)
      w -= U[i][j] * x[j];
    x[i] = w / U[i][i];
  }
}
END
printf 'name: medium\nscratchpad: { bytes: 4096 }\n' >medium.yaml
exits 0 "back substitution" "$LOOPC" --arch=medium.yaml --verify --report --emit=schedule=back.schedule backward.loop
has back.schedule '^tile j [2-9]|^tile j [1-9][0-9]' "is tiled"
exits 0 "double buffered" "$LOOPC" --arch=small.yaml -D N=37 --buffering=double --verify shifted.loop
finish
