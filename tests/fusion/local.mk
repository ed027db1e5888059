# Fused networks.
script_tests += tests/fusion/deep_test.sh tests/fusion/networks_test.sh tests/fusion/wishes_test.sh tests/fusion/random_test.sh \
	tests/fusion/exhaust_test.sh
EXTRA_DIST += tests/fusion/deep_network.py tests/fusion/random_networks.py tests/fusion/exhaust.py
