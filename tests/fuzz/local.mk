# What tests/fuzz adds to the build; the top Makefile.am says how.
EXTRA_DIST += tests/fuzz/check.py tests/fuzz/fuzz.py tests/fuzz/generate.py \
	tests/fuzz/program.py tests/fuzz/reduce.py tests/fuzz/symbolic.py \
	tests/fuzz/found

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
