# What the importer's tests need, or they are skipped.
importer=$top_builddir/loopc-onnx
data=/usr/share/libonnx-testdata/data
if [ ! -x "$importer" ]; then
	echo "1..0 # SKIP loopc-onnx is not built"
	exit 0
fi
if ! command -v python3 >/dev/null 2>&1; then
	echo "1..0 # SKIP no python3"
	exit 0
fi

need_data()
{
	[ -d "$data" ] || { echo "1..0 # SKIP no libonnx-testdata"; exit 0; }
}
