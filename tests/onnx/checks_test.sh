#!/bin/sh
# Files that are refused, and small networks whose answers are worked out apart.
. "$top_srcdir/tests/onnx/setup.sh"
exec python3 -B "$top_srcdir/tests/onnx/checks.py" "$importer" "$LOOPC" "$CC $SANITIZER_FLAGS" "$top_srcdir/runtime"
