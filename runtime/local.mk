# The runtime: what emitted code links with.  One library a host port, all with the
# same four functions; and the sources, to be dropped into a firmware tree.
RUNTIME_CFLAGS = -std=c99 -pedantic $(WARNING_CFLAGS) $(SANITIZER_FLAGS)

include_HEADERS += runtime/loopc_rt.h runtime/loopc_checked.h

lib_LIBRARIES += libloopc_rt.a
libloopc_rt_a_SOURCES = runtime/checked.c runtime/loopc_checked.h runtime/loopc_rt.h
libloopc_rt_a_CFLAGS = $(RUNTIME_CFLAGS)

runtimedir = $(pkgdatadir)/runtime
dist_runtime_DATA = runtime/loopc_rt.h runtime/loopc_checked.h runtime/checked.c

EXTRA_DIST += runtime/loopc-rt.pc.in
pkgconfig_DATA += runtime/loopc-rt.pc
CLEANFILES += runtime/loopc-rt.pc
runtime/loopc-rt.pc: $(srcdir)/runtime/loopc-rt.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) runtime && sed -e 's|[@]prefix@|$(prefix)|g' \
		-e 's|[@]exec_prefix@|$(exec_prefix)|g' -e 's|[@]libdir@|$(libdir)|g' \
		-e 's|[@]includedir@|$(includedir)|g' -e 's|[@]runtimedir@|$(runtimedir)|g' \
		-e 's|[@]version@|$(PACKAGE_VERSION)|g' \
		'$(srcdir)/runtime/loopc-rt.pc.in' >$@.tmp && mv $@.tmp $@
