#!/bin/sh
# Several locals may be called the same in a function.  Messages call them what the source
# does; tables and schedules need the numbered name, and say which local it is.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 512 }\n' >small.yaml
printf 'name: none\nscratchpad: { bytes: 8 }\n' >none.yaml

# sums COUNT: a function of so many sums, each in a scalar 'acc' of its own, then as many copies
# by way of an array 'part'.
sums()
{
	echo 'void sums(const int A[60][60], const int B[60][60], int C[60][60], int d[60])'
	echo '{'
	for i in $(seq "$1"); do
		cat <<-END
		  for (int i = 0; i < 60; i++)
		    for (int j = 0; j < 60; j++) {
		      int acc = $i;
		      for (int k = 0; k < 60; k++)
		        acc += A[i][k] * B[k][j];
		      C[i][j] = acc;
		      C[i][j] += acc * 3;
		    }
		  {
		    int part[60];
		    for (int i = 0; i < 60; i++)
		      part[i] = A[i][$i];
		    for (int i = 0; i < 60; i++)
		      for (int j = 0; j < 60; j++)
		        d[i] += part[j] * B[j][i];
		  }
		END
	done
	echo '}'
}

for count in 2 3 5; do
	sums $count >sums.loop
	exits 0 "$count sums and copies" "$LOOPC" --arch=small.yaml --effort=500 --fuse=never -Rloop \
		--report --explain --emit=c=sums.c,schedule=sums.schedule sums.loop
	has err "a dependence on 'acc' would" "a remark names the scalar as the source does"
	hasnt err "(acc|part)_[0-9]" "no remark numbers a local"
	has sums.schedule "part_$count" "the schedule does, as it is read back"
	has out "^  part_$count .*'part' of line " "the report says which it is"
	has out "^  part_$count: .*'part' of line " "and the explanation"
	grep -E "^  (acc|part)_[0-9]+[: ]" out | grep -v "'[a-z]*' of line [0-9]*$" >unsaid
	ok "no row leaves it out" test ! -s unsaid
	exits 0 "the schedule is read back" "$LOOPC" --arch=small.yaml --fuse=never \
		--schedule=sums.schedule --emit=c=again.c sums.loop
	exits 3 "a machine that is too small" "$LOOPC" --arch=none.yaml --fuse=never --effort=500 \
		--emit=c=none.c sums.loop
	hasnt err "(acc|part)_[0-9]" "what each array needs is told by the source's names"
done

# Loops of one name around each other: only schedules number them.
cat >loops.loop <<'END'
void loops(double A[300], const double B[300])
{
  for (int i = 0; i < 300; i++)
    for (int i = 1; i < 299; i++)
      A[i] = A[299 - i] + B[i] * A[i + 1];
}
END
exits 0 "loops of one name" "$LOOPC" --arch=small.yaml -Rloop --emit=c=loops.c loops.loop
has err "^loops.loop:4:.*loop 'i' cannot be tiled" "a remark calls the inner one as the source does"
hasnt err "i_2" "no remark numbers a loop"

# Reads of a local before it is written, two of one name.
cat >unset.loop <<'END'
void unset(int x[8])
{
  for (int i = 0; i < 8; i++) {
    int t[2];
    t[0] = i;
    x[i] = t[0];
  }
  for (int i = 0; i < 8; i++) {
    int t[2];
    t[0] = i;
    x[i] = t[1];
  }
}
END
exits 0 "a local that is read before it is written" "$LOOPC" --emit=c=unset.c unset.loop
has err "^unset.loop:11:.*'t' is read before anything is written to it" "by its own name"
finish
