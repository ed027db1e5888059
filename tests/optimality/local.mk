# What tests/optimality adds to the build; the top Makefile.am says how.
cmocka_tests += tests/optimality/evaluate_test
tests_optimality_evaluate_test_SOURCES = tests/optimality/evaluate_test.c \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
cmocka_tests += tests/optimality/array_test
tests_optimality_array_test_SOURCES = tests/optimality/array_test.c \
	tests/optimality/array_simulate.c tests/optimality/array_simulate.h \
	tests/optimality/convolution.c tests/optimality/convolution.h \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
cmocka_tests += tests/optimality/mapping_test
tests_optimality_mapping_test_SOURCES = tests/optimality/mapping_test.c \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
cmocka_tests += tests/optimality/search_test
tests_optimality_search_test_SOURCES = tests/optimality/search_test.c \
	tests/optimality/convolution.c tests/optimality/convolution.h \
	tests/optimality/exhaust.c tests/optimality/exhaust.h \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
cmocka_tests += tests/optimality/bound_test
tests_optimality_bound_test_SOURCES = tests/optimality/bound_test.c \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
cmocka_tests += tests/optimality/front_test
tests_optimality_front_test_SOURCES = tests/optimality/front_test.c \
	tests/optimality/exhaust.c tests/optimality/exhaust.h \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
cmocka_tests += tests/optimality/place_test
cmocka_tests += tests/optimality/dmazerunner_test
tests_optimality_dmazerunner_test_SOURCES = tests/optimality/dmazerunner_test.c \
	tests/optimality/convolution.c tests/optimality/convolution.h \
	tests/optimality/dmazerunner.c tests/optimality/dmazerunner.h \
	tests/optimality/simulate.c tests/optimality/random_model.c tests/optimality/simulate.h
script_tests += tests/optimality/compulsory_test.sh tests/optimality/forms_bound_test.sh
EXTRA_DIST += tests/optimality/compulsory.py tests/optimality/constrained.py \
	tests/optimality/executions.py tests/optimality/windows.py
