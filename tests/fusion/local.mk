# Fused networks.
script_tests += tests/fusion/networks_test.sh tests/fusion/wishes_test.sh
