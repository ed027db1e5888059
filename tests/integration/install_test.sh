#!/bin/sh
# Installs loopc into a directory and uses it from the projects that docs/building.md
# shows, outside the tree: a plain makefile, Automake and CMake; built in parallel and out
# of tree.
. "$top_srcdir/tests/tap/tap.sh"

here=$top_srcdir/tests/integration

if [ -n "$SANITIZER_FLAGS" ]; then
	skip "an installed loopc" "the plain build tests it"
	finish
fi

mkdir "two words"
exits 1 "no build in a path with a space" sh -c 'cd "two words" && "$0/configure" -q' "$top_srcdir"
has err "^configure: error: .* space: '.*/two words'" "no build in a path with a space: message"
ok "make install" make -s -C "$top_builddir" install DESTDIR="$tap_dir/stage"
# Moved away from where it was installed to.
installed=$(dirname "$(dirname "$(find "$tap_dir/stage" -path '*/bin/loopc')")")
mv "$installed" "$tap_dir/prefix"
prefix=$tap_dir/prefix
PATH=$prefix/bin:$PATH
export PATH
unset LOOPC LOOPC_RUNTIME_DIR LDLIBS CFLAGS

is "$(loopc --print-runtime-dir)" "$prefix/share/loopc/runtime" "the runtime is beside a moved loopc"
exits 0 "an installed loopc verifies" loopc --verify "$here/product.loop"
ok "the manual page is installed" test -s "$prefix/share/man/man1/loopc.1"

# project NAME: a directory with the files that all of them share, and one to build in.
project()
{
	mkdir "$tap_dir/$1" "$tap_dir/$1-build"
	cp "$here/product.loop" "$here/machine.yaml" "$here/main.c" "$tap_dir/$1"
}

# shown LANGUAGE FILE: the one block of the page in that language becomes the file.
shown()
{
	awk -v language="$1" '/^```/ { is_in = !is_in && $0 == "```" language; count += is_in; next }
		is_in { print } END { exit count != 1 }' "$top_srcdir/docs/building.md" >"$tap_dir/$2"
	result $? "docs/building.md shows $2"
}

# rebuilds NAME COMMAND...: after the machine file is touched the command runs loopc,
# and then it has nothing to do.
rebuilds()
{
	name=$1
	shift
	sleep 1
	touch "$tap_dir/$name/machine.yaml"
	ok "$name: builds again" "$@"
	has tap.out 'loopc' "$name: a changed machine file runs loopc"
	ok "$name: builds once more" "$@"
	hasnt tap.out 'product' "$name: what has not changed is not built"
}

project make
shown make make/Makefile
ok "make: builds" make -j4 -C make-build -f "$tap_dir/make/Makefile" srcdir="$tap_dir/make"
exits 0 "make: runs" make-build/demo
has out '^0 differences$' "make: computes"
rebuilds make make -C make-build -f "$tap_dir/make/Makefile" srcdir="$tap_dir/make"
for tool in arm-none-eabi-gcc riscv64-unknown-elf-gcc; do
	specs=
	case $tool in
	arm*) flags='-mcpu=cortex-m33 -mthumb --specs=nano.specs' ;;
	*) flags='-march=rv64gc -mabi=lp64d -mcmodel=medany --specs=picolibc.specs' ;;
	esac
	if ! command -v $tool >/dev/null 2>&1; then
		skip "make: builds with $tool" "it is not installed"
		continue
	fi
	mkdir "$tool-build"
	ok "make: builds with $tool" make -j4 -C "$tool-build" -f "$tap_dir/make/Makefile" \
		srcdir="$tap_dir/make" CC="$tool" CFLAGS="$flags -O2 -Wall -Wextra -Werror" product.o memcpy.o
done

project automake
shown autoconf automake/configure.ac
shown automake automake/Makefile.am
if command -v automake >/dev/null 2>&1; then
	ok "automake: autoreconf" env ACLOCAL_PATH="$prefix/share/aclocal" autoreconf -i automake
	ok "automake: configure" sh -c 'cd automake-build && ../automake/configure -q \
		LOOPCFLAGS="--arch=\$(srcdir)/machine.yaml" LDFLAGS="-L$1"' sh "$prefix/lib"
	ok "automake: builds" make -j4 -C automake-build V=1
	exits 0 "automake: runs" automake-build/demo
	has out '^0 differences$' "automake: computes"
	rebuilds automake make -C automake-build V=1
	if [ -x "$prefix/bin/loopc-onnx" ] && command -v python3 >/dev/null 2>&1; then
		python3 -B "$top_srcdir/examples/onnx/train.py" automake-onnx >/dev/null
		cat >automake-onnx/configure.ac <<-'END'
			AC_INIT([imported], [1])
			AM_INIT_AUTOMAKE([foreign subdir-objects])
			AC_PROG_CC
			AC_PROG_LOOPC([0.1])
			AC_CONFIG_FILES([Makefile])
			AC_OUTPUT
		END
		cat >automake-onnx/Makefile.am <<-'END'
			AM_CPPFLAGS = -I. -Imodel -I$(LOOPC_RUNTIME_DIR)
			bin_PROGRAMS = demo
			nodist_demo_SOURCES = model/kernel.c model/weights.c model/main.c
			demo_LDADD = -lloopc_rt -lm
			BUILT_SOURCES = model/kernel.c
			model/main.c: model/network.loop
			@LOOPC_RULES@
		END
		mkdir onnx-automake
		ok "automake: imports a network" sh -c 'ACLOCAL_PATH=$1/share/aclocal autoreconf -i automake-onnx &&
			cd onnx-automake && ../automake-onnx/configure -q LDFLAGS="-L$1/lib" && make &&
			./demo model/input.bin out.bin && cmp out.bin model/expected.bin' sh "$prefix"
	fi
	ok "automake: a version that is too new is refused" sh -c '
		sed "s/AC_PROG_LOOPC(\[0.1\])/AC_PROG_LOOPC([99.0])/" automake/configure.ac >new &&
		mv new automake/configure.ac &&
		ACLOCAL_PATH=$1 autoreconf automake && ! automake/configure -q 2>message &&
		grep "loopc 99.0 or newer is needed" message' sh "$prefix/share/aclocal"
