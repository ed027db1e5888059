# Fused networks.
script_tests += tests/fusion/deep_test.sh tests/fusion/carry_test.sh tests/fusion/double_test.sh \
	tests/fusion/networks_test.sh tests/fusion/constraints_test.sh tests/fusion/distribute_test.sh tests/fusion/rings_test.sh tests/fusion/shared_test.sh tests/fusion/random_test.sh \
	tests/fusion/exhaust_test.sh tests/fusion/chain_test.sh tests/fusion/full_test.sh \
	tests/fusion/merged_test.sh tests/fusion/memories_test.sh tests/fusion/pooled_test.sh tests/fusion/timed_test.sh tests/fusion/wishes_test.sh tests/fusion/long_test.sh
long_tests += tests/fusion/functions_test.sh
EXTRA_DIST += tests/fusion/deep_network.py tests/fusion/random_networks.py tests/fusion/exhaust.py tests/fusion/blocks.py \
	tests/fusion/chain_fronts.py tests/fusion/functions.py tests/fusion/groupings.py \
	tests/fusion/in_place.py tests/fusion/memories.py tests/fusion/merged.py tests/fusion/pooled.py tests/fusion/timed.py tests/fusion/whole_network.py tests/fusion/wishes.py
check_PROGRAMS += tests/fusion/chain_front
tests_fusion_chain_front_SOURCES = tests/fusion/chain_front.c
tests_fusion_chain_front_CPPFLAGS =
tests_fusion_chain_front_LDADD =

# ConvFusion's L2Net and L3Net at their published sizes: takes many minutes.
.PHONY: check-fronts
check-fronts: loopc tests/fusion/chain_front
	python3 -B $(srcdir)/tests/fusion/chain_fronts.py ./loopc tests/fusion/chain_front l2net l3net
