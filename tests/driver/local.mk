# Options, outputs, machine files, reports.
cmocka_tests += tests/driver/arch_test
