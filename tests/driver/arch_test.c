/* Machine files: what is read, what is refused and where the message points. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/arch.h"

struct reading {
	struct arena *arena;
	struct diag *diag;
	const struct arch *arch;
	char *messages;
	size_t length;
	FILE *stream;
};

static void begin(struct reading *reading, const char *text)
{
	*reading = (struct reading){ .arena = arena_new() };
	reading->stream = open_memstream(&reading->messages, &reading->length);
	reading->diag = diag_new(reading->stream);
	reading->arch = arch_parse(reading->arena, reading->diag, "m.yaml", text, strlen(text));
	diag_finish(reading->diag);
	fflush(reading->stream);
}

static void end(struct reading *reading)
{
	diag_free(reading->diag);
	fclose(reading->stream);
	free(reading->messages);
	arena_free(reading->arena);
}

static void test_all_keys(void **state)
{
	(void)state;
	struct reading r;
	begin(&r, "version: 2\nname: big-1\nclock_hz: 500e6\n"
		"scratchpad: { bytes: 108K, banks: 27, sharing: exclusive, align_bytes: 8, words_per_cycle: 4 }\n"
		"dma:\n  startup_cycles: 291\n  bytes_per_cycle: 4.5\n  max_rank: 3\n"
		"  max_bytes: 0x10000\n  max_count: 4095\n  max_stride_bytes: 1M\n"
		"  align_bytes: 4\n  channels: 2\n  clock_hz: 3.2e9\n"
		"  write_startup_cycles: 7\n  burst_bytes: 256\n  burst_cycles: 2\n  duplex: true\n  latency_only_first: true\ncore: { mac_cycles: 0.125 }\n"
		"pe_array: { x: 12, y: 14, registers_bytes: 520, mac_cycles: 0.5, networks: { write: 2, reduce: 5 }, words_per_cycle: 1.5 }\n"
		"energy_pj: { mac: 4.16, register: 1.2, scratchpad: 6, dram_bit: 70, word_bits: 32,\n"
		"  scratchpad_sqrt: 0.012, bank_bits: 160000, bank_select: 3.05e-3,\n"
		"  register_file_bytes: 128, scratchpad_size: schedule }\n");
	assert_string_equal(r.messages, "");
	assert_non_null(r.arch);
	assert_string_equal(r.arch->name, "big-1");
	assert_int_equal(r.arch->scratchpad_bytes, 110592);
	assert_int_equal(r.arch->banks, 27);
	assert_true(r.arch->exclusive);
	assert_int_equal(r.arch->startup_cycles, 291);
	assert_true(r.arch->bytes_per_cycle == 4.5);
	assert_int_equal(r.arch->max_rank, 3);
	assert_int_equal(r.arch->max_bytes, 65536);
	assert_int_equal(r.arch->max_count, 4095);
	assert_int_equal(r.arch->max_stride_bytes, 1048576);
	assert_int_equal(r.arch->align_bytes, 8);
	assert_int_equal(r.arch->dma_align_bytes, 4);
	assert_int_equal(r.arch->channels, 2);
	assert_true(r.arch->dma_clock_hz == 3.2e9);
	assert_int_equal(r.arch->write_startup_cycles, 7);
	assert_int_equal(r.arch->burst_bytes, 256);
	assert_int_equal(r.arch->burst_cycles, 2);
	assert_int_equal(r.arch->write_burst_cycles, 2);
	assert_true(r.arch->is_duplex);
	assert_true(r.arch->starts_once);
	assert_true(r.arch->core_mac_cycles == 0.125);
	assert_true(r.arch->has_pe_array);
	assert_int_equal(r.arch->array.y, 14);
	assert_int_equal(r.arch->array.registers_bytes, 520);
	assert_true(r.arch->array.mac_cycles == 0.5);
	assert_int_equal(r.arch->array.networks[WAY_READ], 3);
	assert_int_equal(r.arch->array.networks[WAY_WRITE], 2);
	assert_int_equal(r.arch->array.networks[WAY_REDUCE], 5);
	assert_true(r.arch->array.words_per_cycle == 1.5);
	assert_true(r.arch->array.memory_words_per_cycle[0] == 4);
	assert_true(r.arch->energy_dram_pj == 2240);
	assert_int_equal(r.arch->energy_word_bits, 32);
	assert_true(r.arch->energy_scratchpad_sqrt_pj == 0.012);
	assert_int_equal(r.arch->energy_bank_bits, 160000);
	assert_true(r.arch->energy_bank_select == 3.05e-3);
	assert_int_equal(r.arch->energy_register_file_bytes, 128);
	assert_true(r.arch->energy_is_sized_by_schedule);
	assert_true(r.arch->clock_hz == 500e6);
	end(&r);
}

/* What is left out has the value that docs/machine.md gives. */
static void test_defaults(void **state)
{
	(void)state;
	struct reading r;
	begin(&r, "name: m\nscratchpad: { bytes: 1000 }\n");
	assert_string_equal(r.messages, "");
	assert_non_null(r.arch);
	assert_int_equal(r.arch->banks, 1);
	assert_false(r.arch->exclusive);
	assert_int_equal(r.arch->max_rank, 8);
	assert_int_equal(r.arch->max_bytes, 0);
	assert_int_equal(r.arch->max_count, 0);
	assert_int_equal(r.arch->max_stride_bytes, 0);
	assert_int_equal(r.arch->align_bytes, 1);
	assert_int_equal(r.arch->channels, 1);
	assert_false(r.arch->has_pe_array);
	assert_true(r.arch->array.mac_cycles == 0);
	assert_int_equal(r.arch->array.networks[WAY_WRITE], 1);
	assert_true(r.arch->array.words_per_cycle == 1);
	assert_true(r.arch->array.memory_words_per_cycle[0] == 0);
	assert_int_equal(r.arch->energy_word_bits, 16);
	assert_int_equal(r.arch->energy_register_file_bytes, 0);
	assert_false(r.arch->energy_is_sized_by_schedule);
	end(&r);
}

