#!/bin/sh
# The command: options, outputs, exit statuses, what is left behind.
. "$top_srcdir/tests/tap/tap.sh"

cat >sum.loop <<'END'
#include <stdint.h>
void sum(int N, const int16_t A[N][N], int32_t S[N])
{
	for (int i = 0; i < N; i++) {
		S[i] = 0;
		for (int j = 0; j < N; j++)
			S[i] += A[i][j];
	}
}
END
cat >bad.loop <<'END'
void bad(int A[4])
{
	for (int i = 0; i < 4; i++)
		A[i] = B[i];
}
END
cat >little.yaml <<'END'
name: little
scratchpad: { bytes: 2 }
END

# ---- usage ----
exits 0 "--help" "$LOOPC" --help
is "$(wc -l <out | awk '{ print ($1 <= 40) }')" 1 "--help fits a screen"
is "$(awk 'length > 80' out)" "" "--help has no long line"
sed -n 's/^  \(--*[a-zA-Z-]*\).*/\1/p' out | sort -u | grep -v '^-$' >names
missing=
while read -r name; do
	sed 's/\\//g' "$top_srcdir/docs/loopc.1" | grep -q -e "$name" || missing="$missing $name"
done <names
is "$missing" "" "every option of --help is in the manual page"
exits 0 "--version" "$LOOPC" --version
has out '^loopc [0-9.]+$' "--version prints it"
exits 0 "--list-archs" "$LOOPC" --list-archs
has out '^default ' "--list-archs lists the default"
exits 0 "--list-passes" "$LOOPC" --list-passes
has out '^search ' "--list-passes lists the search"
exits 0 "--print-runtime-dir" "$LOOPC" --print-runtime-dir
ok "the runtime is there" test -f "$(cat out)/loopc_rt.h"

# usage MESSAGE ARGUMENT...: wrong usage, status 2.
usage()
{
	message=$1
	shift
	exits 2 "usage: $*" "$LOOPC" "$@"
	has err "$message" "usage: $*: message"
}
usage 'no input file'
usage 'no input file' --verify
usage "unknown option '--frobnicate'" --frobnicate
usage "unknown option '-x'" -x sum.loop
usage "'-o' needs an argument|-o needs an argument" sum.loop -o
usage 'one input file' sum.loop sum.loop
usage "not 'hope'" --objective=hope sum.loop
usage "not 'triple'" --buffering=triple sum.loop
usage "not 'xml'" --diagnostics-format=xml sum.loop
usage "not 'pink'" --color=pink sum.loop
usage "not 'asm'" --emit=asm sum.loop
usage 'given twice' --emit=c,c sum.loop
usage 'needs a file' --emit=c= sum.loop
usage 'two forms go to' --emit=c=x,h=x sum.loop
usage 'several' --emit=c,h -o x sum.loop
usage "not '4N=2'" -D 4N=2 sum.loop
usage "not 'many'" -j many sum.loop
usage "at least 1, not '0'" -j 0 sum.loop
usage "not 'all'" --effort=all sum.loop
usage "unknown option '-fast'" -fast sum.loop
usage "unknown option '-x'" -xy sum.loop
usage "unknown option '-Ex'" -Ex sum.loop
usage "'--verify=3': this option takes no value" --verify=3 sum.loop
usage "-U needs a NAME, not 'N=1'" -U N=1 sum.loop
usage 'in bytes, with K or M behind a number' --sweep=scratchpad:8k..1M sum.loop
usage '-MF, -MT, -MQ and -MP go with -M or -MD' -MF x.d sum.loop
usage '--save-temps goes with --verify' --save-temps=kept sum.loop
usage '-D says how a source is read' -D N=3 a.plan
usage '--fuse says how a plan is made' --fuse=never a.plan
usage '--schedule says how a plan is made' --schedule=s a.plan
usage '--symbolic says how a source is read' --symbolic=N a.program
usage "there is no warning 'foo'; --list-warnings" -Wfoo sum.loop
usage "no pass 'hoist'" --print-after=hoist sum.loop
usage "identifier, not '4x'" --prefix=4x sum.loop
usage 'MF' -MD sum.loop

