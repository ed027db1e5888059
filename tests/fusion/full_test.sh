#!/bin/sh
# The networks at full size move what examples/networks/README.md says, and the denoiser what
# the front page says.
. "$top_srcdir/tests/tap/tap.sh"
if [ -n "$SANITIZER_FLAGS" ]; then
	echo "1..0 # SKIP takes minutes under sanitizers"
	exit 0
fi
networks=$top_srcdir/examples/networks

# moves NETWORK BYTES FUSION: total bytes in a scratchpad of so many bytes.
moves()
{
	printf 'name: one\nscratchpad: { bytes: %s }\n' "$2" >machine.yaml
	"$LOOPC" --arch=machine.yaml --fuse="$3" --report=report.json -o out.c \
		"$networks/$1.loop" || return
	sed -n 's/.*"total_bytes": *\([0-9]*\).*/\1/p' report.json | tail -n 1
}

# bytes_of SIZE: of "108 KB" or "8 MB".
bytes_of()
{
	case $2 in
	KB) echo $(($1 * 1024)) ;;
	MB) echo $(($1 * 1048576)) ;;
	esac
}

sed -n 's/^| `\([a-z0-9_]*\)` | *\([^|]*[^| ]\) *| *\([^|]*[^| ]\) *| *\([^|]*[^| ]\) *|$/\1:\2:\3:\4/p' \
	"$networks/README.md" | tr -d , >rows
[ -s rows ]
result $? "the table has rows"
while IFS=: read -r network size alone fused; do
	# shellcheck disable=SC2086
	bytes=$(bytes_of $size)
	is "$(moves "$network" "$bytes" auto)" "$fused" "$network, $size, fused"
	case $alone in
	*least*) ;;
	*) is "$(moves "$network" "$bytes" never)" "$alone" "$network, $size, alone" ;;
	esac
	[ "${alone##* }" -gt "$fused" ]
	result $? "$network, $size: fused moves less"
done <rows

# The front page rounds the last row: megabytes of 10^6.
rounded=$(awk -F: '$1 == "denoiser" && $2 == "8 MB" {
	printf "move %.1f MB, each input, output and weight once, instead of %.1f GB", $4 / 1e6, $3 / 1e9 }' rows)
grep -q "$rounded" "$top_srcdir/README.md"
result $? "the front page: $rounded"
finish