#define MEMORY(name) "  - { name: " name ", bytes: 64, holds: [input, weight, output] }\n"
#define MEMORIES "memories:\n" MEMORY("data") MEMORY("more")

#define ENERGY(prices) "name: m\nscratchpad: { bytes: 64 }\nenergy_pj: { mac: 1, dram: 1, " prices " }\n"
#define ARRAY(keys) "name: m\nscratchpad: { bytes: 64 }\npe_array: { x: 2, y: 2, registers_bytes: 8, " keys " }\n"

/* Several memories: what all of them have together, the largest alignment, and each by itself. */
static void test_memories(void **state)
{
	(void)state;
	struct reading r;
	begin(&r, "version: 2\nname: m\nmemories:\n"
		"  - { name: data, bytes: 4K, holds: [input, output], align_bytes: 2 }\n"
		"  - { name: weights, bytes: 1024, banks: 4, sharing: exclusive, holds: [weight], accumulate: false }\n"
		"dma: { align_bytes: 8 }\n");
	assert_string_equal(r.messages, "");
	assert_non_null(r.arch);
	assert_int_equal(arch_memory_count(r.arch), 2);
	assert_int_equal(r.arch->scratchpad_bytes, 5120);
	assert_int_equal(arch_granule_bytes(r.arch), 8);
	assert_string_equal(r.arch->memories[0].name, "data");
	assert_int_equal(r.arch->memories[0].bytes, 4096);
	assert_int_equal(r.arch->memories[0].roles, 1u << ROLE_INPUT | 1u << ROLE_OUTPUT);
	assert_int_equal(r.arch->memories[0].align_bytes, 8);
	assert_int_equal(r.arch->memories[0].banks, 1);
	assert_int_equal(r.arch->memories[1].banks, 4);
	assert_true(r.arch->memories[1].exclusive);
	assert_int_equal(arch_memory_granule(&r.arch->memories[1]), 256);
	assert_int_equal(arch_memory_named(r.arch, "weights"), 1);
	assert_int_equal(arch_memory_named(r.arch, "scratchpad"), -1);
	end(&r);
}

/* A list of one is a scratchpad. */
static void test_one_memory(void **state)
{
	(void)state;
	struct reading r;
	begin(&r, "name: m\nmemories:\n  - { name: only, bytes: 1024, banks: 4, sharing: exclusive, "
		"holds: [input, weight, output] }\n");
	assert_string_equal(r.messages, "");
	assert_non_null(r.arch);
	assert_int_equal(r.arch->memory_count, 0);
	assert_int_equal(arch_memory_count(r.arch), 1);
	assert_int_equal(r.arch->scratchpad_bytes, 1024);
	assert_int_equal(r.arch->banks, 4);
	assert_true(r.arch->exclusive);
	end(&r);
}

