#!/bin/sh
# Nests without closed forms on a scratchpad far smaller than their arrays: bands that
# are skewed, statements at a loop's bound, several buffers of one array, sequential
# loops, and parts of a body with schedules of their own.
. "$top_srcdir/tests/tap/tap.sh"
cat >small.yaml <<'END'
name: small
scratchpad: { bytes: 1024 }
END

verify()
{
	taken || return
	sizes=
	for size in $(grep "^$1 " "$top_srcdir/examples/sizes.txt" | cut -d' ' -f2-); do
		sizes="$sizes -D $size"
	done
	# shellcheck disable=SC2086
	ok "$1 in 1 KB" "$LOOPC" --arch=small.yaml --verify $sizes "$top_srcdir/examples/$1"
}

verify polyhedral/lu.loop
verify polyhedral/cholesky.loop
verify polyhedral/floyd-warshall.loop
verify polyhedral/nussinov.loop
verify polyhedral/adi.loop
verify polyhedral/heat-3d.loop
verify polyhedral/covariance.loop
verify polyhedral/trmm.loop
verify polyhedral/seidel-2d.loop
verify nn/softmax.loop

# Borders cost nothing: a padded convolution moves its input once where it fits.
cat >large.yaml <<'END'
name: large
scratchpad: { bytes: 65536 }
END
exits 0 "a padded convolution" "$LOOPC" --arch=large.yaml -D N=1 -D K=4 -D C=3 -D H=9 -D W=8 -D R=3 \
	--verify --report "$top_srcdir/examples/conv/padded.loop"
has out 'compulsory, *0\.0 %|  0\.0 % above' "moves each element once"
# Its schedule is searched with the border: on a scratchpad that holds little of it too.
exits 0 "a padded convolution in 512 bytes" "$LOOPC" --arch=small.yaml -D N=1 -D K=8 -D C=6 -D H=9 -D W=8 -D R=3 \
	--verify --report=padded.json "$top_srcdir/examples/conv/padded.loop"
has padded.json '"optimal": *true' "is optimal"

# Of a triangle only the triangle moves, tile by tile and row by row on the diagonal.
cat >triangle.loop <<'END'
void triangle(const float L[100][100], const float x[100], float y[100], float U[100][100])
{
  for (int i = 0; i < 100; i++) {
    y[i] = 0;
    for (int j = 0; j <= i; j++) {
      y[i] += L[i][j] * x[j];
      U[j][i] = L[i][j];
    }
  }
}
END
exits 0 "a triangle" "$LOOPC" --arch=small.yaml --verify --report triangle.loop
has out '  L  *40,000  *20,200 ' "is read once"
has out '  U  *40,000  *0  *20,200 ' "and written once, and nothing of it is read"
# Both halves of a symmetric matrix are written: C[i][j] and C[j][i] have buffers of their
# own, and the products are tiled.  Copies of the diagonal onto itself are none.
cat >symmetric.loop <<'END'
void symmetric(const int A[40][32], int C[32][32])
{
  for (int i = 0; i < 32; i++)
    for (int j = i; j < 32; j++) {
      C[i][j] = 0;
      for (int k = 0; k < 40; k++)
        C[i][j] += A[k][i] * A[k][j];
      C[j][i] = C[i][j];
    }
}
END
printf 'nest symmetric\nform apart A 0 1 C 0 1\n' >symmetric.schedule
exits 0 "a symmetric product" "$LOOPC" --arch=small.yaml --verify --report --emit=schedule \
	--schedule=symmetric.schedule symmetric.loop
has out 'C *4,096 *0 *4,096 *4,096' "writes its result once"
hasnt out 'tile i 1$' "is tiled along i"
hasnt out 'tile k 1$' "and along k"
# One part after the other it moves 128 bytes more in all.
printf 'nest symmetric\nform parts\n' >parts.schedule
exits 0 "a symmetric product in parts" "$LOOPC" --arch=small.yaml --verify --report --schedule=parts.schedule symmetric.loop
has out 'total *17,536 *6,208 *23,744' "which moves a little more"
exits 0 "a symmetric product, whatever is best" "$LOOPC" --arch=small.yaml --verify --report symmetric.loop
has out 'total *19,520 *4,096 *23,616' "which is less"
printf 'nest floyd_warshall\nform plain\n' >plain.schedule
exits 0 "remarks" "$LOOPC" --arch=large.yaml -D N=19 -Rloop -o x.c --schedule=plain.schedule \
	"$top_srcdir/examples/polyhedral/floyd-warshall.loop"
