#!/bin/sh
# Sizes left to the run (--symbolic): every kind of buffer and loop, verified for several
# values of the sizes; the formulas; what cannot be done; the texts.
. "$top_srcdir/tests/tap/tap.sh"
cat >ample.yaml <<'END'
name: ample
scratchpad: { bytes: 65536 }
END
cat >small.yaml <<'END'
name: small
scratchpad: { bytes: 1024 }
END
cat >limits.yaml <<'END'
name: limits
scratchpad: { bytes: 1280, banks: 10, sharing: exclusive }
dma: { max_rank: 2, max_bytes: 64, max_stride_bytes: 128, max_count: 9 }
END

# NAME SIZES...: verifies NAME.loop on all machines, single and double buffered.
verify()
{
	name=$1
	shift
	for machine in ample small limits; do
		for buffering in $(inputs "single double" double); do
			taken || continue
			ok "$name on $machine, $buffering buffers" "$LOOPC" --arch=$machine.yaml \
				--buffering=$buffering --verify "$@" "$name.loop"
		done
	done
}

cat >gemm.loop <<'END'
void gemm(int N, int M, const float A[N][M], const float B[M][N], float C[N][N], float alpha)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      C[i][j] = 0;
      for (int k = 0; k < M; k++)
        C[i][j] += alpha * A[i][k] * B[M - 1 - k][j];
    }
}
END
verify gemm --symbolic=N,M -D N=20 -D M=13
# A size may be tuned for 1, as a batch is.
for size in 1 9; do
	ok "gemm tuned for 1 and $size" "$LOOPC" --arch=small.yaml --verify --symbolic=N,M -D N=1 \
		-D M=$size gemm.loop
done

# Loops that run once for the sizes tuned for carry what they carry for others.
cat >once.loop <<'END'
void again(int P, int M, double X[M])
{
  for (int p = 0; p < P; p++)
    for (int t = 0; t < M; t++)
      for (int q = 0; q < M; q++)
        X[t] += X[q];
}
void down(int P, int M, double X[M])
{
  for (int p = P - 2; p >= 0; p -= 3)
    for (int t = 0; t < M; t++) {
      double s = 0;
      for (int q = 0; q < M; q++)
        s += X[q];
      X[t] = s;
    }
}
void turns(int P, int M, double A[M + 2], double B[M + 2])
{
  for (int t = 0; t <= P - 2; t++) {
    for (int i = 1; i < M + 1; i++)
      B[i] = A[i - 1] + A[i] + A[i + 1];
    for (int i = 1; i < M + 1; i++)
      A[i] = B[i - 1] + B[i] + B[i + 1];
  }
}
void unused(int P, double X[P + 2])
{
  for (int k = 1; k < P; k++) {
    const double v = 1;
    X[2] = X[k];
  }
}
void guarded(int P, int M, unsigned X[P + 2], unsigned Y[M + P])
{
  for (int i = 0; i < P; i += 2)
    for (int j = 1; j < M; j++) {
      if (i + i < P)
        Y[P - 1 - i] += 3 * X[i];
      for (int k = 0; k < M - j; k++)
        X[i] += Y[k + i] + Y[j];
    }
}
END
for machine in ample small; do
	ok "loops tuned for one iteration on $machine" "$LOOPC" --arch=$machine.yaml --verify \
		--symbolic=P,M -D P=2 -D M=7 once.loop
done

cat >conv.loop <<'END'
#include <stdint.h>
void conv(int K, int C, int P, int Q, int R, const int16_t I[C][P + R - 1][2 * Q + R - 2],
          const int16_t W[K][C][R][R], int32_t O[K][P][Q])
{
  for (int k = 0; k < K; k++)
    for (int p = 0; p < P; p++)
      for (int q = 0; q < Q; q++) {
        O[k][p][q] = 0;
        for (int c = 0; c < C; c++)
          for (int r = 0; r < R; r++)
            for (int s = 0; s < R; s++)
              O[k][p][q] += I[c][p + r][2 * q + s] * W[k][c][r][s];
      }
}
END
verify conv --symbolic=K,P -D K=6 -D C=3 -D P=7 -D Q=6 -D R=3