/* Machines of other sizes: each memory its share, whole banks, never none. */
static void test_resized(void **state)
{
	(void)state;
	struct arch arch = { .scratchpad_bytes = 3072, .banks = 1, .align_bytes = 4, .memory_count = 2,
		.memories = { { "a", 2048, 1, false, 4, 7 }, { "b", 1024, 4, true, 1, 7 } } };
	struct arch same = arch_resized(&arch, 3072), half = arch_resized(&arch, 1536),
		least = arch_resized(&arch, 1), none = arch_resized(&arch, 0), more = arch_enlarged(&arch, 3);
	assert_int_equal(same.memories[0].bytes, 2048);
	assert_int_equal(same.memories[1].bytes, 1024);
	assert_int_equal(same.scratchpad_bytes, 3072);
	assert_int_equal(half.memories[0].bytes, 1024);
	assert_int_equal(half.memories[1].bytes, 512);
	assert_int_equal(half.memories[1].banks, 2);
	assert_int_equal(half.scratchpad_bytes, 1536);
	assert_int_equal(least.memories[0].bytes, 4);
	assert_int_equal(least.memories[1].banks, 1);
	assert_int_equal(none.scratchpad_bytes, 0);
	assert_int_equal(more.memories[0].bytes, 2060);
	assert_int_equal(more.memories[1].banks, 7);
	assert_int_equal(arch_memory_granule(&more.memories[1]), 256);
}

