#!/bin/sh
# --explain=strategies: what restricted schedule spaces move, layer by layer.  That the
# optimum of each is exact is shown in tests/optimality; here it is what is compared.
. "$top_srcdir/tests/tap/tap.sh"

examples=$top_srcdir/examples

# column NUMBER FILE: of the table of layers.
column()
{
	awk -v n="$1" '/^  layer/ { on = 1; next } / input | output /{ on = 0 } on && NF > 6 { gsub(",", ""); print $n }' "$2"
}

gemm="-D M=24 -D N=20 -D K=16 $examples/blas/gemm.loop"
# shellcheck disable=SC2086
exits 0 "ample memory" "$LOOPC" --explain=strategies $gemm
cp out ample
compulsory=$(((24 * 16 + 16 * 20 + 24 * 20) * 4))
is "$(column 2 ample) $(column 3 ample) $(column 4 ample) $(column 5 ample)" \
	"$compulsory $compulsory $compulsory $compulsory" \
	"with ample memory every strategy moves each element once"
is "$(column 6 ample)" - "one layer has no next one"

# With little memory the strategies differ, and none beats the whole space.
printf 'name: eight\nscratchpad: { bytes: 32 }\n' >eight.yaml
# shellcheck disable=SC2086
exits 0 "little memory" "$LOOPC" --arch=eight.yaml --explain=strategies --report=r.json $gemm
cp out little
full=$(column 5 little)
for strategy in 2 3 4; do
	[ "$(column $strategy little)" -ge "$full" ]
	result $? "strategy $strategy moves no less than the whole space"
done
is "$(column 7 little)" "$full" "what is chosen is the best of the whole space"
has r.json "\"input_reuse_bytes\": $(column 2 little),\$" "JSON: input reuse"
has r.json "\"weight_reuse_bytes\": $(column 3 little),\$" "JSON: weight reuse"
has r.json "\"output_reuse_bytes\": $(column 4 little),\$" "JSON: output reuse"