# Borders, a loop that is empty for small sizes, statements around it.
cat >borders.loop <<'END'
void borders(int H, int W, const short in[H][W], short out[H][W], int rows[H], int count[H])
{
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      out[i][j] = 0;
      for (int r = 0; r < 3; r++)
        if (j + r - 1 >= 0 && j + r - 1 < W)
          out[i][j] += in[i][j + r - 1];
    }
  for (int i = 0; i < H; i++) {
    rows[i] = H;
    for (int j = 2; j < W - 2; j++)
      rows[i] += in[i][j - 2] - in[i][j + 2];
    count[i] = rows[i] * W;
  }
}
END
verify borders --symbolic=H,W -D H=17 -D W=19

# Several nests, arrays in the workspace, other types of sizes.
cat >layers.loop <<'END'
#include <stddef.h>
void layers(unsigned M, size_t N, const float A[M][N + 2], float y[M], float z[M][N + 2])
{
  float t[M][N + 2], u[N + 2];
  for (unsigned i = 0; i < M; i++)
    for (size_t j = 0; j < N + 2; j++)
      t[i][j] = A[i][j] * 2;
  for (size_t j = 0; j < N + 2; j++)
    u[j] = t[0][j];
  for (unsigned i = 0; i < M; i++)
    for (size_t j = 0; j < N + 2; j++)
      z[i][j] = t[i][j] + u[j] + M;
  for (unsigned i = 0; i < M; i++)
    y[i] = z[M - 1 - i][1];
}
END
verify layers --symbolic=M,N -D M=20 -D N=23

# No closed forms: a band that is skewed, a triangle, a loop that runs in order.
cat >jacobi.loop <<'END'
void jacobi(int N, double A[N], double B[N])
{
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3;
    for (int i = 1; i < N - 1; i++)
      A[i] = (B[i - 1] + B[i] + B[i + 1]) / 3;
  }
}
END
ok "jacobi" "$LOOPC" --arch=ample.yaml --symbolic=N -D N=50 --verify jacobi.loop
ok "jacobi tuned for nothing but its ends" "$LOOPC" --arch=ample.yaml --symbolic=N -D N=3 --verify \
	jacobi.loop
cat >trmm.loop <<'END'
void trmm(int M, int N, const double A[M][M], double B[M][N])
{
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      for (int k = i + 1; k < M; k++)
        B[i][j] += A[k][i] * B[k][j];
}
END
ok "trmm" "$LOOPC" --arch=ample.yaml --symbolic=N,M -D M=12 -D N=13 --verify trmm.loop

# Blocks of one matrix, of which some are read in the buffer of another one.
cat >lu.loop <<'END'
void lu(int N, double A[N][N])
{
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}
END
cat >paths.loop <<'END'
void paths(int N, int D[N][N])
{
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        D[i][j] = D[i][j] < D[i][k] + D[k][j] ? D[i][j] : D[i][k] + D[k][j];
}
END
for kernel in lu paths; do
	exits 0 "$kernel" "$LOOPC" --arch=small.yaml --symbolic=N -D N=23 -Rloop --verify $kernel.loop
	has err "for the sizes tuned for, but not for all" "says what it gave up for sizes in $kernel"
done

exits 0 "a report without all formulas" "$LOOPC" --arch=small.yaml --symbolic=N -D N=23 --report \
	--report=lu.json --emit=h=lu.h lu.loop
has out 'A +read +[0-9,]+ where N = 23 \(no short formula\)$' "says what moves where it is tuned"
has lu.json '"read_formula": null' "so does JSON"
! grep -q LU_READ_BYTES lu.h
result $? "and there is no macro"
exits 0 "several nests" "$LOOPC" --arch=small.yaml --symbolic=H,W -D H=17 -D W=19 -Rloop -o b.c borders.loop
has err "the nests of 'borders' are not fused: its sizes are symbolic" "are not fused"

