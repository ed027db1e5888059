# The conformance test of ports, on every host port; installed, so that any port can
# be tested with it.
conformance_files = tests/port-conformance/conformance.c tests/port-conformance/conformance.h
CONFORMANCE_CFLAGS = $(RUNTIME_CFLAGS) -I$(top_srcdir)/runtime

conformancedir = $(pkgdatadir)/port-conformance
dist_conformance_DATA = $(conformance_files) tests/port-conformance/host.c

check_PROGRAMS += conformance-checked conformance-memcpy conformance-threads conformance-trace \
	conformance-faults
conformance_checked_SOURCES = $(conformance_files) tests/port-conformance/host.c
conformance_checked_CFLAGS = $(CONFORMANCE_CFLAGS) -DPORT_CHECKED
conformance_checked_LDADD = libloopc_rt_checked.a
conformance_memcpy_SOURCES = $(conformance_files) tests/port-conformance/host.c
conformance_memcpy_CFLAGS = $(CONFORMANCE_CFLAGS)
conformance_memcpy_LDADD = libloopc_rt.a
conformance_threads_SOURCES = $(conformance_files) tests/port-conformance/host.c
conformance_threads_CFLAGS = $(CONFORMANCE_CFLAGS)
conformance_threads_LDADD = libloopc_rt_threads.a
conformance_trace_SOURCES = $(conformance_files) tests/port-conformance/host.c
conformance_trace_CFLAGS = $(CONFORMANCE_CFLAGS)
conformance_trace_LDADD = libloopc_rt_trace.a
conformance_faults_SOURCES = $(conformance_files) tests/port-conformance/faults.c \
	tests/port-conformance/faulty.c tests/port-conformance/faulty.h
conformance_faults_CFLAGS = $(CONFORMANCE_CFLAGS)
conformance_faults_LDADD =

EXTRA_DIST += tests/port-conformance/board.c tests/port-conformance/protect.c
script_tests += tests/port-conformance/host_test.sh
# Cross-compiled, so sanitizers see nothing of it.
EXTRA_DIST += tests/port-conformance/boards_test.sh
if !SANITIZERS
script_tests += tests/port-conformance/boards_test.sh
endif

# The port that docs/porting.md shows.
EXTRA_DIST += docs/porting.md examples/port/README.md examples/port/fifo_controller.c \
	examples/port/fifo_controller.h examples/port/fifo_port.c
check_PROGRAMS += conformance-fifo
conformance_fifo_SOURCES = $(conformance_files) tests/port-conformance/host.c \
	examples/port/fifo_port.c examples/port/fifo_controller.c
conformance_fifo_CFLAGS = $(CONFORMANCE_CFLAGS)
conformance_fifo_LDADD =