# ---- inputs ----
exits 1 "an input that is not there" "$LOOPC" none.loop
has err "cannot read 'none.loop': No such file" "an input that is not there: message"
exits 1 "an input that is a directory" "$LOOPC" .
exits 1 "a machine that is a directory" "$LOOPC" --arch=. -D N=4 sum.loop
exits 1 "a machine that is not there" "$LOOPC" --arch=nonesuch -D N=4 sum.loop
has err "no machine is called 'nonesuch'" "a machine that is not there: message"
exits 1 "a machine file that is not there" "$LOOPC" --arch=none.yaml -D N=4 sum.loop
has err "cannot read 'none.yaml'" "a machine file that is not there: message"
printf 'name: m\nscratchpad: { bytes: 64, bites: 3 }\n' >wrong.yaml
exits 1 "a wrong machine file" "$LOOPC" --arch=wrong.yaml -D N=4 sum.loop
cat >expected <<'END'
wrong.yaml:2:26: error: unknown key 'bites' in 'scratchpad'
    2 | scratchpad: { bytes: 64, bites: 3 }
      |                          ^~~~~
END
head -n 3 err >actual
same expected actual "a wrong machine file: message"
exits 1 "an error in the source" "$LOOPC" -o out.c bad.loop
has err "^bad.loop:4:[0-9]+: error: .*'B'" "an error in the source: message"
ok "an error leaves no file" test ! -e out.c
exits 1 "a size without a value" "$LOOPC" sum.loop
has err "'N'" "a size without a value: message"
exits 3 "nothing fits" "$LOOPC" --arch=little.yaml -D N=40 sum.loop -o out.c
has err 'nothing fits' "nothing fits: message"
ok "nothing fits leaves no file" test ! -e out.c

# ---- names that are listed ----
exits 0 "--list-warnings" "$LOOPC" --list-warnings
while read -r option rest; do
	ok "$option is known" "$LOOPC" -D N=40 "$option" -o x.c sum.loop
done <out
cp out listed
# What a message ends with, as [-Wschedule], can be given.
find "$top_srcdir" -name '*.c' -path "$top_srcdir/[dfips]*" |
	xargs sed -n 's/.*diag_\(warning\|remark\)([^"]*"\([a-z-]*\)",.*/\1 \2/p' |
	sed 's/^warning /-W/; s/^remark /-R/' | sort -u >printed
ok "some warnings are found in the sources" test "$(wc -l <printed)" -ge 6
is "$(cut -d' ' -f1 listed | sort | comm -13 - printed)" "" "all warnings and remarks are listed"
exits 0 "-h" "$LOOPC" -h
for name in $("$LOOPC" --list-passes | cut -d' ' -f1); do
	"$LOOPC" -D N=40 --print-after="$name" -o x.c sum.loop 2>err
	has err "^\\*\\*\\* after $name\$" "--print-after=$name prints something"
done
"$LOOPC" -D N=40 --print-after=all -o x.c sum.loop 2>err
"$LOOPC" --list-passes >listed
is "$(sed -n 's/^\*\*\* after //p' err | sort -u | tr '\n' ' ')" "$(cut -d' ' -f1 listed | sort | tr '\n' ' ')" \
	"--print-after=all prints what --list-passes lists"

# ---- the last -D counts, and others only look ----
exits 0 "-D twice" "$LOOPC" -D N=30 -D N=40 --emit=program sum.loop
has out 'size N : int = 40$' "-D twice: the last one counts"
exits 1 "-U" "$LOOPC" -D N=30 -U N sum.loop
exits 0 "-fsyntax-only" "$LOOPC" -fsyntax-only -D N=40 sum.loop
is "$(cat out)" "" "-fsyntax-only writes nothing"
exits 1 "-fsyntax-only of what is wrong" "$LOOPC" -fsyntax-only bad.loop
cat >macros.loop <<'END'
#define SIZE 8
#define TWICE(x) (2 * (x))
#pragma loopc tile i 4
void twice(const int A[SIZE], int B[SIZE])
{
	for (int i = 0; i < SIZE; i++)
		B[i] = TWICE(A[i]);
}
END
exits 0 "-E" "$LOOPC" -E macros.loop
has out 'B\[i\] = \(2 \* \(A\[i\]\)\);' "-E: macros are expanded"
has out '^#pragma loopc tile i 4$' "-E: pragmas stay"
cp out expanded.loop
"$LOOPC" --emit=program=one.program macros.loop
"$LOOPC" --emit=program=two.program expanded.loop
is "$(sed 's/@[0-9:-]*//g; 1d' two.program)" "$(sed 's/@[0-9:-]*//g; 1d' one.program)" "-E: the same program"