# Subscripts that have sizes in them meet others for some sizes only.
cat >late.loop <<'END'
void late(int N, int A[N + 8], int B[8])
{
  for (int i = 0; i < 8; i++) {
    A[i] = 3 * i;
    B[i] = A[N - 1];
  }
}
END
ok "what meets for small sizes only" "$LOOPC" --arch=ample.yaml --symbolic=N -D N=20 --verify late.loop
cat >mirror.loop <<'END'
void mirror(int N, const float A[N], float B[N])
{
  float t[N];
  for (int i = 0; i < N; i++)
    t[i] = A[i] * 2;
  for (int i = 0; i < N; i++)
    B[i] = t[N - 1 - i];
}
END
exits 0 "what is read the other way round" "$LOOPC" --arch=small.yaml --symbolic=N -D N=20 --verify mirror.loop
! grep -q uninitialized err
result $? "is known to be written"

# A scalar carries a sum: the loops around it run in order, and buffers come inside them.
cat >sums.loop <<'END'
void sums(int N, double alpha, const double A[N][N], const double x[N], double y[N])
{
  for (int i = 0; i < N; i++) {
    double sum = 0;
    y[i] = 1;
    for (int j = 0; j < N; j++) {
      sum += A[i][j] * x[j];
      y[i] += A[j][i] * x[j];
    }
    y[i] = alpha * sum + y[i];
  }
}
END
ok "sums" "$LOOPC" --arch=ample.yaml --symbolic=N -D N=31 --verify sums.loop

# For the sizes tuned for as much moves as with these sizes bound.
exits 0 "bound sizes" "$LOOPC" --arch=small.yaml -D N=20 -D M=13 --report=bound.json gemm.loop
exits 0 "symbolic sizes" "$LOOPC" --arch=small.yaml --symbolic=N,M -D N=20 -D M=13 \
	--report=symbolic.json gemm.loop
total()
{
	grep -A 4 '"total": {' "$1" | grep -o '"total_bytes": [0-9]*'
}
test "$(total bound.json)" = "$(total symbolic.json)" -a -n "$(total bound.json)"
result $? "the same bytes"

# So does a sum in a scalar, whose loop then has tiles of its own.
cat >scaled.loop <<'END'
#include <stdint.h>
void scaled(int M, int N, int K, const int8_t A[M][K], const int8_t B[K][N], int8_t C[M][N],
	const int32_t scale[N])
{
  for (int i = M - 1; i >= 0; i--)
    for (int j = 0; j < N; j++) {
      int32_t s = 0;
      for (int k = 0; k < K; k++)
        s += A[i][k] * B[k][j];
      C[i][j] = (int8_t)((s * scale[j]) >> 16);
    }
}
END
exits 0 "a sum in a scalar, bound" "$LOOPC" --arch=small.yaml -D M=96 -D N=96 -D K=96 \
	--report=bound.json scaled.loop
exits 0 "and for all sizes" "$LOOPC" --arch=small.yaml --symbolic=M,N,K -D M=96 -D N=96 -D K=96 \
	--report=symbolic.json scaled.loop
test "$(total bound.json)" = "$(total symbolic.json)" -a -n "$(total bound.json)"
result $? "the same bytes"
! grep -q Wsizes err
result $? "and nothing to warn of"
ok "sums for all sizes" "$LOOPC" --arch=small.yaml --verify --symbolic=M,N,K -D M=23 -D N=20 -D K=19 \
	scaled.loop

# Where that cannot be, a warning has both numbers.
cat >twice.loop <<'END'
void twice(int M, int N, const double A[M][N], const double x[N], double y[N], double t[M])
{
  for (int i = 0; i < M; i++) {
    t[i] = 0;
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * x[j];
    for (int j = 0; j < N; j++)
      y[j] += A[i][j] * t[i];
  }
}
END
exits 0 "a row that is used twice, bound" "$LOOPC" --arch=small.yaml -D M=39 -D N=31 \
	--report=bound.json twice.loop
exits 0 "and of any length" "$LOOPC" --arch=small.yaml --symbolic=M,N -D M=39 -D N=31 \
	--report=symbolic.json twice.loop