static const struct refusal {
	const char *text, *message;   /* the first line of what is printed */
} refusals[] = {
	{ "", "m.yaml:1:1: error: a machine file is a mapping, as 'name: ...'" },
	{ "- 1\n", "m.yaml:1:1: error: a machine file is a mapping, as 'name: ...'" },
	{ "name: [a\n", "m.yaml:1:9: error: not YAML: did not find expected ',' or ']'" },
	{ "name: m\nscratchpad: { bytes: 64", "m.yaml:2:24: error: not YAML: did not find expected ',' or '}'" },
	{ "name: m\n", "m.yaml:1:1: error: 'scratchpad' is missing" },
	{ "scratchpad: { bytes: 64 }\n", "m.yaml:1:1: error: 'name' is missing" },
	{ "name: m\nscratchpad: { banks: 2 }\n",
	  "m.yaml:2:13: error: 'scratchpad.bytes' is missing" },
	{ "name: m\nscratchpad: { bytes: 64 }\nscratchpad: { bytes: 64 }\n",
	  "m.yaml:3:1: error: 'scratchpad' stands twice" },
	{ "name: m\nname: m\nscratchpad: { bytes: 64 }\n",
	  "m.yaml:2:1: error: 'name' stands twice" },
	{ "name: m\nscratchpad: { bytes: 64 }\nsize: 4\n", "m.yaml:3:1: error: unknown key 'size'" },
	{ "name: m\nscratchpad: { bytes: 64, size: 4 }\n",
	  "m.yaml:2:26: error: unknown key 'size' in 'scratchpad'" },
	{ "name: m\nscratchpad: { ? [a] : 4, bytes: 64 }\n",
	  "m.yaml:2:17: error: unknown key '(not a word)' in 'scratchpad'" },
	{ "name: m\nscratchpad: 64\n",
	  "m.yaml:2:13: error: 'scratchpad' must be a mapping, as { key: value }" },
	{ "name: m\nscratchpad: { bytes: many }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be a whole number, with K, M or G behind it for "
	  "1024, 1024^2 or 1024^3" },
	{ "name: m\nscratchpad: { bytes: 1.5 }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be a whole number, with K, M or G behind it for "
	  "1024, 1024^2 or 1024^3" },
	{ "name: m\nscratchpad: { bytes: 64T }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be a whole number, with K, M or G behind it for "
	  "1024, 1024^2 or 1024^3" },
	{ "name: m\nscratchpad: { bytes: [1] }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be a whole number, with K, M or G behind it for "
	  "1024, 1024^2 or 1024^3" },
	{ "name: m\nscratchpad: { bytes: 0 }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be from 1 to 1099511627776, not 0" },
	{ "name: m\nscratchpad: { bytes: 99999999999999999999 }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be a whole number, with K, M or G behind it for "
	  "1024, 1024^2 or 1024^3" },
	{ "name: m\nscratchpad: { bytes: 9007199254740992G }\n",
	  "m.yaml:2:22: error: 'scratchpad.bytes' must be from 1 to 1099511627776, not "
	  "9007199254740992G" },
	{ "name: m\nscratchpad: { bytes: 64, sharing: some }\n",
	  "m.yaml:2:35: error: 'scratchpad.sharing' must be 'unified' or 'exclusive'" },
	{ "name: m\nscratchpad: { bytes: 100, banks: 3, sharing: exclusive }\n",
	  "m.yaml:2:34: error: 100 bytes cannot be split into 3 equal banks" },
	{ "name: m\nscratchpad: { bytes: 24, banks: 2, sharing: exclusive }\n",
	  "m.yaml:2:33: error: a bank of 12 bytes is no multiple of 8: not every element could "
	  "begin one" },
	{ "name: m\nscratchpad: { bytes: 12, banks: 2, sharing: exclusive }\ndma: { align_bytes: 4 }\n",
	  "m.yaml:2:33: error: a bank of 6 bytes is no multiple of the alignment of buffers, 4 bytes" },
	{ "name: m\nscratchpad: { bytes: 64, banks: 4 }\n",
	  "m.yaml:2:33: error: 'scratchpad.banks' needs 'sharing: exclusive': a scratchpad whose "
	  "banks are shared is one piece" },
	{ "name: m\nscratchpad: { bytes: 64, align_bytes: 12 }\n",
	  "m.yaml:2:39: error: 'scratchpad.align_bytes' must be a power of two, not 12" },
	{ "name: m\nscratchpad: { bytes: 64 }\n" MEMORIES,
	  "m.yaml:2:13: error: a machine has a 'scratchpad' or 'memories', not both" },
	{ "name: m\n" MEMORIES MEMORIES, "m.yaml:5:1: error: 'memories' stands twice" },
	{ "name: m\nmemories: { name: a }\n", "m.yaml:2:11: error: 'memories' must be a list of mappings" },
	{ "name: m\nmemories: []\n", "m.yaml:2:11: error: 'memories' must be a list of mappings" },
	{ "name: m\nmemories: [ a ]\n", "m.yaml:2:13: error: an entry of 'memories' must be a mapping, as "
	  "{ name: weights, bytes: 32K, holds: [weight] }" },
	{ "name: m\nmemories: [ { name: a, holds: [input] } ]\n", "m.yaml:2:13: error: 'memories.bytes' is missing" },
	{ "name: m\nmemories: [ { name: a, bytes: 64 } ]\n", "m.yaml:2:13: error: 'memories.holds' is missing" },
	{ "name: m\nmemories: [ { bytes: 64, holds: [input] } ]\n", "m.yaml:2:13: error: 'memories.name' is missing" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: input } ]\n",
	  "m.yaml:2:42: error: 'memories.holds' must be a list, as [input, output]" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: [all] } ]\n",
	  "m.yaml:2:43: error: 'memories.holds' is a list of input, weight and output" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: [input, input] } ]\n",
	  "m.yaml:2:50: error: 'memories.holds' names input twice" },
	{ "name: m\nmemories: [ { name: a-b, bytes: 64, holds: [input] } ]\n",
	  "m.yaml:2:21: error: 'memories.name' must be 1 to 32 letters, digits and '_', no digit first" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, size: 4 } ]\n",
	  "m.yaml:2:35: error: unknown key 'size' in 'memories'" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: [output], accumulate: yes } ]\n",
	  "m.yaml:2:64: error: 'memories.accumulate' must be 'false' or 'true'" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: [input, weight, output], words_per_cycle: 2 } ]\n",
	  "m.yaml:2:21: error: 'memories.words_per_cycle' needs 'pe_array.mac_cycles'" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: [output], words_per_cycle: 0 } ]\n",
	  "m.yaml:2:69: error: 'memories.words_per_cycle' must be from 1e-06 to 1000000000, not 0" },
	{ "name: m\nmemories: [ { name: a, bytes: 64, holds: [input] } ]\n",
	  "m.yaml:2:21: error: no memory holds weight arrays: all roles need one, of input, weight and output" },
	{ "name: m\nmemories:\n" MEMORY("a") MEMORY("A"), "m.yaml:4:13: error: two memories are called 'A'" },
	{ "name: m\nmemories:\n" MEMORY("a") MEMORY("Stack"), "m.yaml:4:13: error: a memory cannot be called "
	  "'Stack', which names something else in the emitted header" },
	{ "name: m\nmemories:\n" MEMORY("a") MEMORY("scratchpad"), "m.yaml:4:13: error: a memory cannot be called "
	  "'scratchpad', which names something else in the emitted header" },
	{ "name: m\nmemories:\n" MEMORY("a") "  - { name: b, bytes: 64, holds: [input], banks: 4 }\n",
	  "m.yaml:4:13: error: 'memories.banks' needs 'sharing: exclusive': a memory whose banks are shared is "
	  "one piece" },
	{ "name: m\nmemories:\n" MEMORY("a") "  - { name: b, bytes: 100, holds: [input], banks: 3, sharing: exclusive }\n",
	  "m.yaml:4:13: error: 100 bytes cannot be split into 3 equal banks" },
	{ "name: m\n" MEMORIES "energy_pj: { mac: 1, register: 1, scratchpad: 1, dram: 1, scratchpad_size: schedule }\n",
	  "m.yaml:5:76: error: of several memories all is paid for: 'energy_pj.scratchpad_size' must be 'machine'" },
	{ ENERGY("scratchpad: 1"), "m.yaml:3:12: error: 'energy_pj.register' or 'energy_pj.register_by_bytes' is missing" },
	{ ENERGY("register: 1"), "m.yaml:3:12: error: 'energy_pj.scratchpad' or 'energy_pj.scratchpad_by_bytes' is missing" },
	{ ENERGY("register: 1, register_by_bytes: { 64: 1 }, scratchpad: 1"), "m.yaml:3:63: error: 'energy_pj.register' and 'energy_pj.register_by_bytes' are two prices of one thing" },
	{ ENERGY("register: 1, scratchpad_by_bytes: { 64: 1 }, scratchpad: 1"), "m.yaml:3:65: error: 'energy_pj.scratchpad' and 'energy_pj.scratchpad_by_bytes' are two prices of one thing" },
	{ ENERGY("register: 1, scratchpad_by_bytes: { 64: 1 }, bank_bits: 8"), "m.yaml:3:87: error: 'energy_pj.bank_bits' and 'energy_pj.scratchpad_by_bytes' are two prices of one thing" },
	{ ENERGY("register: 1, scratchpad_by_bytes: { 64: 1, 64: 2 }"), "m.yaml:3:74: error: 'energy_pj.scratchpad_by_bytes' gives 64 bytes two prices" },
	{ ENERGY("register: 1, scratchpad_by_bytes: { 64: 0 }"), "m.yaml:3:67: error: 'energy_pj.scratchpad_by_bytes' gives sizes in bytes, with K, M or G, a price above 0 each, as { 256: 0.48, 1K: 1.92 }" },
	{ ENERGY("register: 1, scratchpad_by_bytes: { large: 1 }"), "m.yaml:3:67: error: 'energy_pj.scratchpad_by_bytes' gives sizes in bytes, with K, M or G, a price above 0 each, as { 256: 0.48, 1K: 1.92 }" },
	{ ENERGY("register: 1, scratchpad_by_bytes: {}"), "m.yaml:3:65: error: 'energy_pj.scratchpad_by_bytes' must be a mapping of 1 to 16 sizes to prices, as { 256: 0.48, 1K: 1.92 }" },
	{ ENERGY("register: 1, scratchpad_by_bytes: 3"), "m.yaml:3:65: error: 'energy_pj.scratchpad_by_bytes' must be a mapping of 1 to 16 sizes to prices, as { 256: 0.48, 1K: 1.92 }" },
	{ ENERGY("register_by_bytes: { 64: 1 }, scratchpad: 1"), "m.yaml:3:50: error: 'energy_pj.register_by_bytes' needs registers: 'pe_array', or 'energy_pj.register_file_bytes'" },
	{ ENERGY("register: 1, scratchpad: 1, leakage_pj_per_cycle: 1"), "m.yaml:3:81: error: 'energy_pj.leakage_pj_per_cycle' needs what takes time: dma.startup_cycles, core.mac_cycles or pe_array.mac_cycles" },
	{ ENERGY("register: 1, scratchpad: 1, leakage_pj_per_cycle: -1"), "m.yaml:3:81: error: 'energy_pj.leakage_pj_per_cycle' must be from 0 to 1000000000, not -1" },
	{ "name: m\nscratchpad: { bytes: 64 }\npe_array: { x: 2, y: 2 }\n", "m.yaml:3:11: error: 'pe_array.registers_bytes' is missing" },
	{ "name: m\nscratchpad: { bytes: 64 }\nregisters: { input: 8, weight: 8, output: 8 }\n", "m.yaml:3:12: error: 'registers' needs 'pe_array', whose elements have them" },
	{ "name: m\nscratchpad: { bytes: 64 }\npe_array: { x: 2, y: 2 }\nregisters: { input: 8, weight: 8 }\n", "m.yaml:4:12: error: 'registers.output' is missing" },
	{ "name: m\nscratchpad: { bytes: 64 }\npe_array: { x: 2, y: 2, registers_bytes: 32 }\nregisters: { input: 8, weight: 8, output: 8 }\n",
	  "m.yaml:3:42: error: 'pe_array.registers_bytes' is 32, and the parts in 'registers' are 24 together" },
	{ "name: m\nscratchpad: { bytes: 64 }\npe_array: { x: 2, y: 2 }\nregisters: { sums: 8 }\n", "m.yaml:4:14: error: unknown key 'sums' in 'registers'" },
	{ "name: m\nmemories:\n" MEMORY("a") MEMORY("b") MEMORY("c") MEMORY("d") MEMORY("e") MEMORY("f") MEMORY("g")
	  MEMORY("h") MEMORY("i"), "m.yaml:11:5: error: a machine has 8 memories at most" },
	{ "name: m\nscratchpad: { bytes: 64 }\ndma: { max_bytes: 10, align_bytes: 4 }\n",
	  "m.yaml:3:19: error: 'dma.max_bytes' is no multiple of 'dma.align_bytes'" },
	{ "name: m\nscratchpad: { bytes: 64 }\ndma: { align_bytes: 6 }\n",
	  "m.yaml:3:21: error: 'dma.align_bytes' must be a power of two, not 6" },
	{ "name: m\nscratchpad: { bytes: 64 }\ndma: { max_rank: 9 }\n",
	  "m.yaml:3:18: error: 'dma.max_rank' must be from 1 to 8, not 9" },
	{ "name: m\nscratchpad: { bytes: 64 }\ndma: { bytes_per_cycle: fast }\n",
	  "m.yaml:3:25: error: 'dma.bytes_per_cycle' must be a number" },
	{ "name: m\nscratchpad: { bytes: 64 }\nclock_hz: inf\n",
	  "m.yaml:3:11: error: 'clock_hz' must be a number" },
	{ "name: m\nscratchpad: { bytes: 64 }\npe_array: { x: 2 }\n",
	  "m.yaml:3:11: error: 'pe_array.y' is missing" },
	{ ARRAY("mac_cycles: 0"), "m.yaml:3:57: error: 'pe_array.mac_cycles' must be from 1e-06 to 1000000000, not 0" },
	{ ARRAY("mac_cycles: fast"), "m.yaml:3:57: error: 'pe_array.mac_cycles' must be a number" },
	{ ARRAY("words_per_cycle: 2"), "m.yaml:3:62: error: 'pe_array.words_per_cycle' needs 'pe_array.mac_cycles'" },
	{ ARRAY("networks: { write: 2 }"), "m.yaml:3:64: error: 'pe_array.networks.write' needs 'pe_array.mac_cycles'" },
	{ ARRAY("mac_cycles: 1, networks: { read: 0 }"),
	  "m.yaml:3:78: error: 'pe_array.networks.read' must be from 1 to 1024, not 0" },
	{ ARRAY("mac_cycles: 1, networks: { reads: 1 }"),
	  "m.yaml:3:72: error: unknown key 'reads' in 'pe_array.networks'" },
	{ ARRAY("mac_cycles: 1, networks: { read: 1, read: 1 }"),
	  "m.yaml:3:81: error: 'pe_array.networks.read' stands twice" },
	{ ARRAY("mac_cycles: 1, networks: 3"),
	  "m.yaml:3:70: error: 'pe_array.networks' must be a mapping, as { read: 3, write: 1, reduce: 1 }" },
	{ ARRAY("mac_cycles: 1, networks: { read: 1 }, networks: { read: 1 }"),
	  "m.yaml:3:83: error: 'pe_array.networks' stands twice" },
	{ ARRAY("mac_cycles: 1, words_per_cycle: -1"),
	  "m.yaml:3:77: error: 'pe_array.words_per_cycle' must be from 1e-06 to 1000000000, not -1" },
	{ "name: m\nscratchpad: { bytes: 64, words_per_cycle: 4 }\n",
	  "m.yaml:2:43: error: 'scratchpad.words_per_cycle' needs 'pe_array.mac_cycles'" },
	{ "name: m\nnetworks: { read: 1 }\nscratchpad: { bytes: 64 }\n", "m.yaml:2:1: error: unknown key 'networks'" },
	{ "name: a b\nscratchpad: { bytes: 64 }\n",
	  "m.yaml:1:7: error: 'name' must be 1 to 64 letters, digits, '-', '_' and '.'" },
	{ "version: 3\nname: m\nscratchpad: { bytes: 64 }\n",
	  "m.yaml:1:10: error: this loopc reads machine files of versions 1 and 2 only" },
	{ "name: m\nscratchpad: { bytes: 64 }\nenergy_pj: { mac: 1, register: 1, scratchpad: 1 }\n",
	  "m.yaml:3:12: error: 'energy_pj.dram' or 'energy_pj.dram_bit' is missing" },
	{ "name: m\nscratchpad: { bytes: 64 }\nenergy_pj:\n"
	  "  { mac: 1, register: 1, scratchpad: 1, dram: 1, dram_bit: 1 }\n",
	  "m.yaml:4:3: error: 'energy_pj.dram' and 'energy_pj.dram_bit' are two prices of one thing" },
	{ "name: m\nscratchpad: { bytes: 64 }\n"
	  "energy_pj: { mac: 1, register: 1, scratchpad: 1, dram: 1, bank_select: 1 }\n",
	  "m.yaml:3:12: error: 'energy_pj.bank_select' needs 'energy_pj.bank_bits'" },
	{ "name: m\nscratchpad: { bytes: 64 }\nenergy_pj: { scratchpad_size: large }\n",
	  "m.yaml:3:31: error: 'energy_pj.scratchpad_size' must be 'machine' or 'schedule'" },
	{ "name: m\nscratchpad: { bytes: 64 }\nenergy_pj: { word_bits: 0 }\n",
	  "m.yaml:3:25: error: 'energy_pj.word_bits' must be from 1 to 1024, not 0" },
	{ "name: m\nscratchpad: { bytes: 64 }\nenergy_pj: { mac: -1 }\n",
	  "m.yaml:3:19: error: 'energy_pj.mac' must be from 0 to 1000000000, not -1" },
	/* Columns count bytes, as those of all other diagnostics do. */
	{ "name: m\nscratchpad: { \"\303\244\": 1, bytes: 0 }\n",
	  "m.yaml:2:15: error: unknown key '\303\244' in 'scratchpad'" },
};