has err "remark: loop 'i' is not tiled: a dependence on 'path' would" "a remark says which loop is not tiled"
exits 0 "remarks on loops in order" "$LOOPC" --arch=small.yaml -D N=49 -Rloop -o x.c \
	"$top_srcdir/examples/polyhedral/floyd-warshall.loop"
has err "remark: loop 'k' runs one iteration at a time" "an outer loop is not tiled"
has err "remark: loop 'j' cannot be tiled together with the loops around it: a dependence on 'path'" "and why"
cat >rows.loop <<'END'
void rows(double A[6][7][40], const double C[40][40], double sum[40])
{
  for (int r = 0; r < 6; r++)
    for (int q = 0; q < 7; q++) {
      for (int p = 0; p < 40; p++) {
        sum[p] = 0;
        for (int s = 0; s < 40; s++)
          sum[p] += A[r][q][s] * C[s][p];
      }
      for (int p = 0; p < 40; p++)
        A[r][q][p] = sum[p];
    }
}
END
printf 'name: rows\nscratchpad: { bytes: 1024 }\n' >rows.yaml
exits 0 "remarks on two loops" "$LOOPC" --arch=rows.yaml -Rloop -o x.c rows.loop
has err "^rows.loop:4:5: remark: loop 'q' runs one iteration at a time" "they are where the loops are"
has err "dependence on 'sum' or 'A' would run backwards" "and name all arrays that it may be"
cat >passes.loop <<'END'
void passes(float a[30][30], float b[30][30])
{
  for (int t = 0; t < 5; t++) {
    for (int i = 0; i < 30; i++)
      for (int j = 0; j < 30; j++)
        b[i][j] = a[j][i];
    for (int i = 0; i < 30; i++)
      for (int j = 0; j < 30; j++)
        a[i][j] = b[i][29 - j];
  }
}
END
exits 0 "remarks on parts" "$LOOPC" --arch=rows.yaml -Rloop -o x.c passes.loop
has err "^passes.loop:3:3: remark: no tiles of the whole nest fit: each part" "they say that there are parts"

# Double buffered: the next tile's rows come during this one, where nothing forbids it.
exits 0 "a triangle, double buffered" "$LOOPC" --arch=small.yaml --buffering=double --verify \
	--report --emit=schedule triangle.loop
has out 'store L in . double' "what is read is double"
has out 'store U in . double' "what is written is double"
has out '  L  *40,000  *20,200 ' "the same is read"
has out 'double buffered' "the report says so"
cat >prefix.loop <<'END'
void prefix(int A[40][50])
{
  for (int i = 1; i < 40; i++)
    for (int j = 0; j < 50 - i; j++)
      A[i][j] += A[i - 1][j + 1];
}
END
exits 0 "what the next row needs" "$LOOPC" --arch=small.yaml --buffering=double --verify \
	--emit=schedule prefix.loop
hasnt out 'double' "goes out before that comes in"
cat >warnings.yaml <<'END'
name: m
scratchpad: { bytes: 73856, align_bytes: 16 }
dma: { startup_cycles: 20, bytes_per_cycle: 4, max_rank: 1, max_bytes: 4096 }
END
cat >names.loop <<'END'
void names(double A[3][7][6], const float B[3][3][4][3], const double C[3][7][3][3])
{
  for (int i = 1; i < 4; i++)
    for (int j = 1; j < 2 * i + 2; j++)
      for (int k = 2; k >= 0; k--)
        for (int l = 0; l < 4; l++)
          for (int m = 1; m < k + 4; m++)
            for (int n = 0; n < 5 && n < 4; n += 2)
              A[i - 1][j - 1][k] += B[i - 1][k][l][n] * C[i - 1][j - 1][k][n];
}
END
exits 0 "values that cancel out" "$LOOPC" --arch=warnings.yaml --buffering=double --verify \
	-o names.c names.loop
ok "have no names" "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -I"$top_srcdir/runtime" -c names.c

# The code of skewed tiles has more questions for isl than what they move: where these take too
# long it does without, so that all that is weighed can be emitted.
printf 'name: large\nscratchpad: { bytes: 64K }\n' >large.yaml
skewed()
{
	printf 'tile w0 %d\ntile w1 %d\ntile w2 %d\ntile w3 %d\norder w0 w1 w2 w3\n' "$3" "$4" "$5" "$6" \
		>skewed.schedule
	printf 'store B in w3\nstore A in w3\n' >>skewed.schedule
	exits 0 "skewed tiles of $3 x $4 x $5 x $6 have code for $1 steps of $2 cubed" "$LOOPC" -D "T=$1" -D "N=$2" \
		--arch=large.yaml --schedule=skewed.schedule ${7-} -o skewed.c \
		"$top_srcdir/examples/polyhedral/heat-3d.loop"
}
skewed 12 20 2 9 6 10 --verify
[ -n "$SANITIZER_FLAGS" ] || skewed 20 20 2 7 7 7
[ -n "$SANITIZER_FLAGS" ] || skewed 20 24 2 6 9 10

