#!/bin/sh
# The example: a network is trained, imported, verified, run on the host and on a board, by the commands of
# docs/importing.md as they stand there.
. "$top_srcdir/tests/onnx/setup.sh"
. "$top_srcdir/tests/tap/tap.sh"

ln -s "$top_srcdir/examples" "$top_srcdir/runtime" .
ln -s "$top_builddir" build
sed -n '/^## From a file/,/^## What/s/^    //p' "$top_srcdir/docs/importing.md" >commands
is "$(wc -l <commands | tr -d ' ')" 9 "the page has nine commands"
while read -r command; do
	# In this shell: one of them sets variables.
	case $command in
	*examples/onnx/board*)
		if ! command -v arm-none-eabi-gcc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
			skip "the page: $command" "no cross compiler or no QEMU"
			continue
		fi ;;
	esac
	exits 0 "the page: ${command%% *#*}" eval "$command"
	case $command in
	*train.py*) has out '^(19|20) of 20 images' "recognizes images" ;;
	*"report "*) has out '^patterns\.[-0-9]+ +[0-9,]+ +[0-9,]+ +[0-9,]+  .*conv' "tells what is fused" ;;
	*PORT=memcpy*) same net/expected.bin net/out.bin "gives the vector's answer" ;;
	*" run "*) has out 'as in the test vector' "the board gives the vector's answer" ;;
	esac
done <commands
hasnt net/network.loop 'float' "is integers all through"
ok "imports with weights as C" "$importer" model/model.onnx -o c --name=patterns --weights=c -MD -MF net.d
has net.d '^c/network.loop: model/model.onnx$' "says what it depends on"
ok "gives the same answer" make -s -C c LOOPC="$LOOPC" RUNTIME="$top_srcdir/runtime" \
	CC="$CC $SANITIZER_FLAGS" check
finish
