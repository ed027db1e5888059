# Options, outputs, machine files, reports.
cmocka_tests += tests/driver/arch_test
script_tests += tests/driver/align_test.sh tests/driver/command_test.sh tests/driver/completion_test.sh tests/driver/energy_test.sh tests/driver/memories_test.sh tests/driver/memory_test.sh tests/driver/names_test.sh tests/driver/objective_test.sh tests/driver/pareto_test.sh tests/driver/readme_test.sh tests/driver/stack_test.sh tests/driver/strategies_test.sh tests/driver/sweep_test.sh tests/driver/time_test.sh tests/driver/tutorial_test.sh tests/driver/verify_test.sh
EXTRA_DIST += tests/driver/aligned.py tests/driver/no_memory.c tests/driver/tutorial.py tests/driver/times.py tests/driver/objectives.py tests/driver/trials.py
