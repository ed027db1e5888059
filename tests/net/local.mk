# What loopc makes of all examples, to be compared before and after a change that should leave it as
# it is (tests/net/net.py says how).  Many minutes, so not part of make check:
#
#   make record-net     before: the record, net.tsv in the build directory
#   make check-net      after: which cases differ from the record, and in what
#   make check-net NET='--against=LOOPC --only=blas/'    their texts too, of this loopc and of another one
EXTRA_DIST += tests/net/net.py
CLEANFILES += net.tsv
NET =
run_net = $(AM_TESTS_ENVIRONMENT) python3 '$(srcdir)/tests/net/net.py'
net_options = net.tsv --loopc '$(abs_top_builddir)/loopc' --top '$(abs_top_srcdir)' $(NET)

.PHONY: check-net record-net
check-net: all
	@$(run_net) check $(net_options)
record-net: all
	@$(run_net) record $(net_options)