has err "'twice' moves $(total symbolic.json | tr -dc 0-9) bytes at the sizes tuned for; with these \
sizes fixed it would move $(total bound.json | tr -dc 0-9) or less" "warns of what it moves more"
has err "note: what moves less is not right for all sizes: the buffer of 'A' would grow with them" "and says why"

# The formulas.
exits 0 "a report" "$LOOPC" --arch=ample.yaml --symbolic=N,M -D N=64 -D M=32 \
	--report=formula.json --report --emit=c=gemm.c,h=gemm.h,plan=gemm.plan,program=gemm.program gemm.loop
has out 'C +read +0$' "nothing comes in of C"
has out ' written 4 \* N \* N$' "C goes out once"
has out 'A +read +4 \* N \* M \* \(\(N - 1\) / 64 \+ 1\)$' "A comes in once a block of columns"
has formula.json '"write_formula": "4 \* N \* N"' "JSON has the formulas"
has gemm.c 'whatever the sizes:' "so has the comment"
has gemm.h 'define GEMM_WRITE_BYTES\(N, M\) \(\(4 \* \(int64_t\)\(N\) \* \(int64_t\)\(N\)\)\)' "and the header"
has gemm.h 'void gemm\(int N, int M, lrt_ext A' "sizes stay parameters"
ok "the C is free of warnings" "${CC:-cc}" -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror \
	-I "$top_srcdir/runtime" -I . -c gemm.c -o gemm.o

# Both forms of the program read back to themselves.
"$LOOPC" --emit=program gemm.program | cmp -s - gemm.program
result $? "the program's text reads back"
"$LOOPC" --emit=plan gemm.plan | cmp -s - gemm.plan
result $? "the plan's text reads back"
"$LOOPC" --emit=c gemm.plan | sed '/^ \* options/d' >again.c
sed '/^ \* options/d; /#include "gemm.h"/d' gemm.c >first.c
grep -v '^void gemm.*;$' again.c | grep -v '^$' >again.txt
grep -v '^void gemm.*;$' first.c | grep -v '^$' >first.txt
cmp -s first.txt again.txt
result $? "and gives the same C"

# What is wrong, and what cannot be done.
exits 2 "a size without a value" "$LOOPC" --symbolic=N gemm.loop
has err 'needs a value to tune for: -D N=VALUE' "says so"
exits 2 "fusion" "$LOOPC" --symbolic=N -D N=5 -D M=5 --fuse=auto gemm.loop
exits 1 "no size" "$LOOPC" --symbolic=X -D N=5 -D M=5 -D X=5 gemm.loop
has err "no function has a size 'X'" "says so"
exits 1 "too large" "$LOOPC" --symbolic=N -D N=300000000 -D M=5 gemm.loop
has err 'it must be from 1 to 268435456' "names the range"
cat >outside.loop <<'END'
void outside(int N, float A[N])
{
  for (int i = 0; i < 5; i++)
    A[i] = 0;
}
END
exits 1 "an array that some sizes make too small" "$LOOPC" --symbolic=N -D N=8 outside.loop
has err "is 1 when i = 1 if N = 1; it must be from 0 to 0" "says for which size"
cat >grows.loop <<'END'
void grows(int M, int N, const float D[M][N], float m[N], float s[N])
{
  for (int j = 0; j < N; j++) {
    m[j] = 0;
    for (int i = 0; i < M; i++)
      m[j] += D[i][j];
    m[j] /= M;
    s[j] = 0;
    for (int i = 0; i < M; i++)
      s[j] += (D[i][j] - m[j]) * (D[i][j] - m[j]);
  }
}
END
cat >strides.loop <<'END'
void strides(int N, float A[N])
{
  for (int i = 0; i < N; i += 3)
    A[i] = 1;
}
END
for size in 30 31 32; do
	exits 0 "a loop of steps, tuned for $size" "$LOOPC" --verify --report --arch=small.yaml \
		--symbolic=N -D N=$size strides.loop
	has out 'A +read +0$' "needs nothing"
	has out ' written 4 \* \(\(N - 1\) / 3 \+ 1\)$' "and has a formula"
