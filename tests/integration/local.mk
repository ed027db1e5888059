# The projects of docs/building.md, with an installed loopc.
script_tests += tests/integration/install_test.sh tests/integration/dist_test.sh
EXTRA_DIST += \
	tests/integration/machine.yaml \
	tests/integration/main.c \
	tests/integration/product.loop
