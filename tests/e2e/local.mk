# Every example, compiled and verified.
script_tests += \
	tests/e2e/alexnet_test.sh \
	tests/e2e/blas_test.sh \
	tests/e2e/conv_test.sh \
	tests/e2e/networks_test.sh \
	tests/e2e/nn_test.sh \
	tests/e2e/polyhedral_more_test.sh \
	tests/e2e/polyhedral_test.sh \
	tests/e2e/resnet18_test.sh \
	tests/e2e/vgg16_test.sh
EXTRA_DIST += \
	tests/e2e/examples.sh \
	tests/e2e/machines/banked-16k.yaml \
	tests/e2e/machines/banked-1k.yaml \
	tests/e2e/machines/banked-4k.yaml \
	tests/e2e/machines/unified-1500.yaml \
	tests/e2e/machines/unified-2k.yaml \
	tests/e2e/machines/unified-512.yaml \
	tests/e2e/machines/unified-8k.yaml

# Layers at their full sizes take minutes.
EXTRA_DIST += tests/e2e/full.sh
.PHONY: check-full
check-full: all
	@$(AM_TESTS_ENVIRONMENT) $(SHELL) '$(srcdir)/tests/e2e/full.sh'
