#!/bin/sh
# The tarball is complete: it builds out of tree, from sources that cannot be written,
# without flex and bison, and what it built works.
. "$top_srcdir/tests/tap/tap.sh"

if [ -n "$SANITIZER_FLAGS" ]; then
	skip "the tarball" "the plain build tests it"
	finish
fi
# A tarball's own tests do not make a tarball.
if [ ! -e "$top_srcdir/bootstrap" ] || [ ! -e "$top_srcdir/.git" ]; then
	skip "the tarball" "this is not a clone"
	finish
fi

ok "make distdir" make -s -C "$top_builddir" distdir distdir="$tap_dir/loopc"
chmod -R a-w loopc
mkdir build tools
for tool in flex bison yacc lex; do
	printf '#!/bin/sh\necho "%s was called" >&2\nexit 1\n' $tool >tools/$tool
done
chmod +x tools/*
# What is tried is that all is there, which needs no fast code.
ok "configure" sh -c 'cd build && PATH="$0/tools:$PATH" ../loopc/configure -q CFLAGS=-O0' "$tap_dir"
ok "make" env PATH="$tap_dir/tools:$PATH" make -s -C build -j2
ok "what it built works" env -u LOOPC_RUNTIME_DIR -u LDLIBS build/loopc --verify \
	"$top_srcdir/tests/integration/product.loop"
chmod -R u+w loopc

finish