done
# From a size, down, to half of one, with conditions: what a tile holds has elements between
# that depend on the sizes.
cat >parity.loop <<'END'
void parity(int N, int M, const short A[N][M], short B[N][M], short C[N])
{
  for (int i = N - 1; i >= 0; i -= 2)
    for (int j = 1; j < M; j += 3)
      B[i][j] = A[i][j] + A[N - 1 - i][j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      if ((i + j) % 2 == 0)
        B[i][j] -= A[i][j];
  for (int i = 0; i < N; i++)
    B[i][0] += A[i / 2][0];
  for (int i = N / 2; i < N; i++)
    C[i] = B[i][0] * 2;
}
END
for machine in small ample; do
	exits 0 "steps and halves on $machine" "$LOOPC" --verify --report --arch=$machine.yaml \
		--symbolic=N,M -D N=23 -D M=14 parity.loop
done
has out 'C +read +0$' "half an array is written"
has out ' written .*2 \* N - 2 \* \(N / 2\)' "with a formula"
# Two loops of which either may be the longer one.
cat >longer.loop <<'END'
void longer(int N, int M, const int B[N], int A[N], int C[M])
{
  for (int t = 0; t < 3; t++) {
    for (int i = 0; i < N; i++)
      A[i] += B[i] * t;
    for (int i = 0; i < M; i += 2)
      C[i] = C[i] * 2 + t;
  }
}
END
ok "the longer of two loops" "$LOOPC" --verify --arch=small.yaml --symbolic=N,M -D N=20 -D M=15 longer.loop
# A window that slides along a sequential loop, and blocks of a loop inside it: each of them
# needs the whole window.
cat >slides.loop <<'END'
void slides(int K, float A[8], const float B[8][13], const float C[13][K], float D[13],
	const float E[8][K + 13])
{
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 13; j++)
      for (int k = 0; k < K; k++) {
        A[7] = B[i][j] * C[0][k];
        D[j] = E[i][k + j];
      }
}
END
printf 'name: m\nscratchpad: { bytes: 221 }\n' >slides.yaml
exits 0 "blocks inside a loop that a window slides along" "$LOOPC" --verify --arch=slides.yaml \
	--symbolic=K -D K=9 -o slides.c slides.loop
for size in 3 20; do
	exits 0 "parts of a body, tuned for $size" "$LOOPC" --verify --arch=small.yaml \
		--symbolic=M,N -D M=$size -D N=20 --report grows.loop
done
has out 'form parts sequential 0' "have schedules of their own"
has out 'D +read +8 \* M \* N$' "and a formula"
# Parts of which one has parts, and scalars pass between them.
cat >nested.loop <<'END'
#include <math.h>
void nested(int M, int N, float A[M][N], float R[N][N], float Q[M][N])
{
  for (int k = 0; k < N; k++) {
    float norm = 0;
    for (int i = 0; i < M; i++)
      norm += A[i][k] * A[i][k];
    R[k][k] = sqrtf(norm) + 1;
    for (int i = 0; i < M; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < N; j++) {
      R[k][j] = 0;
      for (int i = 0; i < M; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < M; i++)
        A[i][j] -= Q[i][k] * R[k][j];
    }
  }
}
END
# isl 0.25 leaves memory behind where its limit ends it within a sum of polynomials.
exits 0 "parts of parts" env ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" \
	"$LOOPC" --verify --arch=small.yaml --symbolic=M,N -D M=12 -D N=9 \
	--emit=schedule=nested.schedule,c=nested.c nested.loop
grep -q '^nest nested/[0-9]/[0-9]$' nested.schedule
result $? "have names"
exits 0 "the same schedule again" "$LOOPC" --arch=small.yaml --symbolic=M,N -D M=12 -D N=9 \
	--schedule=nested.schedule --emit=c=again.c nested.loop