# ---- files as some editors write them ----
printf '\357\273\277' | cat - macros.loop >mark.loop
sed 's/$/\r/' macros.loop >dos.loop
awk '{ printf "%s%s", before, $0; before = "\n" }' macros.loop >open.loop
for name in mark dos open; do
	exits 0 "$name.loop" "$LOOPC" -o "$name.c" "$name.loop"
done
sed 's/mark\.loop/open.loop/' mark.c >expected
same expected open.c "a mark of UTF-8 says nothing"

# ---- outputs that are inputs, or each other ----
# kept FILE OPTIONS...: wrong usage, and FILE is as it was.
kept()
{
	file=$1
	shift
	cp "$file" before
	exits 2 "not written over: $*" "$LOOPC" -D N=40 "$@"
	same before "$file" "not written over: $*: $file is as it was"
}
cp sum.loop own.loop; ln own.loop hard.c; ln -s own.loop soft.c; mkdir deep; cp little.yaml own.yaml
printf 'name: own\nscratchpad: { bytes: 4096 }\n' >own.yaml
printf '#define EIGHT 8\n' >eight.h; { echo '#include "eight.h"'; cat sum.loop; } >including.loop
echo 'nest sum' >own.schedule
kept own.loop -o own.loop own.loop
kept own.loop -o ./own.loop own.loop
kept own.loop -o deep/../own.loop own.loop
kept own.loop -o hard.c own.loop
kept own.loop -o soft.c own.loop
kept own.loop --emit=plan=own.loop own.loop
kept own.loop -o x.c -MD -MF own.loop own.loop
kept own.loop --report=own.loop own.loop
kept own.yaml --arch=own.yaml -o own.yaml own.loop
kept own.schedule --schedule=own.schedule --emit=schedule=own.schedule own.loop
kept eight.h -o eight.h including.loop
rm -f fresh.c
exits 2 "two outputs in one file" "$LOOPC" -D N=40 --emit=c=fresh.c,h=./fresh.c sum.loop
ok "two outputs in one file: it is not written" test ! -e fresh.c
exits 2 "dependences in the output" "$LOOPC" -D N=40 -o fresh.c -MD -MF fresh.c sum.loop
exits 0 "two outputs to nowhere" "$LOOPC" -D N=40 -o /dev/null -MD -MF /dev/null sum.loop

# ---- outputs ----
exits 0 "C to standard output" "$LOOPC" -D N=40 sum.loop
has out 'lrt_get' "C to standard output: it is there"
cp out direct.c
exits 0 "C to a file" "$LOOPC" -D N=40 sum.loop -o out.c
same direct.c out.c "C to a file: the same"
exits 0 "from standard input" sh -c '"$LOOPC" -D N=40 - <sum.loop'
sed 's/<stdin>/sum.loop/g' out >stdin.c
same direct.c stdin.c "from standard input: the same"
exits 0 "several forms" "$LOOPC" -D N=40 --emit=c=a.c,h=a.h,plan=a.plan,program=a.program,schedule=a.schedule,report=a.json,deps=a.deps,reuse=a.reuse,ast=a.ast sum.loop
for form in c h plan program schedule json deps reuse ast; do
	ok "several forms: a.$form" test -s "a.$form"
done
ok "C that includes its header" grep -q '#include "a.h"' a.c
is "$(ls a.*.* 2>/dev/null)" "" "no temporary file is left"
ok "emitted C compiles" ${CC:-cc} -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror \
	-I"$("$LOOPC" --print-runtime-dir)" -c a.c -o a.o
exits 0 "a program file as input" "$LOOPC" a.program -o again.c
sed 's/-D N=40 *//; s/ *$//' out.c >a.clean
sed 's/ *$//' again.c >b.clean
same a.clean b.clean "a program file as input: the same C"
exits 0 "a plan file as input" "$LOOPC" --emit=plan a.plan
same a.plan out "a plan file as input: the same plan"
exits 0 "a schedule is replayed" "$LOOPC" -D N=40 --schedule=a.schedule --emit=schedule sum.loop
same a.schedule out "a schedule is replayed: the same"
"$LOOPC" -D N=40 --emit=c=1.c,report=1.json sum.loop
"$LOOPC" -D N=40 --emit=c=2.c,report=2.json -j 3 sum.loop
same 1.c 2.c "the same C whatever -j is"

