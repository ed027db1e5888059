#!/bin/sh
# Random models of one operator each, OPERATOR_MODELS of them from seed OPERATOR_SEED on, against their definition.
. "$top_srcdir/tests/onnx/setup.sh"
directory=$(mktemp -d "${TMPDIR:-/tmp}/loopc-test.XXXXXX") || exit 99
trap 'rm -rf "$directory"' EXIT
python3 -B "$top_srcdir/tests/onnx/operators.py" "$directory" "${OPERATOR_MODELS:-33}" "${OPERATOR_SEED:-1}" || exit 99
python3 -B "$top_srcdir/tests/onnx/walk.py" "$importer" "$LOOPC" "$CC" "$top_srcdir/runtime" "$directory"
