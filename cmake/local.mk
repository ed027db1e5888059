# What other builds find loopc by: autoconf, CMake and pkg-config; and the runtime as
# two files.
aclocaldir = $(datadir)/aclocal
dist_aclocal_DATA = loopc.m4
cmakedir = $(datadir)/cmake/loopc
cmake_DATA = cmake/loopcConfig.cmake cmake/loopcConfigVersion.cmake
pkgconfig_DATA += loopc.pc
EXTRA_DIST += loopc.pc.in cmake/loopcConfig.cmake.in cmake/loopcConfigVersion.cmake.in \
	driver/amalgamate.awk
CLEANFILES += loopc.pc $(cmake_DATA) $(amalgamation_DATA)

# Everything is relative to the prefix, so that an installed tree can be moved.
of_prefix = `echo '$(1)' | sed 's|^$(prefix)/|$${prefix}/|'`
in_prefix = `echo '$(1)' | sed 's|^$(prefix)/||'`
substitute = sed -e 's|[@]prefix@|$(prefix)|g' -e 's|[@]exec_prefix@|$${prefix}|g' \
	-e "s|[@]bindir@|$(call of_prefix,$(bindir))|g" \
	-e "s|[@]datadir@|$(call of_prefix,$(datadir))|g" \
	-e "s|[@]libdir@|$(call of_prefix,$(libdir))|g" \
	-e "s|[@]includedir@|$(call of_prefix,$(includedir))|g" \
	-e "s|[@]runtimedir@|$(call of_prefix,$(runtimedir))|g" \
	-e "s|[@]aclocaldir@|$(call of_prefix,$(aclocaldir))|g" \
	-e 's|[@]version@|$(PACKAGE_VERSION)|g' \
	-e "s|[@]cmake_to_prefix@|`echo '$(cmakedir)' | sed 's|^$(prefix)/||; s|[^/][^/]*|..|g'`|g" \
	-e "s|[@]cmake_bin@|$(call in_prefix,$(bindir))|g" \
	-e "s|[@]cmake_lib@|$(call in_prefix,$(libdir))|g" \
	-e "s|[@]cmake_runtime@|$(call in_prefix,$(runtimedir))|g"

loopc.pc: loopc.pc.in Makefile
	$(AM_V_GEN)$(substitute) '$(srcdir)/loopc.pc.in' >$@.new && mv -f $@.new $@
cmake/loopcConfig.cmake: cmake/loopcConfig.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) cmake && $(substitute) '$(srcdir)/$@.in' >$@.new && mv -f $@.new $@
cmake/loopcConfigVersion.cmake: cmake/loopcConfigVersion.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) cmake && $(substitute) '$(srcdir)/$@.in' >$@.new && mv -f $@.new $@

amalgamationdir = $(pkgdatadir)/amalgamation
amalgamation_DATA = amalgamation/loopc_runtime.h amalgamation/loopc_runtime.c
amalgamation_headers = runtime/loopc_rt.h runtime/loopc_checked.h runtime/loopc_trace.h \
	runtime/loopc_timeline.h
amalgamation_sources = runtime/checked.c runtime/threads.c runtime/trace.c runtime/memcpy.c

amalgamation/loopc_runtime.h: $(amalgamation_headers) driver/amalgamate.awk
	$(AM_V_GEN)$(MKDIR_P) amalgamation && cd '$(srcdir)' && \
		LC_ALL=C $(AWK) -v part=header -f driver/amalgamate.awk $(amalgamation_headers) \
			>'$(abs_builddir)/$@.new' && mv -f '$(abs_builddir)/$@.new' '$(abs_builddir)/$@'
amalgamation/loopc_runtime.c: $(amalgamation_sources) driver/amalgamate.awk
	$(AM_V_GEN)$(MKDIR_P) amalgamation && cd '$(srcdir)' && \
		LC_ALL=C $(AWK) -v part=source -f driver/amalgamate.awk $(amalgamation_sources) \
			>'$(abs_builddir)/$@.new' && mv -f '$(abs_builddir)/$@.new' '$(abs_builddir)/$@'

.PHONY: amalgamation
amalgamation: $(amalgamation_DATA)