# A product that is held in one operand, worked out by hand: with room for three elements
# every tile is one element.  Holding A moves A once (M K), B for each of A's rows (M K N),
# and C for each k, but that it is created: 2 M N K - M N; turns keep what they meet.
printf 'name: three\nscratchpad: { bytes: 12 }\n' >three.yaml
cat >product.loop <<'END'
void product(const float A[1][5], const float B[5][7], float C[1][7])
{
	for (int i = 0; i < 1; i++)
		for (int j = 0; j < 7; j++) {
			C[i][j] = 0;
			for (int k = 0; k < 5; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
END
exits 0 "a product in three elements" "$LOOPC" --arch=three.yaml --explain=strategies product.loop
cp out three
# A held: k outside, j inside, A 5, B 35, C created 7 times and then 4 x 7 read and 5 x 7
# written, less one read and one write at each of the 4 turns of j.
is "$(column 2 three)" $((4 * (5 + 35 + 4 * 7 + 5 * 7 - 4 - 4))) "holding A: as worked by hand"
# C held: j outside, k inside and turning: C 7, B 35, A 5 + 6 x 4.
is "$(column 4 three)" $((4 * (7 + 35 + 5 + 6 * 4))) "holding C: as worked by hand"

cat >two.loop <<'END'
void two(const float X[12][10], const float K1[3], const float K2[3], float Y[8][10])
{
	float T[10][10];
	for (int p = 0; p < 10; p++)
		for (int q = 0; q < 10; q++) {
			T[p][q] = 0;
			for (int r = 0; r < 3; r++)
				T[p][q] += X[p + r][q] * K1[r];
		}
	for (int p = 0; p < 8; p++)
		for (int q = 0; q < 10; q++) {
			Y[p][q] = 0;
			for (int r = 0; r < 3; r++)
				Y[p][q] += T[p + r][q] * K2[r];
		}
}
END
exits 0 "two layers" "$LOOPC" --arch=tiny-2k --explain=strategies --report=alone.json two.loop
cp out alone
exits 0 "two layers, fused" "$LOOPC" --arch=tiny-2k --fuse=all --explain=strategies \
	--report=fused.json two.loop
cp out fused
total()
{
	awk '/"total": \{/ { on = 1 } on && /"total_bytes"/ { print $2 + 0; exit }' "$1"
}
is "$(column 6 alone | head -n 1)" "$(total fused.json)" "with the next layer: what fusion moves"
is "$(column 7 fused | awk '{ sum += $1 } END { print sum }')" "$(total fused.json)" \
	"the shares of the layers add up, fused"
is "$(column 7 alone | awk '{ sum += $1 } END { print sum }')" "$(total alone.json)" \
	"the shares of the layers add up, alone"
is "$(column 8 alone | tr '\n' ' ')" "1 2 " "the layer that moves most ranks first"
saved=$(($(column 5 alone | head -n 1) + $(column 5 alone | tail -n 1) - $(total fused.json)))
has alone "^  two.0 with two.1: saves $saved bytes\$" "a pair that is worth fusing"
has fused.json '"with_next": "saves"' "a pair that is worth fusing: JSON"
printf 'name: tiny\nscratchpad: { bytes: 40 }\n' >tiny.yaml
exits 0 "a tiny scratchpad" "$LOOPC" --arch=tiny.yaml --explain=strategies two.loop
has out '^  two.0 with two.1: (no tile of both fits|not worth it)' "a pair that is not"

# Weights that come for every tile of rows make fusion dear; which ones, both reports say.
cat >dear.loop <<'END'
void dear(const float X[40][90], const float V[90][16], const float W[16][90], float Y[40][90])
{
	float T[40][16];
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 16; j++) {
			T[i][j] = 0;
			for (int k = 0; k < 90; k++)
				T[i][j] += X[i][k] * V[k][j];
		}
	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 90; j++) {
			Y[i][j] = 0;
			for (int k = 0; k < 16; k++)
				Y[i][j] += T[i][k] * W[k][j];
		}
}
END
printf 'name: tiny\nscratchpad: { bytes: 512 }\n' >dear.yaml
exits 0 "a pair that moves more" "$LOOPC" --arch=dear.yaml --fuse=never --explain=strategies \
	--report=alone.json dear.loop
cp out dear
exits 0 "the same, fused" "$LOOPC" --arch=dear.yaml --fuse=all --report=fused.json dear.loop
python3 - >expected <<'END'
import json
def moved(name):
    arrays, total = {}, 0
    for kernel in json.load(open(name))["kernels"]:
        total += kernel["traffic"]["total_bytes"]
        for array in kernel["traffic"]["arrays"]:
            moved = array["read_bytes"] + array["write_bytes"]
            arrays[array["name"]] = arrays.get(array["name"], 0) + moved
    return arrays, total
(alone, least), (fused, most) = moved("alone.json"), moved("fused.json")
dearest = max(fused, key=lambda name: fused[name] - alone[name])
print(f"  dear.0 with dear.1: not worth it: moves {most - least:,} bytes more "
      f"(most of all {dearest}: {fused[dearest] - alone[dearest]:,} more)")
END
is "$(grep 'dear.0 with' dear)" "$(cat expected)" "a pair that moves more: which array"

cat >apart.loop <<'END'
void apart(const float A[8], const float B[8], float C[8], float D[8])
{
	for (int i = 0; i < 8; i++)
		C[i] = A[i];
	for (int i = 0; i < 8; i++)
		D[i] = B[i];
}
END
exits 0 "nests that share nothing" "$LOOPC" --explain=strategies apart.loop
has out '^  apart.0 with apart.1: (there is no loop along which both can be cut, and whole they do not fit|they share no array that could stay on chip)$' \
	"nests that share nothing: told"
has alone '^  two.0: input X, weight K1, output T$' "roles of the first layer"
has alone '^  two.1: input T, weight K2, output Y$' "roles of the second layer"
cat >biased.loop <<'END'
void biased(const float X[8][6], const float W[4][6], const float B[4], float Y[8][4])
{
	for (int n = 0; n < 8; n++)
		for (int k = 0; k < 4; k++) {
			Y[n][k] = B[k];
			for (int c = 0; c < 6; c++)
				Y[n][k] += X[n][c] * W[k][c];
		}
}
END
exits 0 "a layer with a bias" "$LOOPC" --explain=strategies biased.loop
has out '^  biased: input X, weight B, weight W, output Y$' "its bias is no input"

"$LOOPC" --emit=plan -o two.plan two.loop
exits 2 "a plan has no strategies" "$LOOPC" --explain=strategies two.plan
exits 2 "another explanation" "$LOOPC" --explain=colours two.loop
has err 'explain is given alone or as --explain=strategies' "another explanation: message"
finish
