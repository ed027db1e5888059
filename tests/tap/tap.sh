# TAP for shell tests: . "$top_srcdir/tests/tap/tap.sh", then ok/is/..., then finish.
# A private directory is the working directory and is removed at the end.

tap_count=0
tap_dir=$(mktemp -d "${TMPDIR:-/tmp}/loopc-test.XXXXXX") || exit 99
trap 'cd /; rm -rf "$tap_dir"' EXIT
trap 'exit 143' TERM INT HUP
cd "$tap_dir" || exit 99

# is_thorough: everything is tried, as THOROUGH=1 asks a build without sanitizers to.
is_thorough()
{
	[ -n "$THOROUGH" ] && [ -z "$SANITIZER_FLAGS" ]
}

# inputs WHOLE FEWER: how many random inputs a test takes: WHOLE where everything is tried, else FEWER.
inputs()
{
	is_thorough && echo "$1" || echo "$2"
}

# taken: whether the next of many cases that are much alike is tried: each where everything is, else every
# second one; the build with sanitizers tries those that the other one leaves out.
turn=0
[ -z "$SANITIZER_FLAGS" ] || turn=1
taken()
{
	turn=$((1 - turn))
	is_thorough || [ $turn = 0 ]
}

# otherwise_taken: the same of a case that goes with that one, and is tried instead of it.
otherwise_taken()
{
	is_thorough || [ $turn = 1 ]
}

# result STATUS NAME: one result; STATUS 0 is a success.
result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
	fi
}

# ok NAME COMMAND...: the command succeeds.  Its output is shown when it fails.
ok()
{
	tap_name=$1
	shift
	"$@" >tap.out 2>&1
	tap_status=$?
	result $tap_status "$tap_name"
	[ $tap_status -eq 0 ] || { echo "# $* : status $tap_status"; show tap.out; }
}

# exits STATUS NAME COMMAND...: the command exits with exactly this status.
# Leaves its streams in out and err.
exits()
{
	tap_expected=$1
	tap_name=$2
	shift 2
	"$@" >out 2>err
	tap_status=$?
	[ $tap_status -eq "$tap_expected" ]
	result $? "$tap_name"
	[ $tap_status -eq "$tap_expected" ] ||
		{ echo "# $* : status $tap_status, not $tap_expected"; show out; show err; }
}

# has FILE PATTERN NAME: some line of the file matches the extended expression.
has()
{
	[ -f "$1" ] && grep -Eq -- "$2" "$1"
	tap_status=$?
	result $tap_status "$3"
	[ $tap_status -eq 0 ] || { echo "# there is no such file, or no line matches: $2"; show "$1"; }
}

# hasnt FILE PATTERN NAME: the file is there, and no line of it does.
hasnt()
{
	[ -f "$1" ] && grep -Eq -- "$2" "$1"
	tap_status=$?
	[ -f "$1" ] && [ $tap_status -eq 1 ]
	tap_status=$?
	result $tap_status "$3"
	[ $tap_status -eq 0 ] || { echo "# there is no such file, or a line matches: $2"; show "$1"; }
}

# same EXPECTED ACTUAL NAME: two files are equal.
same()
{
	diff -u "$1" "$2" >tap.out 2>&1
	tap_status=$?
	result $tap_status "$3"
	[ $tap_status -eq 0 ] || show tap.out
}

# is ACTUAL EXPECTED NAME: two strings are equal.
is()
{
	[ "$1" = "$2" ]
	tap_status=$?
	result $tap_status "$3"
	[ $tap_status -eq 0 ] || { echo "# got:      $1"; echo "# expected: $2"; }
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

show()
{
	sed 's/^/#   /' "$1" | head -n "${TAP_SHOW_LINES:-60}"
}

# The last line of a test script.  Its status is 0 whatever the results were: a
# failure has its own line, and would be counted twice.
finish()
{
	echo "1..$tap_count"
	exit 0
}