else
	skip "automake" "it is not installed"
fi

project cmake
shown cmake cmake/CMakeLists.txt
if command -v cmake >/dev/null 2>&1; then
	ok "cmake: configure" cmake -S cmake -B cmake-build -DCMAKE_PREFIX_PATH="$prefix"
	ok "cmake: builds" cmake --build cmake-build -j4
	exits 0 "cmake: runs" cmake-build/demo
	has out '^0 differences$' "cmake: computes"
	sleep 1
	touch cmake/machine.yaml
	ok "cmake: builds again" cmake --build cmake-build
	has tap.out 'loopc product' "cmake: a changed machine file runs loopc"
	ok "cmake: builds once more" cmake --build cmake-build
	hasnt tap.out 'loopc product' "cmake: what has not changed is not built"

	# Kernels of one base name, in directories of their own.
	mkdir -p cmake/one/deep cmake/two
	sed 's/void product/void first/' "$here/product.loop" >cmake/one/deep/product.loop
	sed 's/void product/void second/' "$here/product.loop" >cmake/two/product.loop
	cat >>cmake/CMakeLists.txt <<-'END'
		add_library(both STATIC both.c)
		loopc_add_kernels(both FILES one/deep/product.loop two/product.loop)
	END
	cat >cmake/both.c <<-'END'
		#include "one/deep/product.h"
		#include "two/product.h"
		void both(lrt_ext A, lrt_ext B, lrt_ext C);
		void both(lrt_ext A, lrt_ext B, lrt_ext C) { first(A, B, C); second(A, B, C); }
	END
	ok "cmake: two kernels of one base name" sh -c 'cmake -S cmake -B both-build \
		-DCMAKE_PREFIX_PATH="$1" && cmake --build both-build -j4 &&
		nm both-build/libboth.a | grep -q " T first$" &&
		nm both-build/libboth.a | grep -q " T second$"' sh "$prefix"
	echo 'loopc_add_kernels(both FILES two/product.loop)' >>cmake/CMakeLists.txt
	exits 1 "cmake: one kernel twice in a target" cmake -S cmake -B both-build
	has err 'would both be two/product.c' "cmake: and its message"

	if [ -x "$prefix/bin/loopc-onnx" ] && command -v python3 >/dev/null 2>&1; then
		python3 -B "$top_srcdir/examples/onnx/train.py" cmake-onnx >/dev/null
		cat >cmake-onnx/CMakeLists.txt <<-'END'
			cmake_minimum_required(VERSION 3.20)
			project(imported C ASM)
			find_package(loopc REQUIRED)
			set(net ${CMAKE_CURRENT_BINARY_DIR}/net)
			loopc_import_network(net model.onnx OPTIONS --name=patterns)
			add_library(imported STATIC ${net}/weights.S)
			target_include_directories(imported PRIVATE ${net})
			loopc_add_kernels(imported FILES ${net}/network.loop)
		END
		ok "cmake: imports a network" sh -c 'cmake -S cmake-onnx -B onnx-build -DCMAKE_PREFIX_PATH="$1" &&
			cmake --build onnx-build && nm onnx-build/libimported.a | grep -q " T patterns$" &&
			nm onnx-build/libimported.a | grep -q " R patterns_weights$"' sh "$prefix"
	fi
else
	skip "cmake" "it is not installed"
fi

if command -v pkg-config >/dev/null 2>&1; then
	PKG_CONFIG_PATH=$prefix/lib/pkgconfig
	export PKG_CONFIG_PATH
	is "$(pkg-config --define-prefix --variable=runtimedir loopc)" \
		"$prefix/share/loopc/runtime" "pkg-config knows loopc"
	loopc --arch="$here/machine.yaml" --emit=c=product.c,h=product.h "$here/product.loop"
	# links PORT: main.c, built with what pkg-config says of the port, is own
	links()
	{
		# shellcheck disable=SC2046
		${CC:-cc} -I. $(pkg-config --define-prefix --cflags "$1") "$here/main.c" product.c \
			$(pkg-config --define-prefix --libs "$1") -o own
	}
	for port in loopc-rt loopc-rt-threads loopc-rt-trace; do
		ok "pkg-config: a program with $port" links $port
		exits 0 "pkg-config: runs with $port" ./own
		has out '^0 differences$' "pkg-config: computes with $port"
	done
	# A program that names no arrays is none for the checked port, which says so.
	ok "pkg-config: a program with loopc-rt-checked" links loopc-rt-checked
	exits 1 "pkg-config: ends where it reaches outside all arrays" ./own
	has err 'external address .* is in no array' "pkg-config: says where"
	has err 'the run ends here.*lrt_checked_array' "pkg-config: and what is missing"
fi

ok "the amalgamation replaces the runtime" sh -c '
	dir=$1/share/loopc/amalgamation && mkdir own.d && cp "$dir"/* own.d &&
	printf "%s\n" "#include \"loopc_runtime.h\"" >own.d/loopc_rt.h &&
	loopc --arch="$2/machine.yaml" --emit=c=own.d/product.c,h=own.d/product.h "$2/product.loop" &&
	${CC:-cc} -Iown.d "$2/main.c" own.d/product.c own.d/loopc_runtime.c -o own.d/demo &&
	own.d/demo' sh "$prefix" "$here"

finish
