# What tests/bench adds to the build; the top Makefile.am says how.
EXTRA_PROGRAMS = tests/bench/search_bench
CLEANFILES += tests/bench/search_bench
tests_bench_search_bench_SOURCES = tests/bench/search_bench.c \
	tests/optimality/convolution.c tests/optimality/convolution.h
tests_bench_search_bench_LDADD = $(COMPILER_LIBS)

# The tables of the README.  Not part of the tests: they take a minute.
.PHONY: bench
bench: tests/bench/search_bench
	tests/bench/search_bench

bench-readme: tests/bench/search_bench
	tests/bench/search_bench | $(srcdir)/tests/bench/readme.sh $(srcdir)/README.md
.PHONY: bench-readme
EXTRA_DIST += tests/bench/readme.sh

# What docs/search.md says of cycles.  Takes half a minute.
EXTRA_DIST += tests/bench/objective.sh
.PHONY: bench-objective
bench-objective: loopc
	$(SHELL) $(srcdir)/tests/bench/objective.sh ./loopc $(srcdir)/examples/vgg16

# The same of whole networks, with their energy and bytes.  Takes some four minutes.
EXTRA_DIST += tests/bench/networks.sh
.PHONY: bench-networks
bench-networks: loopc
	$(SHELL) $(srcdir)/tests/bench/networks.sh ./loopc $(srcdir)/examples/networks

# Arrays of processing elements beside a paper's: what docs/search.md says.  Takes two minutes.
EXTRA_DIST += tests/bench/elements.sh
.PHONY: bench-elements
bench-elements: loopc
	$(SHELL) $(srcdir)/tests/bench/elements.sh ./loopc $(srcdir)/examples

# The same of time and energy.  Takes a minute.
EXTRA_DIST += tests/bench/edp.sh
.PHONY: bench-edp
bench-edp: loopc
	$(SHELL) $(srcdir)/tests/bench/edp.sh ./loopc $(EFFORT)

# VGG-16 on a machine of Chen et al.
EXTRA_DIST += tests/bench/chen.sh
.PHONY: bench-chen
bench-chen: loopc
	$(SHELL) $(srcdir)/tests/bench/chen.sh ./loopc