sed '/^ \* options/d; /^ \* loopc/d' nested.c >first.c
sed '/^ \* options/d; /^ \* loopc/d; s/again.h/nested.h/' again.c | cmp -s - first.c
result $? "gives the same C"

# What is refused names the statement or the loop that is in the way.
cat >idle.loop <<'END'
void idle(int N, int A[N + 8])
{
  for (int i = 0; i < N; i++) {
    A[i] = 1;
    if (i > 4)
      A[i + 2] = 2;
  }
}
END
exits 1 "a statement that does not run where it is tuned" "$LOOPC" --symbolic=N -D N=3 -o x.c idle.loop
has err '^idle.loop:6:.*this statement .* does not run for the sizes it is tuned for, N = 3;' "its line and the sizes"
exits 0 "larger sizes" "$LOOPC" --symbolic=N -D N=9 -o x.c idle.loop

# The tile of q says by a remainder which i there are: sizes stand beside it in the context.
cat >remainders.loop <<'END'
void remainders(int M, int N, unsigned A[N + 9], const unsigned B[12][12], unsigned X[4])
{
  for (int i = 0; i < 4; i += 2)
    for (int q = i + 1; q < M - 1; q += 3) {
      X[i] += B[i + q][i] + B[M - 2 - q][q];
      if ((q + i) % 2 == 0)
        A[M - 2 - q] += B[i][i + q] + N;
    }
}
END
for tile in 1 2 3; do
	printf 'nest remainders\ntile i 2\ntile q %d\norder q\n' $tile >remainders.schedule
	ok "steps in tiles of $tile" "$LOOPC" --arch=ample.yaml --buffering=single -D M=8 -D N=3 \
		--symbolic=N --schedule=remainders.schedule --verify remainders.loop
done

# The sizes that are tried besides those tuned for: N = 300 for M would be 10^12 iterations.
for depth in 2 4; do
	{
		echo 'void deep(int N, int M, float X[N], const float Y[M + 3])'
		echo '{'
		echo '  for (int i = 0; i < N; i++)'
		for j in $(seq $depth); do
			echo "    for (int j$j = 0; j$j < M; j$j++)"
		done
		echo "      X[i] += Y[j1] * Y[j$depth + 3];"
		echo '}'
	} >deep.loop
	ok "no sizes are tried that run much longer, $depth loops of one size" \
		"$LOOPC" --arch=small.yaml --symbolic=N,M -D N=300 -D M=5 --verify deep.loop
done

# No array is without elements, local ones neither: a local that shrinks below nothing would begin, or end,
# where another one is.  The sizes that verification tries begin at the least that all have.
for less in 1 2 3 5; do
	cat >locals.loop <<END
void locals(int N, int M, const int A[N][M], int B[N][M])
{
  int T[M][N - $less];
  for (int i = 0; i < N - $less; i++)
    for (int j = 0; j < M; j++)
      T[j][i] = A[i + $less][j];
  int U[N][M + $less - 3], V[2 * N + M - 2 * $less];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M + $less - 3; j++)
      U[i][j] = A[i][0];
  for (int i = 0; i < 2 * N + M - 2 * $less; i++)
    V[i] = i;
  for (int i = 0; i < N - $less; i++)
    for (int j = 0; j < M; j++)
      B[i][j] = T[j][i] + V[2 * i + j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M + $less - 3 && j < M; j++)
      B[i][j] += U[i][j];
}
END
	for machine in ample small; do
		ok "locals of N - $less on $machine" "$LOOPC" --arch=$machine.yaml --symbolic=N,M \
			-D N=12 -D M=7 --verify locals.loop
	done
	"$LOOPC" --symbolic=N,M -D N=12 -D M=7 --emit=program -o locals.program locals.loop
	"$LOOPC" --emit=program -o again.program locals.program
	same locals.program again.program "their program is read back as it was"
done
# Tiles that run nothing between those that run something: for the sizes tuned for, few, there are none.
for tuned in $(inputs "1 2 3 4" "1 3"); do
	for every in 2 3; do
		for rest in $(seq 0 $((every < tuned ? every - 1 : tuned - 1))); do
			cat >between.loop <<END
