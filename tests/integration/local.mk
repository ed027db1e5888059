# Three projects that use an installed loopc.
script_tests += tests/integration/install_test.sh tests/integration/dist_test.sh
EXTRA_DIST += \
	tests/integration/automake/Makefile.am \
	tests/integration/automake/configure.ac \
	tests/integration/cmake/CMakeLists.txt \
	tests/integration/machine.yaml \
	tests/integration/main.c \
	tests/integration/make/Makefile \
	tests/integration/product.loop