# ---- outputs that fail ----
exits 1 "a directory that is not there" "$LOOPC" -D N=40 sum.loop -o none/out.c
has err "cannot write 'none/out.c': No such file" "a directory that is not there: message"
if [ -w /dev/full ]; then
	exits 1 "a full disk" "$LOOPC" -D N=40 sum.loop -o /dev/full
	has err "cannot write '/dev/full': No space" "a full disk: message"
	exits 1 "a full standard output" sh -c '"$LOOPC" -D N=40 sum.loop >/dev/full'
	has err "cannot write 'standard output'" "a full standard output: message"
	exits 1 "--help on a full disk" sh -c '"$LOOPC" --help >/dev/full'
	exits 1 "a full disk for the report" "$LOOPC" -D N=40 sum.loop -o full.c --report=/dev/full
	ok "a full disk for the report: no other file" test ! -e full.c
	for form in plan h program deps reuse schedule ast report; do
		exits 1 "a full disk for the $form" "$LOOPC" -D N=40 --emit=c=full.c,$form=/dev/full sum.loop
		has err "cannot write '/dev/full': No space" "a full disk for the $form: message"
	done
	exits 1 "a full disk for dependences" "$LOOPC" -D N=40 -MD -MF /dev/full -o full.c sum.loop
	for form in csv json svg; do
		ln -s /dev/full full.$form
		exits 1 "a full disk for a front's $form" "$LOOPC" -D N=40 --pareto=memory,traffic \
			--pareto-points=2 --pareto-output=full.$form sum.loop
		ok "a full disk for a front's $form: nothing is printed" test ! -s out
		exits 1 "a full disk for a sweep's $form" "$LOOPC" -D N=40 --sweep=scratchpad:500..600 \
			--sweep-output=full.$form sum.loop
		ok "a full disk for a sweep's $form: nothing is printed" test ! -s out
	done
	ok "a full disk: no other file" test ! -e full.c
	for option in --report --explain --explain=strategies --pareto=memory,traffic \
		--sweep=scratchpad:500..600; do
		exits 1 "a full standard output of $option" \
			sh -c '"$LOOPC" -D N=40 "$0" -o full.c sum.loop >/dev/full' "$option"
		ok "a full standard output of $option: no file" test ! -e full.c
	done
	exits 1 "a full standard output of --list-archs" sh -c '"$LOOPC" --list-archs >/dev/full'
fi
echo before >kept.c
exits 1 "an error keeps the file of before" "$LOOPC" -o kept.c bad.loop
is "$(cat kept.c)" before "an error keeps the file of before: its text"
mkdir directory.c
exits 1 "a directory as output" "$LOOPC" -D N=40 sum.loop -o directory.c
ln -s target.c link.c
exits 0 "a link as output" "$LOOPC" -D N=40 sum.loop -o link.c
same direct.c target.c "a link as output: its target is written"

# ---- dependences ----
exits 0 "-MD" "$LOOPC" -D N=40 --arch="$top_srcdir/archs/default.yaml" sum.loop -o dep.c -MD
is "$(cat dep.d)" "dep.c: \\
 sum.loop \\
 $top_srcdir/archs/default.yaml" "-MD: the rule"
exits 0 "-MF -MT -MP" "$LOOPC" -D N=40 --schedule=a.schedule sum.loop -o dep.c -MD -MF other.d -MT 'x y' -MP
is "$(cat other.d)" "x y: \\
 sum.loop \\
 a.schedule

a.schedule:" "-MF -MT -MP: the rule"
mkdir include
printf '#include "inner.h"\n' >include/sizes.h
printf '#define N 8\n' >include/inner.h
cat >sized.loop <<'END'
#include "sizes.h"
void twice(int A[N])
{
	for (int i = 0; i < N; i++)
		A[i] = A[i] * 2;
}
END
exits 0 "an included file" "$LOOPC" -I include --verify sized.loop
exits 0 "an included file is a dependence" "$LOOPC" -I include sized.loop -M
has out 'include/sizes.h' "an included file is a dependence: it is named"
has out 'include/inner.h' "an included file is a dependence: what it includes too"
cp sum.loop 'a b$#.loop'
exits 0 "-M" "$LOOPC" -D N=40 -M 'a b$#.loop'
is "$(cat out)" 'a\ b$$\#.c: \
 a\ b$$\#.loop' "-M: names are quoted, and the target is no prerequisite"
exits 0 "-MQ" "$LOOPC" -D N=40 -M -MQ 'a b$c' sum.loop
is "$(cat out)" 'a\ b$$c: \
 sum.loop' "-MQ: the target is quoted"
