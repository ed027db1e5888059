#include "ir/arch.h"

#include <limits.h>
#include <string.h>

const char *const role_names[ROLE_COUNT] = { "input", "weight", "output" };

double arch_dma_scale(const struct arch *arch)
{
	return arch->dma_clock_hz > 0 ? arch->clock_hz / arch->dma_clock_hz : 1;
}

bool arch_has_clock(const struct arch *arch)
{
	return arch->array.mac_cycles > 0 || arch->startup_cycles > 0 || arch->write_startup_cycles > 0 || arch->burst_cycles > 0
		|| arch->write_burst_cycles > 0 || arch->core_mac_cycles > 0;
}

int arch_memory_count(const struct arch *arch)
{
	return arch->memory_count ? arch->memory_count : 1;
}

bool arch_has_memories(const struct arch *arch)
{
	return arch_memory_count(arch) > (arch->bypass_memory ? 2 : 1);
}

struct arch_memory arch_memory(const struct arch *arch, int m)
{
	if (arch->memory_count)
		return arch->memories[m];
	return (struct arch_memory){ "scratchpad", arch->scratchpad_bytes, arch->banks, arch->exclusive,
		arch->align_bytes, (1u << ROLE_COUNT) - 1, arch->accumulates };
}

int arch_memory_named(const struct arch *arch, const char *name)
{
	for (int m = 0; m < arch_memory_count(arch); m++)
		if (!strcmp(arch_memory(arch, m).name, name))
			return m;
	return -1;
}

long arch_granule_bytes(const struct arch *arch)
{
	if (arch->exclusive)
		return arch->scratchpad_bytes / arch->banks;
	return arch->align_bytes > 0 ? arch->align_bytes : 1;
}

long arch_memory_granule(const struct arch_memory *memory)
{
	if (memory->exclusive)
		return memory->bytes / memory->banks;
	return memory->align_bytes > 0 ? memory->align_bytes : 1;
}

/* MEMORY with BYTES instead, or those of the whole banks that these hold. */
static void resize(struct arch_memory *memory, long bytes)
{
	long granule = arch_memory_granule(memory);
	memory->bytes = memory->exclusive ? bytes / granule * granule : bytes;
	if (memory->exclusive)
		memory->banks = (int)(bytes / granule);
}

/* MEMORIES are those of ARCH instead. */
static void set_memories(struct arch *arch, const struct arch_memory *memories)
{
	arch->scratchpad_bytes = 0;
	for (int m = 0; m < arch_memory_count(arch); m++) {
		arch->scratchpad_bytes += memories[m].bytes;
		if (arch->memory_count)
			arch->memories[m] = memories[m];
		else
			arch->banks = memories[m].banks;
	}
}

static long bytes_of_all(const struct arch *arch)
{
	long bytes = 0;
	for (int m = 0; m < arch_memory_count(arch); m++)
		bytes += arch_memory(arch, m).bytes;
	return bytes;
}

bool arch_is_limited(const struct arch *arch)
{
	return arch->memory_count && arch->scratchpad_bytes < bytes_of_all(arch);
}

struct arch arch_limited(const struct arch *arch, long bytes)
{
	struct arch limited = *arch;
	if (!arch->memory_count)
		return arch_resized(arch, bytes);
	if (bytes < limited.scratchpad_bytes)
		limited.scratchpad_bytes = bytes;
	return limited;
}

long arch_step_bytes(const struct arch *arch)
{
	long step = 0;
	for (int m = 0; m < arch_memory_count(arch); m++) {
		const struct arch_memory memory = arch_memory(arch, m);
		long a = step, b = arch_memory_granule(&memory);
		while (b) {
			long rest = a % b;
			a = b;
			b = rest;
		}
		step = a;
	}
	return step;
}

/* SHARE of a memory's bytes, at least a granule: a memory of nothing has no banks. */
static long share_of(const struct arch_memory *memory, double share)
{
	long bytes = (long)((double)memory->bytes * share), granule = arch_memory_granule(memory);
	return bytes > granule ? bytes : granule < memory->bytes ? granule : memory->bytes;
}

long arch_held_bytes(const struct arch *arch)
{
	return arch->scratchpad_bytes - (arch->bypass_memory ? arch->memories[arch->bypass_memory].bytes : 0);
}

struct arch arch_resized(const struct arch *arch, long bytes)
{
	struct arch resized = *arch;
	struct arch_memory memories[MEMORY_LIMIT] = { { .bytes = 0 } };
	long registers = arch->scratchpad_bytes - arch_held_bytes(arch);
	double share = (double)(bytes > registers ? bytes - registers : 0) / (double)arch_held_bytes(arch);
	for (int m = 0; m < arch_memory_count(arch); m++) {
		memories[m] = arch_memory(arch, m);
		if (!m || m != arch->bypass_memory)
			resize(&memories[m], arch->memory_count ? share_of(&memories[m], share) : bytes);
	}
	set_memories(&resized, memories);
	if (arch->memory_count && (bytes <= 0 || arch_is_limited(arch)))
		resized.scratchpad_bytes = bytes > 0 ? bytes : 0;
	return resized;
}

struct arch arch_left(const struct arch *arch, const long *bytes)
{
	struct arch left = *arch;
	struct arch_memory memories[MEMORY_LIMIT] = { { .bytes = 0 } };
	for (int m = 0; m < arch_memory_count(arch); m++) {
		memories[m] = arch_memory(arch, m);
		resize(&memories[m], bytes[m]);
		/* nothing has no banks that a size could be divided by */
		if (memories[m].bytes <= 0 && arch->memory_count)
			memories[m] = (struct arch_memory){ .name = memories[m].name, .banks = 1,
				.align_bytes = memories[m].align_bytes, .roles = memories[m].roles };
	}
	set_memories(&left, memories);
	left.scratchpad_bytes += arch->scratchpad_bytes - bytes_of_all(arch);
	return left;
}

bool arch_same_room(const struct arch *a, const struct arch *b)
{
	bool same = arch_memory_count(a) == arch_memory_count(b) && a->scratchpad_bytes == b->scratchpad_bytes;
	for (int m = 0; m < arch_memory_count(a) && same; m++)
		same = arch_memory(a, m).bytes == arch_memory(b, m).bytes;
	return same;
}

struct arch arch_enlarged(const struct arch *arch, long granules)
{
	struct arch enlarged = *arch;
	struct arch_memory memories[MEMORY_LIMIT] = { { .bytes = 0 } };
	for (int m = 0; m < arch_memory_count(arch); m++) {
		memories[m] = arch_memory(arch, m);
		resize(&memories[m], memories[m].bytes + granules * arch_memory_granule(&memories[m]));
	}
	set_memories(&enlarged, memories);
	enlarged.scratchpad_bytes += arch->scratchpad_bytes - bytes_of_all(arch);
	return enlarged;
}

struct arch arch_unbounded(const struct arch *arch)
{
	struct arch unbounded = *arch;
	struct arch_memory memories[MEMORY_LIMIT] = { { .bytes = 0 } };
	for (int m = 0; m < arch_memory_count(arch); m++) {
		memories[m] = arch_memory(arch, m);
		if (memories[m].exclusive)
			resize(&memories[m], arch_memory_granule(&memories[m]) << 30);
		else
			memories[m].bytes = LONG_MAX / 4 / arch_memory_count(arch);
	}
	set_memories(&unbounded, memories);
	return unbounded;
}
