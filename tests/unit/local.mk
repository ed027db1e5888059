# What tests/unit adds to the build; the top Makefile.am says how.
cmocka_tests += tests/unit/arena_test tests/unit/ast_build_test tests/unit/diag_test tests/unit/isl_work_test \
	tests/unit/nest_memo_test tests/unit/nest_work_test tests/unit/numbers_test tests/unit/plan_names_test \
	tests/unit/polynomial_test tests/unit/shared_box_test
