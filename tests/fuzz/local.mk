# What tests/fuzz adds to the build; the top Makefile.am says how.
EXTRA_DIST += tests/fuzz/check.py tests/fuzz/fuzz.py tests/fuzz/generate.py \
	tests/fuzz/program.py tests/fuzz/reduce.py tests/fuzz/symbolic.py \
	tests/fuzz/found/symbolic_counts.loop tests/fuzz/found/symbolic_counts.yaml \
	tests/fuzz/found/empty_domain.loop tests/fuzz/found/empty_domain.yaml \
	tests/fuzz/found/isl_coalesce.loop tests/fuzz/found/isl_coalesce.yaml \
	tests/fuzz/found/skewed_still.loop tests/fuzz/found/skewed_still.yaml \
	tests/fuzz/found/refetched_once.loop tests/fuzz/found/refetched_once.yaml \
	tests/fuzz/found/twice_written.loop tests/fuzz/found/twice_written.yaml \
	tests/fuzz/found/float_conditions.loop tests/fuzz/found/float_conditions.yaml \
	tests/fuzz/found/long_numbers.loop tests/fuzz/found/long_numbers.yaml \
	tests/fuzz/found/never_moved.loop tests/fuzz/found/never_moved.yaml \
	tests/fuzz/found/dilated_edge.loop tests/fuzz/found/dilated_edge.yaml \
	tests/fuzz/found/dilated_border.loop tests/fuzz/found/dilated_border.yaml \
	tests/fuzz/found/mixed_alignment.loop tests/fuzz/found/mixed_alignment.yaml \
	tests/fuzz/found/scalar_only_written.loop tests/fuzz/found/scalar_only_written.yaml

script_tests += tests/fuzz/fuzz_test.sh tests/fuzz/found_test.sh

# Endless: other seeds every time, failures made small and kept in fuzz-failures.
.PHONY: fuzz
fuzz: all
	python3 -B $(srcdir)/tests/fuzz/fuzz.py --loopc ./loopc --runtime $(srcdir)/runtime \
		--cc '$(CC)' --seeds $${FUZZ_FIRST:-$$(date +%s)} --endless --keep fuzz-failures

# Two thousand programs, each on two machines: some minutes on two idle cores.
.PHONY: fuzz-2000
fuzz-2000: all
	python3 -B $(srcdir)/tests/fuzz/fuzz.py --loopc ./loopc --runtime $(srcdir)/runtime \
		--cc '$(CC)' --seeds 0..1999 --jobs $${FUZZ_JOBS:-2} --keep fuzz-failures
