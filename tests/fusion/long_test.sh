#!/bin/sh
# What bounds functions of more than 16 nests, whichever arrays are carried.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
# is_near PER_MILLE: what the last compilation found is no more above what bounds it.
is_near()
{
	python3 -c '
import json, sys
print(gap := json.load(open("report.json"))["functions"][0]["gap"])
sys.exit(gap > float(sys.argv[1]) / 1000)' "$1"
}
# near PER_MILLE FILE OPTION...
near()
{
	most=$1
	shift
	"$LOOPC" -o long.c --report=report.json "$@" && is_near "$most"
}
whole()
{
	python3 -B "$top_srcdir/tests/fusion/whole_network.py" "$@" >network.loop
}

# Of 17 to 20 nests nothing moves less than what is said, random groups, carried arrays and tiles neither.
ok "random functions" python3 -B "$top_srcdir/tests/fusion/functions.py" "$LOOPC" 1 "${LOOPC_FUNCTIONS:-$(inputs 3 1)}" long

# All that comes and goes but weights does so between the layers, in one of which merged nests move least.
printf 'name: m\nscratchpad: { bytes: 1024 }\n' >small.yaml
ok "VGG-16 with few channels" near 2 "$top_srcdir/examples/networks/vgg16.loop" -DF=4 -DSIDE=2 --arch=small.yaml
if [ -z "$SANITIZER_FLAGS" ]; then
	ok "VGG-16 is proved" near 0 "$top_srcdir/examples/networks/vgg16.loop"
	# An array of 100,352 bytes stays for both the layers between which it lies, or for none.
	whole mobilenet
	ok "MobileNet" near 4 network.loop
	whole resnet18
	ok "ResNet-18" near 18 network.loop
fi

# What the user wants carried is, whatever would be better.
stays()
{
	whole resnet18 32
	sed 's/^void net/#pragma loopc carry A0\n&/' network.loop >wanted.loop
	"$LOOPC" --emit=schedule wanted.loop >schedule && grep -qx 'carry A0' schedule
}
ok "what is wanted stays" stays

# A sweep says the same, and other threads do.
say_the_same()
{
	"$LOOPC" "$top_srcdir/examples/networks/vgg16.loop" -DF=4 -DSIDE=2 --arch=small.yaml --sweep=scratchpad:1024..2048/1 \
		--sweep-output=sweep.json >/dev/null &&
		for bytes in 1024 2048; do
			printf 'name: m\nscratchpad: { bytes: %d }\n' $bytes >machine.yaml
			for threads in 1 3; do
				"$LOOPC" "$top_srcdir/examples/networks/vgg16.loop" -DF=4 -DSIDE=2 --arch=machine.yaml -j $threads \
					--emit=plan=plan.$threads --report=report.json || return 1
			done
			cmp plan.1 plan.3 || return 1
			python3 -c '
import json, sys
point = next(p for p in json.load(open("sweep.json"))["points"] if p["scratchpad_bytes"] == int(sys.argv[1]))
function = json.load(open("report.json"))["functions"][0]
sys.exit([point["total_bytes"], point["optimal"]] != [function["total_bytes"], function["optimal"]])' $bytes || return 1
		done
}
[ -n "$SANITIZER_FLAGS" ] || ok "a sweep and other threads say the same" say_the_same
finish
