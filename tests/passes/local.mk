# What tests/passes adds to the build; the top Makefile.am says how.
cmocka_tests += tests/passes/order_test tests/passes/ast_test tests/passes/objective_test tests/passes/legality_test tests/passes/values_test
long_tests += tests/passes/hostile_test.sh tests/passes/general_test.sh
script_tests += tests/passes/schedule_test.sh \
	tests/passes/expand_test.sh tests/passes/replay_test.sh tests/passes/parts_test.sh tests/passes/borrow_test.sh \
	tests/passes/constraints_test.sh tests/passes/names_test.sh tests/passes/providers_test.sh tests/passes/rooms_test.sh tests/passes/chained_test.sh \
	tests/passes/elements_test.sh tests/passes/elements_time_test.sh tests/passes/core_time_test.sh
EXTRA_DIST += tests/passes/chained.py tests/passes/core_bound.py tests/passes/elements.py tests/passes/elements_bound.py tests/passes/expected.py tests/passes/fields.py tests/passes/rooms.py tests/passes/providers.py tests/passes/replay.py tests/passes/parts.py tests/passes/constraints.py tests/passes/turns.py
