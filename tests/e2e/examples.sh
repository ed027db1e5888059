# verify_examples PATTERN: every example whose name matches is compiled and verified with
# the sizes of examples/sizes.txt, on the smallest of three unified machines that holds
# it, single buffered, and on the smallest of three banked ones, double buffered.  The
# machines' DMA engines differ in what they can do in one command.  Under sanitizers,
# which take their time, each example has one of the two in turn.

. "$top_srcdir/tests/tap/tap.sh"

here=$top_srcdir/tests/e2e

# verify_on BUFFERING EXAMPLE SIZES MACHINE...: on the first machine where it fits.
verify_on()
{
	buffering=$1
	example=$2
	sizes=$3
	shift 3
	for machine; do
		# shellcheck disable=SC2086
		"$LOOPC" --arch="$here/machines/$machine.yaml" --buffering="$buffering" \
			--verify $sizes "$top_srcdir/examples/$example" >tap.out 2>&1
		tap_status=$?
		[ $tap_status -eq 3 ] || break
	done
	result $tap_status "$example on $machine, $buffering buffering"
	[ $tap_status -eq 0 ] || { echo "# status $tap_status, sizes: $sizes"; show tap.out; }
}

verify_examples()
{
	grep "^$1" "$top_srcdir/examples/sizes.txt" >list
	[ -s list ]
	result $? "examples in $1"
	while read -r example sizes; do
		defines=
		for size in $sizes; do
			defines="$defines -D $size"
		done
		# the two take turns
		! taken || verify_on single "$example" "$defines" unified-512 unified-2k unified-8k
		! otherwise_taken ||
			verify_on double "$example" "$defines" banked-1k banked-4k banked-16k
	done <list
	finish
}
