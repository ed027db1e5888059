#include "ir/arch.h"

double arch_dma_scale(const struct arch *arch)
{
	return arch->dma_clock_hz > 0 ? arch->clock_hz / arch->dma_clock_hz : 1;
}

long arch_granule_bytes(const struct arch *arch)
{
	if (arch->exclusive)
		return arch->scratchpad_bytes / arch->banks;
	return arch->align_bytes > 0 ? arch->align_bytes : 1;
}

struct arch arch_resized(const struct arch *arch, long bytes)
{
	struct arch resized = *arch;
	resized.scratchpad_bytes = bytes;
	if (arch->exclusive) {
		resized.banks = (int)(bytes / arch_granule_bytes(arch));
		resized.scratchpad_bytes = resized.banks * arch_granule_bytes(arch);
	}
	return resized;
}