static void test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		struct reading r;
		begin(&r, refusals[i].text);
		assert_null(r.arch);
		r.messages[strcspn(r.messages, "\n")] = '\0';
		assert_string_equal(r.messages, refusals[i].message);
		end(&r);
	}
}

/* No prefix of a machine file crashes the reader or leaks, and only the whole ones
 * are machines. */
static void test_every_prefix(void **state)
{
	(void)state;
	const char *text = arch_builtin_find("eyeriss-108k")->text;
	for (size_t length = 0; length < strlen(text); length++) {
		struct reading r;
		char *prefix = strndup(text, length);
		begin(&r, prefix);
		assert_true((r.arch == NULL) == (r.messages[0] != '\0'));
		end(&r);
		free(prefix);
	}
}

static void test_builtins(void **state)
{
	(void)state;
	const char *last = "";
	for (const struct arch_builtin *builtin = arch_builtins; builtin->name; builtin++) {
		struct reading r;
		begin(&r, builtin->text);
		assert_string_equal(r.messages, "");
		assert_non_null(r.arch);
		assert_string_equal(r.arch->name, builtin->name);
		assert_true(strcmp(last, builtin->name) < 0);
		assert_ptr_equal(arch_builtin_find(builtin->name), builtin);
		last = builtin->name;
		end(&r);
	}
	assert_null(arch_builtin_find("no such machine"));
	assert_non_null(arch_builtin_find("default"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_keys), cmocka_unit_test(test_defaults), cmocka_unit_test(test_memories),
		cmocka_unit_test(test_one_memory), cmocka_unit_test(test_resized),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_every_prefix),
		cmocka_unit_test(test_builtins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
