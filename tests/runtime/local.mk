# Unit tests of the host ports' own interfaces.
if HAVE_CMOCKA
cmocka_tests += tests/runtime/checked_test tests/runtime/trace_test
tests_runtime_checked_test_LDADD = libloopc_rt_checked.a $(CMOCKA_LIBS)
tests_runtime_trace_test_LDADD = libloopc_rt_trace.a $(JANSSON_LIBS) $(CMOCKA_LIBS)
endif
