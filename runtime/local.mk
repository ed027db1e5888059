# The runtime: what emitted code links with.  One library a host port, all with the
# same four functions; and the sources, to be dropped into a firmware tree.
RUNTIME_CFLAGS = -std=c99 -pedantic $(WARNING_CFLAGS) $(SANITIZER_FLAGS)
runtime_header_files = runtime/loopc_rt.h runtime/loopc_checked.h runtime/loopc_trace.h \
	runtime/loopc_timeline.h

include_HEADERS += $(runtime_header_files)

# The plain port has the plain name: a program that says no more links what copies.
lib_LIBRARIES += libloopc_rt.a libloopc_rt_checked.a libloopc_rt_threads.a libloopc_rt_trace.a
libloopc_rt_a_SOURCES = runtime/memcpy.c $(runtime_header_files)
libloopc_rt_a_CFLAGS = $(RUNTIME_CFLAGS)
libloopc_rt_checked_a_SOURCES = runtime/checked.c
libloopc_rt_checked_a_CFLAGS = $(RUNTIME_CFLAGS)
libloopc_rt_threads_a_SOURCES = runtime/threads.c
libloopc_rt_threads_a_CFLAGS = $(RUNTIME_CFLAGS)
libloopc_rt_trace_a_SOURCES = runtime/trace.c
libloopc_rt_trace_a_CFLAGS = $(RUNTIME_CFLAGS)

runtimedir = $(pkgdatadir)/runtime
dist_runtime_DATA = $(runtime_header_files) runtime/checked.c runtime/memcpy.c runtime/threads.c \
	runtime/trace.c
portsdir = $(runtimedir)/ports
dist_ports_DATA = runtime/ports/lrt_queue.h runtime/ports/pl081.c runtime/ports/pl330.c \
	runtime/ports/sifive_pdma.c

# A pkg-config file a port: loopc-rt, loopc-rt-checked, ...
runtime_pc_files = runtime/loopc-rt.pc runtime/loopc-rt-checked.pc runtime/loopc-rt-threads.pc \
	runtime/loopc-rt-trace.pc
EXTRA_DIST += runtime/loopc-rt.pc.in
pkgconfig_DATA += $(runtime_pc_files)
CLEANFILES += $(runtime_pc_files)
$(runtime_pc_files): runtime/loopc-rt.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) runtime && port=`echo '$@' | sed 's|.*/loopc-rt||; s|\.pc$$||'` && \
		case $$port in -threads) more=' -pthread' ;; *) more= ;; esac && \
		$(substitute) -e "s|[@]port@|$$port|g; s|[@]library@|`echo "$$port" | tr - _`$$more|" \
			'$(srcdir)/runtime/loopc-rt.pc.in' >$@.new && mv -f $@.new $@
