# Fused networks.
script_tests += tests/fusion/networks_test.sh