void between(int N, int O[N][N], const int I[N][N])
{
  for (int k = 0; k < N; k++)
    if (k % $every == $rest)
      for (int p = 0; p < N; p++)
        O[k][p] = I[k][p];
}
END
			ok "each ${every}th from $rest, tuned for $tuned" "$LOOPC" --arch=ample.yaml --verify \
				--symbolic=N -D N=$tuned between.loop
		done
	done
	cat >reach.loop <<END
void reach(int N, int O[N], const int I[N][N], const int W[N][3])
{
  for (int p = 0; p < N; p++) {
    O[p] = 0;
    for (int c = 0; c < N; c += 2)
      for (int r = 0; r < 3; r++)
        if (p + r - 1 >= 0 && p + r - 1 < N)
          O[p] += I[c][p + r - 1] * W[c][r];
  }
}
END
	ok "a border, tuned for $tuned" "$LOOPC" --arch=ample.yaml --verify --symbolic=N -D N=$tuned \
		reach.loop
done
# Loops that run in order are in no schedule where they have one iteration: what comes after them counts
# from the first that is.
cat >rows.loop <<'END'
void rows(int T, int M, int N, const int x[N], int B[M][N], const int A[M][N])
{
  for (int t = 0; t < T; t++)
    for (int i = 0; i < M; i++) {
      int w[N];
      for (int j = 0; j < N; j++)
        w[j] = A[i][j] * x[j] + t;
      for (int j = 0; j < N; j++)
        B[i][j] = w[N - j - 1] + w[j];
    }
}
END
for bytes in 24 40 400; do
	printf 'name: rows\nscratchpad: { bytes: %d }\n' $bytes >rows.yaml
	for sizes in "1 1" "1 3" "2 1" "2 3"; do
		for symbolic in "" --symbolic=M,N --symbolic=T,M,N; do
			set -- "$LOOPC" --arch=rows.yaml -D T="${sizes% *}" -D M="${sizes#* }" -D N=5 \
				-Wno-sizes $symbolic
			"$@" --emit=schedule=rows.schedule,c=rows.c rows.loop
			rm -f again.c
			"$@" --schedule=rows.schedule --emit=c=again.c rows.loop
			sed '/^ \* options/d; s/again.h/rows.h/' again.c >second.c
			sed '/^ \* options/d' rows.c >first.c
			same first.c second.c "T and M are $sizes, $bytes bytes${symbolic:+, $symbolic}: the same again"
		done
	done
done

# Where closed forms are not right for all sizes under the best schedule, but would be under the one
# that was taken, the printed one says that it has none.
cat >scaled.loop <<'END'
void scaled(int N, int K, const int X[N][K], const int W[N][K], int O[N][N], const int S[N], int z)
{
  int T[N][N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      T[i][j] = 0;
      for (int k = 0; k < K; k++)
        O[i][j] += (X[i][k] - z) * W[j][k];
    }
    for (int j = 0; j < N; j++)
      O[i][j] = T[i][j] * S[j];
  }
}
void swapped(int N, int K, float A[2 * N + 2])
{
  for (int i = 0; i < N; i += 2) {
    float t = A[i + 2];
    A[i + 2] = A[2 * N - i - 1];
    A[2 * N - i - 1] = t;
    A[2 * N - i - 1] = t + K;
  }
}
END
for bytes in 216 700 6720; do
	printf 'name: some\nscratchpad: { bytes: %d }\n' $bytes >some.yaml
	set -- "$LOOPC" --arch=some.yaml -D N=8 -D K=2 -Wno-sizes --symbolic=N,K
	"$@" --emit=schedule=some.schedule,c=some.c scaled.loop
	rm -f again.c
	"$@" --schedule=some.schedule --emit=c=again.c scaled.loop
	sed '/^ \* options/d; s/again.h/some.h/' again.c >second.c
	sed '/^ \* options/d' some.c >first.c
	same first.c second.c "$bytes bytes: with or without closed forms, the same again"
done
finish