# A nest of many forms, of which those that are tried first take all of isl's work where they fit, and do
# not fit in less: more scratchpad moves no more all the same.
cat >forms.loop <<'END'
#include <stdint.h>
void forms(uint8_t A[100][100][37][37], const int64_t B[34][37], const int64_t C[246][221],
           const long D[37][75][9][7], const uint8_t E[221][76][100][125])
{
  for (int i = 36; i >= 0; i--)
    for (int j = 2 * i; j <= 2 * i + 2; j++)
      for (int k = 2; k < 9; k++) {
        for (int l = 0; l < 9; l++)
          for (int m = 8; m > l; m--)
            A[25][m + 25][m][i] -= ((B[m + 25][i] * A[i + 25][j + 25][l][i])
              + (E[m + 74][k + 1][m + 25][l + 50] - C[k + 25][j])) ^ D[i][j][l][k - 2];
        A[k + 25][j + 25][i][i] -= E[-j + 74][j + 1][j + 25][i + 50]
          + E[j + 2 * i + 74][k + 1][i + 25][j + 50];
        A[k + 25][j + 25][i][i] |= B[k + 25][i] & A[j + 25][i + 25][k][k + 1];
      }
}
END
# no_more NAME SIZES...: of scratchpad, each of which moves no more than the one before.
no_more()
{
	name=$1 least=
	shift
	for bytes; do
		printf 'name: some\nscratchpad: { bytes: %d }\n' "$bytes" >some.yaml
		exits 0 "$name in $bytes bytes" "$LOOPC" --arch=some.yaml --report=some.json -o some.c "$name.loop"
		moved=$(sed -n 's/.*"total_bytes": *\([0-9]*\).*/\1/p' some.json | head -n 1)
		: "${least:=$moved}"
		[ -n "$moved" ] && [ "$moved" -le "$least" ]
		result $? "$name: $bytes bytes of scratchpad move no more than less: $moved, $least"
		least=$moved
	done
}
# (with sanitizers that takes minutes)
[ -n "$SANITIZER_FLAGS" ] || no_more forms 16384 98304 1048576

# With i one after the other the model counts what moves, where k runs whole in a tile; with j too, where
# k has tiles, less moves.
cat >whole.loop <<'END'
#include <stdint.h>
void whole(const uint8_t A[40][48][40], const uint32_t B[1], int64_t C[7])
{
  for (int i = 0; i < 26; i++)
    for (int j = 0; j < 40; j++)
      for (int k = 2; k < 11; k++)
        for (int l = 0; l < 7; l++) {
          C[l] = 0;
          for (int m = 0; m < 1; m++)
            C[l] += A[k][j + k - 2][l + k] + A[m][k - 2][l] + A[j][k - 2][j] + B[m];
        }
}
END
no_more whole 512 1024 1448 4096 8192

# Boxes around every third element move what is between.  Whole columns fit in more than rows do.
cat >thirds.loop <<'END'
void thirds(int A[29][28])
{
  for (int i = 0; i < 29; i++)
    for (int j = 0; j <= i - 1; j++)
      if (j % 3 == 2)
        A[i][j] = j;
}
END
[ -n "$SANITIZER_FLAGS" ] || no_more thirds 893 1786 3572 5312 7144 28576

# In 64 bytes its parts move less than the whole does in 512.
cat >parted.loop <<'END'
#include <stdint.h>
void parted(int P3[47][49], int64_t P8[48][26], const long P10[24][47][24], double P12[24])
{
  for (int i = 0; i < 24; i++) {
    for (int j9 = (i - 3 > 0 ? i - 3 : 0); j9 <= (i + 3 < 23 ? i + 3 : 23); j9++) {
      for (int k10 = 0; k10 <= 0; k10++) {
        if (j9 + k10 > 11) {
          P3[j9 + 23][i + 25] += P10[i][j9 + 23][i];
        } else {
          P3[i + 23][j9 + 23] += P8[j9 + 23][i];
        }
        P3[k10 + 23][i + 23] += P8[j9 + 23][i];
      }
    }
    float s11 = P3[i + 23][i + 23];
    for (int j12 = 0; j12 < 2; j12++)
      s11 += P10[i][j12 + 23][i];
    P12[i] += s11;
  }
}
END
[ -n "$SANITIZER_FLAGS" ] || no_more parted 128 512 1024
finish
