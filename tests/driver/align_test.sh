#!/bin/sh
# dma.align_bytes: what is accepted has only copies of such addresses, strides and lengths (the
# checked port of --verify looks at each); all else is refused by status 3, with a message.
. "$top_srcdir/tests/tap/tap.sh"

cat >sum.loop <<'END'
#include <stdint.h>
void sum(int N, int M, const T A[N][M], const T B[M], T C[N][M])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			C[i][j] = A[i][j] + B[j];
}
END
cat >product.loop <<'END'
#include <stdint.h>
void product(int N, int M, const T A[N][N], const T B[N][M], T C[N][M])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			for (int k = 0; k < N; k++)
				C[i][j] += A[i][k] * B[k][j];
}
END
cat >window.loop <<'END'
#include <stdint.h>
void window(int N, int M, const T A[N + 2][M], T C[N][M])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			C[i][j] = A[i][j] + A[i + 1][j] + A[i + 2][j];
}
END
cat >halo.loop <<'END'
#include <stdint.h>
void halo(int N, int M, const T A[N][M + 8], T C[N][M])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < M; j++)
			C[i][j] = A[i][j] + A[i][j + 1];
}
END

accepted=0
refused=0
wrong=
# try KERNEL TYPE SCRATCHPAD ALIGN LIMITS N M: one run, counted
try()
{
	printf 'name: m\nscratchpad: { bytes: %s }\ndma: { align_bytes: %s%s }\n' "$3" "$4" "$5" >m.yaml
	sed "s/\<T\>/$2/g" "$1.loop" >"typed.loop"
	"$LOOPC" --arch=m.yaml --verify -D "N=$6" -D "M=$7" typed.loop -o out.c >out 2>err
	case $? in
	0) accepted=$((accepted + 1)) ;;
	3) refused=$((refused + 1))
		grep -Eq "error: nothing fits: .* multiples of $4 bytes, and a copy of '[ABC]'" err ||
			wrong="$wrong [$*: message]" ;;
	*) wrong="$wrong [$*]" ;;
	esac
}
for kernel in sum product window halo; do
	try $kernel int8_t 4096 4 '' 16 32
	try $kernel int8_t 300 8 ', max_rank: 1' 16 32
	try $kernel int16_t 512 4 ', max_bytes: 12' 10 24
	try $kernel int8_t 300 4 '' 9 21
done
is "$wrong" "" "accepted and verified, or refused with a message"
[ "$accepted" -ge 8 ] && [ "$refused" -ge 4 ]
result $? "some are accepted ($accepted), some are refused ($refused)"

# Whatever rows and tiles that are multiples can do is done.
python3 -B "$top_srcdir/tests/driver/aligned.py" "$LOOPC" 0 15 >random 2>err
is "$(grep -v '^accepted' random err)" "" "random functions: nothing is refused that has aligned tiles"
grep -Eq '^accepted [1-9][0-9]* refused [1-9]' random
result $? "random functions: some are accepted, some refused ($(tail -n 1 random))"

sed 's/\<T\>/float/g' product.loop >wide.loop
printf 'name: m\nscratchpad: { bytes: 700 }\ndma: { align_bytes: 4, max_bytes: 20, max_rank: 2 }\n' >m.yaml
exits 0 "elements as large as the alignment need nothing" "$LOOPC" --arch=m.yaml --verify -D N=13 -D M=11 wide.loop -o out.c
sed 's/\<T\>/int8_t/g' sum.loop >narrow.loop
exits 0 "a sweep is of what the DMA can do" "$LOOPC" --arch=m.yaml --sweep=scratchpad:32..256 -D N=13 -D M=12 narrow.loop
has out ' 256 +324 ' "a sweep: what fits"
exits 3 "no front where nothing can be done" "$LOOPC" --arch=m.yaml --pareto -D N=13 -D M=11 narrow.loop
has err "multiples of 4 bytes, and a copy of '[ABC]'" "no front: message"
exits 0 "a plan keeps it" "$LOOPC" --arch=m.yaml --emit=plan=out.plan -D N=8 -D M=16 narrow.loop
has out.plan 'dma_align_bytes 4' "a plan keeps it: it says so"
sed 's/dma_align_bytes 4/dma_align_bytes 32/' out.plan >bad.plan
exits 3 "a plan is held to it" "$LOOPC" bad.plan
finish
