# Plans and the C that is emitted of them, tried on random ones.
cmocka_tests += tests/plan/plan_test tests/plan/expr_test tests/plan/emit_test \
	tests/plan/count_test tests/plan/macs_test tests/plan/array_time_test tests/plan/energy_test
tests_plan_plan_test_SOURCES = tests/plan/plan_test.c \
	tests/plan/random_plan.c tests/plan/random_plan.h
tests_plan_macs_test_SOURCES = tests/plan/macs_test.c \
	tests/plan/random_plan.c tests/plan/random_plan.h
tests_plan_emit_test_SOURCES = tests/plan/emit_test.c \
	tests/plan/random_plan.c tests/plan/random_plan.h
tests_plan_expr_test_SOURCES = tests/plan/expr_test.c \
	tests/plan/random_plan.c tests/plan/random_plan.h
script_tests += tests/plan/golden_test.sh tests/plan/strict_test.sh
EXTRA_DIST += tests/plan/contraction.plan tests/plan/convolution.plan tests/plan/gemm.plan \
	tests/plan/trisolv.plan tests/plan/damage.py
