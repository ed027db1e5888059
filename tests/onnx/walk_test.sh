#!/bin/sh
# Published models of one operator each, with vectors: a few of every operator.  `make walk-onnx`
# takes all of them.
. "$top_srcdir/tests/onnx/setup.sh"
need_data
exec python3 -B "$top_srcdir/tests/onnx/walk.py" "$importer" "$LOOPC" "$CC" "$top_srcdir/runtime" "$data" \
	--every=${WALK_EVERY:-40}
