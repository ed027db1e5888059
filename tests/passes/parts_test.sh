#!/bin/sh
# Nests lowered part by part: inside all the loops that the parts share, or as far as their
# dependences let each part run as a whole before the next.
. "$top_srcdir/tests/tap/tap.sh"
printf 'name: small\nscratchpad: { bytes: 400 }\n' >small.yaml

# What is read by both sums does not fit: two passes over the matrix, not its rows one by one, of a nest that stays one.
cat >in.loop <<'END'
void f(const double A[60][70], const double x[70], double y[70], double t[60])
{
	for (int i = 0; i < 60; i++) {
		t[i] = 0;
		for (int j = 0; j < 70; j++)
			t[i] += A[i][j] * x[j];
		for (int j = 0; j < 70; j++)
			y[j] += A[i][j] * t[i];
	}
}
END
echo 'nest f' >one
exits 0 "two sums" "$LOOPC" --schedule=one --verify --report --emit=schedule=found --arch=small.yaml in.loop
has out '^    form parts sequential 0$' "two sums: each runs as a whole"
has out '^  A +33,600 +67,200 +0 +67,200$' "two sums: the matrix comes twice"
ok "two sums: the schedule is found again" "$LOOPC" --schedule=found --verify --arch=small.yaml in.loop
printf 'nest f\nform parts sequential 1\n' >wanted
exits 0 "two sums, row by row" "$LOOPC" --schedule=wanted --verify --report --arch=small.yaml in.loop
has out '^    form parts sequential 1$' "two sums, row by row: as wanted"

# What a row leaves is read by the first part in the next one.
cat >in.loop <<'END'
void f(const double A[60][70], double x[70], double y[70], double t[60])
{
	for (int i = 0; i < 60; i++) {
		t[i] = 0;
		for (int j = 0; j < 70; j++)
			t[i] += A[i][j] * y[j];
		for (int j = 0; j < 70; j++)
			y[j] += A[i][j] * t[i];
	}
}
END
printf 'nest f\nform parts sequential 0\n' >wanted
exits 1 "a recurrence: what depends on each other stays together" "$LOOPC" --schedule=wanted \
	--arch=small.yaml in.loop
exits 0 "a recurrence: row by row" "$LOOPC" --verify --report --arch=small.yaml in.loop
has out '^    form parts sequential 1$' "a recurrence: in parts"

# lowers SEED: its parts inside no loop and inside one do what the source does, or cannot be.
count=0
lowers()
{
	python3 "$top_srcdir/tests/passes/parts.py" "$1" >in.loop
	for loops in 0 1; do
		printf 'nest f\nform parts sequential %d\n' $loops >wanted
		"$LOOPC" --schedule=wanted --verify --arch=small.yaml -o out.c in.loop >out 2>err
		status=$?
		[ $status -ne 0 ] || count=$((count + 1))
		[ $status -eq 0 ] || { [ $status -eq 1 ] && grep -q 'cannot be lowered in this form' err; } ||
			{ cat in.loop out err; return 1; }
	done
}
for seed in $(seq "$(inputs 24 9)"); do
	lowers $seed >log 2>&1
	result $? "parts of seed $seed"
	[ ! -s log ] || show log
done
[ $count -ge "$(inputs 20 5)" ]
result $? "most could be"
finish
