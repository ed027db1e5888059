#!/bin/sh
# The example: a network is trained, imported, verified, run on the host and on a board.
. "$top_srcdir/tests/onnx/setup.sh"
. "$top_srcdir/tests/tap/tap.sh"

example=$top_srcdir/examples/onnx
ok "trains" python3 -B "$example/train.py" model
has tap.out '^(19|20) of 20 images' "recognizes images"
ok "imports" "$importer" model/model.onnx -o net --name=patterns -MD -MF net.d
has net.d '^net/network.loop: model/model.onnx$' "says what it depends on"
hasnt net/network.loop 'float' "is integers all through"
ok "verifies" "$LOOPC" --verify net/network.loop
ok "gives the vector's answer" make -s -C net LOOPC="$LOOPC" RUNTIME="$top_srcdir/runtime" \
	CC="$CC $SANITIZER_FLAGS" check
ok "reports by layers" make -s -C net LOOPC="$LOOPC" report
has tap.out '^patterns\.[-0-9]+ +[0-9,]+ +[0-9,]+ +[0-9,]+  .*conv' "and tells what is fused"
ok "with weights as C" "$importer" model/model.onnx -o c --name=patterns --weights=c
ok "gives the same answer" make -s -C c LOOPC="$LOOPC" RUNTIME="$top_srcdir/runtime" \
	CC="$CC $SANITIZER_FLAGS" check
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
	exits 0 "gives it on a board" make -s -C "$example/board" NET="$tap_dir/net" BOARD=mps2-an505 \
		LOOPC="$LOOPC" RUNTIME="$top_srcdir/runtime" run
	has out 'as in the test vector' "and says so"
else
	skip "on a board" "no cross compiler or no QEMU"
fi
finish
