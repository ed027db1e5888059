#!/bin/sh
# A residual network of fifty layers is scheduled as a whole within 512 MB; a smaller one
# of the same kind is verified.
. "$top_srcdir/tests/tap/tap.sh"
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
cat >machine.yaml <<'END'
name: deep
scratchpad: { bytes: 262144 }
END
cat >small.yaml <<'END'
name: small
scratchpad: { bytes: 16384 }
END

network()
{
	python3 -B "$top_srcdir/tests/fusion/deep_network.py" "$@"
}

# Address space that the sanitizers reserve is none that is used.
layers=50
limited()
{
	(ulimit -v 524288 && exec "$@")
}
if [ -n "$SANITIZER_FLAGS" ]; then
	layers=12
	limited()
	{
		"$@"
	}
fi
network $layers >deep.loop
exits 0 "a deep network" limited "$LOOPC" --arch=machine.yaml -j1 --fuse=auto --report=fused.json -o deep.c \
	deep.loop
exits 0 "its dependences" limited "$LOOPC" --emit=deps -o deep.deps deep.loop
has deep.deps '^nest network\.10$' "every layer has its dependences"

total()
{
	sed -n 's/^ *"total_bytes": \([0-9]*\),*$/\1/p' "$1" | tail -n 1
}
network 4 16 >small.loop
exits 0 "a small one, layer by layer" "$LOOPC" --arch=small.yaml --fuse=never --report=apart.json \
	-o small.c small.loop
ok "fused and verified" "$LOOPC" --arch=small.yaml --fuse=auto --verify --report=together.json -o small.c \
	small.loop
ok "it does not move more" test "$(total together.json)" -le "$(total apart.json)"
finish