exits 0 "-MD beside --emit" "$LOOPC" -D N=40 --emit=c=beside.c -MD sum.loop
has beside.d '^beside.c: ' "-MD beside --emit: named after its file"
printf 'all: dep.c\ndep.c:\n\ttouch built\n-include dep.d\n' >makefile
sleep 1; touch sum.loop
ok "make reads it" sh -c 'make -f makefile && test -e built'

# ---- reports ----
exits 0 "--report" "$LOOPC" -D N=40 --report sum.loop
has out '^  total +3,200? *' "--report: a table"
exits 0 "--explain" "$LOOPC" -D N=40 --explain sum.loop
has out 'get A' "--explain names copies"
exits 0 "--explain: what comes again" "$LOOPC" --explain -D M=33 -D N=35 -D K=37 \
	--arch="$top_srcdir/tests/e2e/machines/unified-512.yaml" "$top_srcdir/examples/blas/gemm.loop"
has out 'does not move the region' "--explain: what comes again is told"
exits 0 "--report=FILE" "$LOOPC" -D N=40 --report=r.json sum.loop
is "$(cat out)" "" "--report=FILE prints nothing else"
if command -v python3 >/dev/null 2>&1; then
	ok "the JSON has the documented keys in their order" python3 - <<'END'
import json
r = json.load(open('r.json'))
assert list(r) == ['schema', 'arch', 'kernels', 'functions', 'total', 'verify'], list(r)
k = r['kernels'][0]
assert list(k) == ['function', 'nest', 'schedule', 'traffic', 'compulsory_bytes',
    'lower_bound', 'scratchpad', 'search', 'macs', 'commands', 'energy', 'time'], list(k)
assert list(k['energy']) == ['mac_pj', 'register_pj', 'scratchpad_pj', 'dram_pj', 'total_pj']
assert list(k['traffic']) == ['read_bytes', 'write_bytes', 'total_bytes', 'arrays']
assert k['traffic']['total_bytes'] == 40 * 40 * 2 + 40 * 4 == k['compulsory_bytes']
assert r['total']['total_bytes'] == k['traffic']['total_bytes']
f = r['functions'][0]
assert list(f) == ['function', 'read_bytes', 'write_bytes', 'total_bytes', 'compulsory_bytes',
    'lower_bound', 'optimal', 'gap', 'macs'], list(f)
assert f['total_bytes'] == f['compulsory_bytes'] == f['lower_bound']['bytes'] and f['optimal']
assert r['verify']['status'] == 'not run'
assert k['search']['optimal'] is True and k['search']['gap'] == 0
END
fi

exits 0 "commands" "$LOOPC" -D M=33 -D N=35 -D K=37 --report=r.json --emit=c=x.c,h=x.h \
	--arch="$top_srcdir/tests/e2e/machines/unified-512.yaml" "$top_srcdir/examples/blas/gemm.loop"
is "$(awk '/"total": \{/ { on = 1 } on && /"commands"/ { print $2 + 0 }' r.json)" \
	"$(sed -n 's/^#define GEMM_COMMANDS \([0-9]*\).*/\1/p' x.h)" \
	"commands: as many as the header says, which ports count"

# ---- diagnostics ----
exits 1 "JSON diagnostics" "$LOOPC" --diagnostics-format=json bad.loop
has err '^\[' "JSON diagnostics are an array"
exits 1 "colours when wanted" "$LOOPC" --color=always bad.loop
ok "colours when wanted: they are there" grep -q "$(printf '\033')" err
exits 1 "no colours in a log" "$LOOPC" bad.loop
ok "no colours in a log: none" sh -c '! grep -q "$(printf "\033")" err'
exits 0 "--print-after" "$LOOPC" -D N=40 --print-after=lower sum.loop -o x.c
has err '^\*\*\* after lower' "--print-after shows the plan"
exits 0 "--print-changed" "$LOOPC" -D N=40 --print-changed sum.loop -o x.c
exits 0 "--time-passes" "$LOOPC" -D N=40 --time-passes sum.loop -o x.c
has err ' ms  lower$' "--time-passes names a pass"
hasnt err 'tried' "and what was not done it does not name"
exits 0 "--time-passes with an objective" "$LOOPC" -D N=40 --objective=commands --time-passes sum.loop -o x.c
has err ' ms  plans tried for the objective$' "it says that other plans were made first"

finish
