#include "frontend/arch.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <yaml.h>

#include "runtime/loopc_rt.h"

/* The machine file is a table: every key, where its value goes, what it may be. */

enum kind { KIND_NAME, KIND_WORD, KIND_ROLES, KIND_BYTES, KIND_COUNT, KIND_INT, KIND_NUMBER, KIND_SHARING,
            KIND_SIZE, KIND_BOOL, KIND_AXES, KIND_SHAPE, KIND_REGISTERS, KIND_PRICES };

/* Of the kinds that are one of two words: what is false and what is true. */
static const char *const words[][2] = {
	[KIND_SHARING] = { "unified", "exclusive" },
	[KIND_SIZE] = { "machine", "schedule" },
	[KIND_BOOL] = { "false", "true" },
	[KIND_SHAPE] = { "rows", "free" },
};

struct key {
	const char *section;         /* "" for keys at the top */
	const char *name;
	enum kind kind;
	size_t offset;               /* in struct arch; of "memories", in struct memory_entry */
	bool is_required;            /* where its section is present */
	double least, most;
	bool is_power_of_two;
};

/* An entry of "memories". */
struct memory_entry {
	struct arch_memory memory;
	double words_per_cycle;      /* as struct pe_array has it */
};

#define FIELD(member) offsetof(struct arch, member)
#define IN_MEMORY(member) offsetof(struct memory_entry, memory.member)
static const char MEMORIES[] = "memories", NETWORKS[] = "pe_array.networks";
static const double BYTES_LIMIT = 1099511627776.0;   /* 2^40: products stay in 63 bits */

static const struct key keys[] = {
	{ "", "name", KIND_NAME, FIELD(name), true, 0, 0, false },
	{ "", "clock_hz", KIND_NUMBER, FIELD(clock_hz), false, 1, 1e15, false },
	{ "scratchpad", "bytes", KIND_BYTES, FIELD(scratchpad_bytes), true, 1, BYTES_LIMIT, false },
	{ "scratchpad", "banks", KIND_INT, FIELD(banks), false, 1, 65536, false },
	{ "scratchpad", "sharing", KIND_SHARING, FIELD(exclusive), false, 0, 0, false },
	{ "scratchpad", "align_bytes", KIND_INT, FIELD(align_bytes), false, 1, 64, true },
	{ "scratchpad", "words_per_cycle", KIND_NUMBER, FIELD(array.memory_words_per_cycle[0]), false, 1e-6, 1e9, false },
	{ MEMORIES, "name", KIND_WORD, IN_MEMORY(name), true, 0, 0, false },
	{ MEMORIES, "bytes", KIND_BYTES, IN_MEMORY(bytes), true, 1, BYTES_LIMIT, false },
	{ MEMORIES, "holds", KIND_ROLES, IN_MEMORY(roles), true, 0, 0, false },
	{ MEMORIES, "banks", KIND_INT, IN_MEMORY(banks), false, 1, 65536, false },
	{ MEMORIES, "sharing", KIND_SHARING, IN_MEMORY(exclusive), false, 0, 0, false },
	{ MEMORIES, "align_bytes", KIND_INT, IN_MEMORY(align_bytes), false, 1, 64, true },
	{ MEMORIES, "accumulate", KIND_BOOL, IN_MEMORY(accumulates), false, 0, 0, false },
	{ MEMORIES, "words_per_cycle", KIND_NUMBER, offsetof(struct memory_entry, words_per_cycle), false, 1e-6, 1e9, false },
	{ "dma", "startup_cycles", KIND_COUNT, FIELD(startup_cycles), false, 0, 1e9, false },
	{ "dma", "bytes_per_cycle", KIND_NUMBER, FIELD(bytes_per_cycle), false, 1e-6, 1e9, false },
	{ "dma", "write_startup_cycles", KIND_COUNT, FIELD(write_startup_cycles), false, 0, 1e9, false },
	{ "dma", "burst_bytes", KIND_BYTES, FIELD(burst_bytes), false, 1, UINT32_MAX, false },
	{ "dma", "burst_cycles", KIND_COUNT, FIELD(burst_cycles), false, 0, 1e9, false },
	{ "dma", "write_burst_cycles", KIND_COUNT, FIELD(write_burst_cycles), false, 0, 1e9, false },
	{ "dma", "duplex", KIND_BOOL, FIELD(is_duplex), false, 0, 0, false },
	{ "dma", "latency_only_first", KIND_BOOL, FIELD(starts_once), false, 0, 0, false },
	{ "dma", "clock_hz", KIND_NUMBER, FIELD(dma_clock_hz), false, 1, 1e15, false },
	{ "dma", "max_rank", KIND_INT, FIELD(max_rank), false, 1, LRT_MAX_RANK, false },
	{ "dma", "max_bytes", KIND_BYTES, FIELD(max_bytes), false, 8, UINT32_MAX, false },
	{ "dma", "max_count", KIND_COUNT, FIELD(max_count), false, 1, UINT32_MAX, false },
	{ "dma", "max_stride_bytes", KIND_BYTES, FIELD(max_stride_bytes), false, 1, UINT32_MAX, false },
	{ "dma", "align_bytes", KIND_INT, FIELD(dma_align_bytes), false, 1, 64, true },
	{ "dma", "channels", KIND_INT, FIELD(channels), false, 1, 1024, false },
	{ "core", "mac_cycles", KIND_NUMBER, FIELD(core_mac_cycles), true, 0, 1e9, false },
	{ "pe_array", "x", KIND_INT, FIELD(array.x), true, 1, 65536, false },
	{ "pe_array", "y", KIND_INT, FIELD(array.y), true, 1, 65536, false },
	{ "pe_array", "registers_bytes", KIND_BYTES, FIELD(array.registers_bytes), false, 0, BYTES_LIMIT, false },
	{ "pe_array", "multicast", KIND_AXES, FIELD(array.multicast), false, 0, 0, false },
	{ "pe_array", "reduce", KIND_AXES, FIELD(array.reduce), false, 0, 0, false },
	{ "pe_array", "register_accesses", KIND_INT, FIELD(array.register_accesses), false, 1, 4, false },
	{ "pe_array", "bypass", KIND_ROLES, FIELD(array.bypass), false, 0, 0, false },
	{ "pe_array", "shape", KIND_SHAPE, FIELD(array.is_free), false, 0, 0, false },
	{ "pe_array", "registers", KIND_REGISTERS, FIELD(array), false, 0, 0, false },
	{ "pe_array", "mac_cycles", KIND_NUMBER, FIELD(array.mac_cycles), false, 1e-6, 1e9, false },
	{ "pe_array", "words_per_cycle", KIND_NUMBER, FIELD(array.words_per_cycle), false, 1e-6, 1e9, false },
	{ NETWORKS, "read", KIND_INT, FIELD(array.networks[WAY_READ]), false, 1, 1024, false },
	{ NETWORKS, "write", KIND_INT, FIELD(array.networks[WAY_WRITE]), false, 1, 1024, false },
	{ NETWORKS, "reduce", KIND_INT, FIELD(array.networks[WAY_REDUCE]), false, 1, 1024, false },
	{ "registers", "input", KIND_BYTES, FIELD(array.role_bytes[ROLE_INPUT]), true, 0, BYTES_LIMIT, false },
	{ "registers", "weight", KIND_BYTES, FIELD(array.role_bytes[ROLE_WEIGHT]), true, 0, BYTES_LIMIT, false },
	{ "registers", "output", KIND_BYTES, FIELD(array.role_bytes[ROLE_OUTPUT]), true, 0, BYTES_LIMIT, false },
	{ "energy_pj", "mac", KIND_NUMBER, FIELD(energy_mac_pj), true, 0, 1e9, false },
	{ "energy_pj", "register", KIND_NUMBER, FIELD(energy_register_pj), false, 0, 1e9, false },
	{ "energy_pj", "scratchpad", KIND_NUMBER, FIELD(energy_scratchpad_pj), false, 0, 1e9, false },
	{ "energy_pj", "register_by_bytes", KIND_PRICES, FIELD(energy_register_by_bytes), false, 0, 0, false },
	{ "energy_pj", "scratchpad_by_bytes", KIND_PRICES, FIELD(energy_scratchpad_by_bytes), false, 0, 0, false },
	{ "energy_pj", "leakage_pj_per_cycle", KIND_NUMBER, FIELD(energy_leakage_pj), false, 0, 1e9, false },
	{ "energy_pj", "network", KIND_NUMBER, FIELD(energy_network_pj), false, 0, 1e9, false },
	{ "energy_pj", "reduce", KIND_NUMBER, FIELD(energy_reduce_pj), false, 0, 1e9, false },
	{ "energy_pj", "dram", KIND_NUMBER, FIELD(energy_dram_pj), false, 0, 1e9, false },
	{ "energy_pj", "dram_bit", KIND_NUMBER, FIELD(energy_dram_bit_pj), false, 0, 1e9, false },
	{ "energy_pj", "word_bits", KIND_INT, FIELD(energy_word_bits), false, 1, 1024, false },
	{ "energy_pj", "scratchpad_sqrt", KIND_NUMBER, FIELD(energy_scratchpad_sqrt_pj), false, 0, 1e9, false },
	{ "energy_pj", "bank_bits", KIND_COUNT, FIELD(energy_bank_bits), false, 1, 1e15, false },
	{ "energy_pj", "bank_select", KIND_NUMBER, FIELD(energy_bank_select), false, 0, 1e3, false },
	{ "energy_pj", "register_file_bytes", KIND_BYTES, FIELD(energy_register_file_bytes), false, 1, BYTES_LIMIT, false },
	{ "energy_pj", "scratchpad_size", KIND_SIZE, FIELD(energy_is_sized_by_schedule), false, 0, 0, false },
};

enum { KEY_COUNT = sizeof keys / sizeof *keys };

enum { SECTION_SCRATCHPAD, SECTION_DMA, SECTION_CORE, SECTION_PE_ARRAY, SECTION_REGISTERS, SECTION_ENERGY, SECTION_COUNT };

static const struct section {
	const char *name;
	bool is_required;
} sections[SECTION_COUNT] = {
	{ "scratchpad", false }, { "dma", false }, { "core", false }, { "pe_array", false }, { "registers", false },
	{ "energy_pj", false },
};

struct reader {
	struct arena *arena;
	struct diag *diag;
	const char *file, *text;
	size_t length;
	yaml_document_t document;
	struct arch *arch;
	char *target;                /* what the keys are read into: arch, or one of its memories */
	bool has_memories, has_networks;
	struct location memory_at[MEMORY_LIMIT];     /* the name of each */
	bool is_seen[KEY_COUNT];
	struct location value_at[KEY_COUNT];     /* of those seen */
	struct location section_at[SECTION_COUNT];
};

/* Where MARK is; if it is behind the last line, the end of that.  libyaml counts lines from 0 and columns in characters; diagnostics
 * count bytes. */
static struct location place(const struct reader *reader, yaml_mark_t mark)
{
	const char *at = reader->text, *end = at + reader->length, *newline;
	size_t line = 0;
	while (end > at && end[-1] == '\n')
		end--;
	for (; line < mark.line && (newline = memchr(at, '\n', (size_t)(end - at))); line++)
		at = newline + 1;
	int column = 1;
	for (size_t character = 0; (line < mark.line || character < mark.column) && at < end && *at != '\n'; character++)
		do {
			at++, column++;
		} while (at < end && ((unsigned char)*at & 0xC0) == 0x80);
	return (struct location){ reader->file, (int)line + 1, column, 0 };
}

static struct location place_of(const struct reader *reader, const yaml_node_t *node)
{
	struct location at = place(reader, node->start_mark);
	if (node->type == YAML_SCALAR_NODE && node->end_mark.line == node->start_mark.line)
		at.end_column = place(reader, node->end_mark).column;
	return at;
}

static const char *scalar(const yaml_node_t *node)
{
	return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* "scratchpad.bytes": how messages name a key. */
static const char *full_name(const struct reader *reader, const struct key *key)
{
	return key->section[0] ?
		arena_printf(reader->arena, "%s.%s", key->section, key->name) : key->name;
}

/* A whole number, with K, M or G (powers of 1024) where BYTES.  False: not one. */
static bool parse_integer(const char *text, bool is_bytes, double *value)
{
	char *end;
	errno = 0;
	long long number = strtoll(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
	if (end == text || errno)
		return false;
	*value = (double)number;
	if (is_bytes && *end) {
		static const char suffixes[] = "KMG";
		const char *suffix = strchr(suffixes, *end);
		if (!suffix)
			return false;
		for (const char *s = suffixes; s <= suffix; s++)
			*value *= 1024;
		end++;
	}
	return *end == '\0';
}

static bool parse_number(const char *text, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end != text && *end == '\0' && *value - *value == 0;
}

static void store_number(const struct reader *reader, const struct key *key, double value)
{
	char *field = reader->target + key->offset;
	switch (key->kind) {
	case KIND_BYTES: case KIND_COUNT: *(long *)(void *)field = (long)value; break;
	case KIND_INT: *(int *)(void *)field = (int)value; break;
	default: *(double *)(void *)field = value;
	}
}

static void read_number(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	const char *text = scalar(node);
	bool is_whole = key->kind != KIND_NUMBER;
	double value;
	if (!text || !(is_whole ? parse_integer(text, key->kind == KIND_BYTES, &value)
	                        : parse_number(text, &value)))
		diag_error(reader->diag, place_of(reader, node), "'%s' must be a %s",
			full_name(reader, key), key->kind == KIND_BYTES
			? "whole number, with K, M or G behind it for 1024, 1024^2 or 1024^3"
			: is_whole ? "whole number" : "number");
	else if (value < key->least || value > key->most)
		diag_error(reader->diag, place_of(reader, node),
			"'%s' must be from %.15g to %.15g, not %s", full_name(reader, key),
			key->least, key->most, text);
	else if (key->is_power_of_two && ((long)value & ((long)value - 1)))
		diag_error(reader->diag, place_of(reader, node), "'%s' must be a power of two, not %s",
			full_name(reader, key), text);
	else
		store_number(reader, key, value);
}

static void read_name(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	const char *text = scalar(node);
	bool is_good = text && *text && strlen(text) <= 64;
	for (const char *c = text; is_good && *c; c++)
		is_good = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *c);
	if (is_good)
		reader->arch->name = arena_strdup(reader->arena, text);
	else
		diag_error(reader->diag, place_of(reader, node),
			"'%s' must be 1 to 64 letters, digits, '-', '_' and '.'", key->name);
}

static int role_named(const char *name)
{
	for (int r = 0; name && r < ROLE_COUNT; r++)
		if (!strcmp(name, role_names[r]))
			return r;
	return -1;
}

/* A role's name: another bit of *ROLES. */
static void read_role(struct reader *reader, const struct key *key, const yaml_node_t *node,
	unsigned *roles)
{
	int role = role_named(scalar(node));
	if (role < 0)
		diag_error(reader->diag, place_of(reader, node), "'%s' is a list of input, weight and output",
			full_name(reader, key));
	else if (*roles >> role & 1)
		diag_error(reader->diag, place_of(reader, node), "'%s' names %s twice", full_name(reader, key),
			role_names[role]);
	else
		*roles |= 1u << role;
}

static void read_roles(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	unsigned *roles = (unsigned *)(void *)(reader->target + key->offset);
	if (node->type != YAML_SEQUENCE_NODE || node->data.sequence.items.start
		== node->data.sequence.items.top) {
		diag_error(reader->diag, place_of(reader, node), "'%s' must be a list, as [input, output]",
			full_name(reader, key));
		return;
	}
	for (yaml_node_item_t *item = node->data.sequence.items.start;
	     item < node->data.sequence.items.top; item++)
		read_role(reader, key, yaml_document_get_node(&reader->document, *item), roles);
}

/* A memory's name is part of names of the emitted C, and a word of schedules. */
static void read_word(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	const char *text = scalar(node);
	bool is_good = text && *text && strlen(text) <= 32 && !strchr("0123456789", *text);
	for (const char *c = text; is_good && *c; c++)
		is_good = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c);
	if (is_good)
		*(const char **)(void *)(reader->target + key->offset) = arena_strdup(reader->arena, text);
	else
		diag_error(reader->diag, place_of(reader, node), "'%s' must be 1 to 32 letters, digits and "
			"'_', no digit first", full_name(reader, key));
}

static void read_choice(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	const char *text = scalar(node);
	bool *field = (bool *)(reader->target + key->offset);
	if (text && (!strcmp(text, words[key->kind][0]) || !strcmp(text, words[key->kind][1])))
		*field = !strcmp(text, words[key->kind][1]);
	else
		diag_error(reader->diag, place_of(reader, node), "'%s' must be '%s' or '%s'",
			full_name(reader, key), words[key->kind][0], words[key->kind][1]);
}

/* When words come to registers, and what room they need. */
static void read_registers(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	const char *text = scalar(node);
	struct pe_array *array = &reader->arch->array;
	array->is_double = !text || strcmp(text, "single");
	array->shares_room = text && !strcmp(text, "overlapped");
	if (!text || (array->is_double && !array->shares_room && strcmp(text, "double")))
		diag_error(reader->diag, place_of(reader, node), "'%s' must be 'single', 'double' or 'overlapped'",
			full_name(reader, key));
}

/* Along which axes of the array a network connects elements. */
static void read_axes(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	static const struct { const char *word; unsigned axes; } choices[] = { { "none", AXES_NONE },
		{ "x", 1U << AXIS_X }, { "y", 1U << AXIS_Y }, { "any", AXES_ANY } };
	const char *text = scalar(node);
	for (size_t c = 0; text && c < sizeof choices / sizeof *choices; c++)
		if (!strcmp(text, choices[c].word)) {
			*(unsigned *)(void *)((char *)reader->arch + key->offset) = choices[c].axes;
			return;
		}
	diag_error(reader->diag, place_of(reader, node), "'%s' must be 'none', 'x', 'y' or 'any'",
		full_name(reader, key));
}

/* A size, and what an access of a memory of that size costs, into PRICES, where they stay in order. */
static void read_price(struct reader *reader, const struct key *key, const yaml_node_t *size, const yaml_node_t *price,
	struct price_by_size *prices)
{
	double bytes, pj;
	if (!scalar(size) || !parse_integer(scalar(size), true, &bytes) || bytes < 1 || bytes > BYTES_LIMIT
		|| !scalar(price) || !parse_number(scalar(price), &pj) || !(pj > 0) || pj > 1e9) {
		diag_error(reader->diag, place_of(reader, size), "'%s' gives sizes in bytes, with K, M or G, a price above 0 each, as "
			"{ 256: 0.48, 1K: 1.92 }", full_name(reader, key));
		return;
	}
	int i = prices->count;
	for (; i && prices->at[i - 1].bytes >= (long)bytes; i--)
		if (prices->at[i - 1].bytes == (long)bytes) {
			diag_error(reader->diag, place_of(reader, size), "'%s' gives %s bytes two prices", full_name(reader, key),
				scalar(size));
			return;
		}
	memmove(&prices->at[i + 1], &prices->at[i], sizeof prices->at[0] * (size_t)(prices->count - i));
	prices->at[i].bytes = (long)bytes;
	prices->at[i].pj = pj;
	prices->count++;
}

/* What lies outside the sizes is on the line through the nearest two: it has to stay a number. */
static void check_slopes(struct reader *reader, const struct key *key, const yaml_node_t *node, const struct price_by_size *prices)
{
	enum { STEEPEST = 4 };
	for (int i = 0; i + 1 < prices->count; i++) {
		double sizes = log((double)prices->at[i + 1].bytes / (double)prices->at[i].bytes);
		double slope = log(prices->at[i + 1].pj / prices->at[i].pj) / sizes;
		if (fabs(slope) > STEEPEST)
			diag_error(reader->diag, place_of(reader, node), "from %ld to %ld bytes '%s' changes with more than the size to the "
				"power of %d", prices->at[i].bytes, prices->at[i + 1].bytes, full_name(reader, key), STEEPEST);
	}
}

static void read_prices(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	struct price_by_size *prices = (struct price_by_size *)(void *)((char *)reader->arch + key->offset);
	bool is_mapping = node->type == YAML_MAPPING_NODE;
	long count = is_mapping ? node->data.mapping.pairs.top - node->data.mapping.pairs.start : 0;
	if (count < 1 || count > PRICE_SIZES) {
		diag_error(reader->diag, place_of(reader, node), "'%s' must be a mapping of 1 to %d sizes to prices, as "
			"{ 256: 0.48, 1K: 1.92 }", full_name(reader, key), PRICE_SIZES);
		return;
	}
	for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++)
		read_price(reader, key, yaml_document_get_node(&reader->document, pair->key),
			yaml_document_get_node(&reader->document, pair->value), prices);
	check_slopes(reader, key, node, prices);
}

static void read_value(struct reader *reader, const struct key *key, const yaml_node_t *node)
{
	switch (key->kind) {
	case KIND_NAME: read_name(reader, key, node); break;
	case KIND_SHARING: case KIND_SIZE: case KIND_BOOL: case KIND_SHAPE:
		read_choice(reader, key, node); break;
	case KIND_REGISTERS: read_registers(reader, key, node); break;
	case KIND_AXES: read_axes(reader, key, node); break;
	case KIND_WORD: read_word(reader, key, node); break;
	case KIND_ROLES: read_roles(reader, key, node); break;
	case KIND_PRICES: read_prices(reader, key, node); break;
	default: read_number(reader, key, node);
	}
}

static void unknown_key(struct reader *reader, const char *section, const yaml_node_t *node)
{
	const char *name = scalar(node);
	struct location at = place_of(reader, node);
	diag_error(reader->diag, at, *section ? "unknown key '%s' in '%s'" : "unknown key '%s'",
		name ? name : "(not a word)", section);
	const char *known = "";
	for (int k = 0; k < KEY_COUNT; k++)
		if (!strcmp(keys[k].section, section))
			known = arena_printf(reader->arena, "%s%s%s", known, *known ? ", " : "", keys[k].name);
	if (!strcmp(section, "pe_array"))
		known = arena_printf(reader->arena, "%s, networks", known);
	for (int s = 0; s < SECTION_COUNT && !*section; s++)
		known = arena_printf(reader->arena, "%s, %s%s", known, sections[s].name,
			s == SECTION_SCRATCHPAD ? ", memories" : "");
	diag_note(reader->diag, at, "the keys here are %s", known);
}

static const struct key *find_key(const char *section, const char *name)
{
	for (int k = 0; name && k < KEY_COUNT; k++)
		if (!strcmp(keys[k].section, section) && !strcmp(keys[k].name, name))
			return &keys[k];
	return NULL;
}

static bool is_given(const struct reader *reader, const char *section, const char *name)
{
	return reader->is_seen[find_key(section, name) - keys];
}

/* Where the value of a key is that was given. */
static struct location value_of(const struct reader *reader, const char *section, const char *name)
{
	return reader->value_at[find_key(section, name) - keys];
}

static void read_mapping(struct reader *reader, const char *section, const yaml_node_t *mapping,
	bool is_seen_section[SECTION_COUNT]);

/* True if NODE is the name of a section at the top, which is then read. */
static bool read_section(struct reader *reader, const yaml_node_t *name_node,
	const yaml_node_t *node, bool is_seen[SECTION_COUNT])
{
	const char *name = scalar(name_node);
	for (int s = 0; name && s < SECTION_COUNT; s++) {
		if (strcmp(sections[s].name, name))
			continue;
		if (!is_seen[s])
			reader->section_at[s] = place(reader, node->start_mark);
		if (is_seen[s])
			diag_error(reader->diag, place_of(reader, name_node), "'%s' stands twice", name);
		else if (node->type != YAML_MAPPING_NODE)
			diag_error(reader->diag, place_of(reader, node),
				"'%s' must be a mapping, as { key: value }", name);
		else
			read_mapping(reader, name, node, NULL);
		is_seen[s] = true;
		return true;
	}
	return false;
}

/* The entry of "memories" at NODE. */
static void read_memory(struct reader *reader, const yaml_node_t *node)
{
	struct memory_entry entry = { .memory = { .name = "", .banks = 1, .align_bytes = 1 } };
	int m = reader->arch->memory_count;
	if (node->type != YAML_MAPPING_NODE) {
		diag_error(reader->diag, place_of(reader, node), "an entry of 'memories' must be a mapping, as "
			"{ name: weights, bytes: 32K, holds: [weight] }");
		return;
	}
	if (reader->arch->memory_count == MEMORY_LIMIT) {
		diag_error(reader->diag, place_of(reader, node), "a machine has %d memories at most",
			MEMORY_LIMIT);
		return;
	}
	for (int k = 0; k < KEY_COUNT; k++)
		reader->is_seen[k] &= strcmp(keys[k].section, MEMORIES) != 0;
	reader->target = (char *)&entry;
	read_mapping(reader, MEMORIES, node, NULL);
	reader->target = (char *)reader->arch;
	reader->arch->memories[m] = entry.memory;
	reader->arch->array.memory_words_per_cycle[m] = entry.words_per_cycle;
	reader->arch->memory_count++;
	reader->memory_at[m] = is_given(reader, MEMORIES, "name")
		? value_of(reader, MEMORIES, "name") : place_of(reader, node);
}

/* True if NAME is "memories", whose entries are then read. */
static bool read_memories(struct reader *reader, const yaml_node_t *name, const yaml_node_t *node)
{
	if (!scalar(name) || strcmp(scalar(name), MEMORIES))
		return false;
	if (reader->has_memories)
		diag_error(reader->diag, place_of(reader, name), "'memories' stands twice");
	else if (node->type != YAML_SEQUENCE_NODE
		|| node->data.sequence.items.start == node->data.sequence.items.top)
		diag_error(reader->diag, place_of(reader, node), "'memories' must be a list of mappings");
	else
		for (yaml_node_item_t *item = node->data.sequence.items.start;
		     item < node->data.sequence.items.top; item++)
			read_memory(reader, yaml_document_get_node(&reader->document, *item));
	reader->has_memories = true;
	return true;
}

/* True if NAME is "networks" in "pe_array", whose keys are then read. */
static bool read_networks(struct reader *reader, const char *section, const yaml_node_t *name,
	const yaml_node_t *node)
{
	if (strcmp(section, "pe_array") || !scalar(name) || strcmp(scalar(name), "networks"))
		return false;
	if (reader->has_networks)
		diag_error(reader->diag, place_of(reader, name), "'%s' stands twice", NETWORKS);
	else if (node->type != YAML_MAPPING_NODE)
		diag_error(reader->diag, place_of(reader, node), "'%s' must be a mapping, as "
			"{ read: 3, write: 1, reduce: 1 }", NETWORKS);
	else
		read_mapping(reader, NETWORKS, node, NULL);
	reader->has_networks = true;
	return true;
}

/* "version" says which form of this file it is; the second one has more keys. */
static bool read_version(struct reader *reader, const char *section, const yaml_node_t *name,
	const yaml_node_t *node)
{
	if (*section || !scalar(name) || strcmp(scalar(name), "version"))
		return false;
	if (!scalar(node) || (strcmp(scalar(node), "1") && strcmp(scalar(node), "2")))
		diag_error(reader->diag, place_of(reader, node),
			"this loopc reads machine files of versions 1 and 2 only");
	/* a file of the first version says what there is, and a core computes */
	else
		reader->arch->array.computes = !strcmp(scalar(node), "2");
	return true;
}

static void read_mapping(struct reader *reader, const char *section, const yaml_node_t *mapping,
	bool is_seen_section[SECTION_COUNT])
{
	for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
	     pair < mapping->data.mapping.pairs.top; pair++) {
		const yaml_node_t *name = yaml_document_get_node(&reader->document, pair->key);
		const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
		const struct key *key = find_key(section, scalar(name));
		if (key && reader->is_seen[key - keys])
			diag_error(reader->diag, place_of(reader, name), "'%s' stands twice",
				full_name(reader, key));
		else if (key)
			read_value(reader, key, value);
		else if (!(is_seen_section && read_section(reader, name, value, is_seen_section)) &&
		         !(is_seen_section && read_memories(reader, name, value)) &&
		         !read_networks(reader, section, name, value) &&
		         !read_version(reader, section, name, value))
			unknown_key(reader, section, name);
		if (key)
			reader->value_at[key - keys] = place_of(reader, value);
		if (key)
			reader->is_seen[key - keys] = true;
	}
	for (int k = 0; k < KEY_COUNT; k++)
		if (keys[k].is_required && !reader->is_seen[k] && !strcmp(keys[k].section, section))
			diag_error(reader->diag, place(reader, mapping->start_mark), "'%s' is missing",
				full_name(reader, &keys[k]));
}

/* The banks of MEMORY, given AT, are whole, aligned, and all that there is of it. */
static void check_memory(struct reader *reader, struct arch_memory *memory, const char *section,
	struct location at)
{
	enum { LARGEST_ELEMENT_BYTES = 8 };
	/* a buffer begins where a copy can */
	if (memory->align_bytes < reader->arch->dma_align_bytes)
		memory->align_bytes = reader->arch->dma_align_bytes;
	if (memory->banks > 1 && !memory->exclusive)
		diag_error(reader->diag, at, "'%s.banks' needs 'sharing: exclusive': a %s "
			"whose banks are shared is one piece", section,
			reader->arch->memory_count ? "memory" : "scratchpad");
	else if (memory->exclusive && memory->bytes % memory->banks)
		diag_error(reader->diag, at, "%ld bytes cannot be split into %d equal banks",
			memory->bytes, memory->banks);
	else if (memory->exclusive && memory->bytes / memory->banks % memory->align_bytes)
		diag_error(reader->diag, at, "a bank of %ld bytes is no multiple of the alignment of "
			"buffers, %d bytes", memory->bytes / memory->banks, memory->align_bytes);
	else if (memory->exclusive && memory->bytes / memory->banks % LARGEST_ELEMENT_BYTES)
		diag_error(reader->diag, at, "a bank of %ld bytes is no multiple of %d: not every "
			"element could begin one", memory->bytes / memory->banks, LARGEST_ELEMENT_BYTES);
}

/* NAME has the letters of OTHER, small or capital: macros have capitals only. */
static bool are_alike(const char *name, const char *other)
{
	return !strcasecmp(name, other);
}

/* Each memory has a name of its own, that no other macro of a function has either. */
static void check_name(struct reader *reader, int m)
{
	static const char *const taken[] = { "stack", "workspace", "read", "write", "commands" };
	const char *name = reader->arch->memories[m].name;
	bool is_taken = (m > 0 && are_alike(name, "scratchpad")) || (reader->arch->array.bypass && are_alike(name, "bypass"));
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		is_taken |= are_alike(name, taken[i]);
	if (is_taken)
		diag_error(reader->diag, reader->memory_at[m], "a memory cannot be called '%s', which names "
			"something else in the emitted header", name);
	for (int other = 0; other < m; other++)
		if (are_alike(name, reader->arch->memories[other].name))
			diag_error(reader->diag, reader->memory_at[m], "two memories are called '%s'", name);
}

/* The memories are told apart, and each array can be in one. */
static void check_memories(struct reader *reader)
{
	struct arch *arch = reader->arch;
	unsigned roles = 0;
	for (int m = 0; m < arch->memory_count; m++) {
		check_name(reader, m);
		check_memory(reader, &arch->memories[m], MEMORIES, reader->memory_at[m]);
		roles |= arch->memories[m].roles;
		arch->scratchpad_bytes += arch->memories[m].bytes;
		if (arch->align_bytes < arch->memories[m].align_bytes)
			arch->align_bytes = arch->memories[m].align_bytes;
	}
	for (int r = 0; r < ROLE_COUNT; r++)
		if (!(roles >> r & 1))
			diag_error(reader->diag, reader->memory_at[0], "no memory holds %s arrays: "
				"all roles need one, of input, weight and output", role_names[r]);
}

static void check_whole(struct reader *reader)
{
	struct arch *arch = reader->arch;
	if (arch->memory_count) {
		check_memories(reader);
	} else {
		struct arch_memory scratchpad = arch_memory(arch, 0);
		check_memory(reader, &scratchpad, "scratchpad", value_of(reader, "scratchpad",
			is_given(reader, "scratchpad", "banks") ? "banks" : "bytes"));
		arch->align_bytes = scratchpad.align_bytes;
	}
	if (arch->max_bytes && arch->max_bytes % arch->dma_align_bytes)
		diag_error(reader->diag, value_of(reader, "dma", "max_bytes"),
			"'dma.max_bytes' is no multiple of 'dma.align_bytes'");
}

/* One memory is a scratchpad, whatever it is called. */
static void merge_single(struct arch *arch)
{
	if (arch->memory_count != 1)
		return;
	arch->banks = arch->memories[0].banks;
	arch->exclusive = arch->memories[0].exclusive;
	arch->accumulates = arch->memories[0].accumulates;
	arch->memory_count = 0;
}

/* Where arrays may bypass memories, registers are one more, in which they are. */
static void add_bypass(struct reader *reader)
{
	struct arch *arch = reader->arch;
	double bytes = 0;
	if (!arch->array.bypass)
		return;
	for (int r = 0; r < ROLE_COUNT; r++)
		if (arch->array.bypass >> r & 1)
			bytes = arch->array.is_split ? bytes + (double)arch->array.role_bytes[r] : (double)arch->array.registers_bytes;
	bytes *= (double)arch->array.x * (double)arch->array.y;
	if (bytes < 1)
		diag_error(reader->diag, value_of(reader, "pe_array", "bypass"), "'pe_array.bypass' needs registers, which have no bytes here");
	if (arch->memory_count == MEMORY_LIMIT)
		diag_error(reader->diag, value_of(reader, "pe_array", "bypass"), "a machine has %d memories at most, of which "
			"'pe_array.bypass' makes registers one", MEMORY_LIMIT);
	if (diag_error_count(reader->diag))
		return;
	if (!arch->memory_count) {
		arch->memories[0] = arch_memory(arch, 0);
		arch->memory_count = 1;
	}
	arch->bypass_memory = arch->memory_count;
	arch->memories[arch->memory_count++] = (struct arch_memory){ .name = "bypass", .banks = 1,
		.bytes = (long)(bytes < BYTES_LIMIT ? bytes : BYTES_LIMIT), .align_bytes = arch->dma_align_bytes > 1 ? arch->dma_align_bytes : 1 };
	arch->scratchpad_bytes += arch->memories[arch->bypass_memory].bytes;
}

/* What writes takes as long as what reads, where nothing else is said. */
static void fill_writes(struct reader *reader)
{
	struct arch *arch = reader->arch;
	if (!is_given(reader, "dma", "write_startup_cycles"))
		arch->write_startup_cycles = arch->startup_cycles;
	if (!is_given(reader, "dma", "write_burst_cycles"))
		arch->write_burst_cycles = arch->burst_cycles;
	for (int k = 0; k < 2; k++) {
		const char *name = k ? "write_burst_cycles" : "burst_cycles";
		if (is_given(reader, "dma", name) && !arch->burst_bytes)
			diag_error(reader->diag, value_of(reader, "dma", name),
				"'dma.%s' needs 'dma.burst_bytes'", name);
	}
}

/* Where loops in space are on no axis, networks that connect one axis alone connect nothing that is known. */
static void check_array(struct reader *reader)
{
	const struct pe_array *array = &reader->arch->array;
	if (array->register_accesses != 1 && array->register_accesses != ACCESSES_OF_MAC)
		diag_error(reader->diag, value_of(reader, "pe_array", "register_accesses"), "'pe_array.register_accesses' must be 4 or 1, not "
			"%d", array->register_accesses);
	for (int k = 0; k < 2; k++) {
		unsigned axes = k ? array->reduce : array->multicast;
		const char *name = k ? "reduce" : "multicast";
		if (array->is_free && axes != AXES_NONE && axes != AXES_ANY)
			diag_error(reader->diag, value_of(reader, "pe_array", name),
				"'pe_array.%s' must be 'none' or 'any' where 'shape' is 'free': loops in space have no axis", name);
	}
}

/* What words need of time says nothing where elements take none. */
static void check_array_time(struct reader *reader)
{
	static const struct { const char *section, *name; } timed[] = { { "scratchpad", "words_per_cycle" },
		{ "pe_array", "words_per_cycle" }, { NETWORKS, "read" }, { NETWORKS, "write" }, { NETWORKS, "reduce" } };
	for (size_t k = 0; k < sizeof timed / sizeof *timed && reader->arch->array.mac_cycles <= 0; k++)
		if (is_given(reader, timed[k].section, timed[k].name))
			diag_error(reader->diag, value_of(reader, timed[k].section, timed[k].name),
				"'%s.%s' needs 'pe_array.mac_cycles'", timed[k].section, timed[k].name);
	for (int m = 0; reader->has_memories && m < reader->arch->memory_count && reader->arch->array.mac_cycles <= 0; m++)
		if (reader->arch->array.memory_words_per_cycle[m] > 0)
			diag_error(reader->diag, reader->memory_at[m], "'memories.words_per_cycle' needs 'pe_array.mac_cycles'");
}

/* NAME has one price, or some by size. */
static void check_price(struct reader *reader, const char *name, struct location at)
{
	const char *by_bytes = arena_printf(reader->arena, "%s_by_bytes", name);
	if (!is_given(reader, "energy_pj", name) && !is_given(reader, "energy_pj", by_bytes))
		diag_error(reader->diag, at, "'energy_pj.%s' or 'energy_pj.%s' is missing", name, by_bytes);
	if (is_given(reader, "energy_pj", name) && is_given(reader, "energy_pj", by_bytes))
		diag_error(reader->diag, value_of(reader, "energy_pj", by_bytes),
			"'energy_pj.%s' and 'energy_pj.%s' are two prices of one thing", name, by_bytes);
}

/* What depends on a size needs that size. */
static void check_sizes_of_prices(struct reader *reader)
{
	const struct arch *arch = reader->arch;
	static const char *const formula[] = { "scratchpad_sqrt", "bank_bits" };
	if (arch->energy_register_by_bytes.count && !arch->has_pe_array && !arch->energy_register_file_bytes)
		diag_error(reader->diag, value_of(reader, "energy_pj", "register_by_bytes"), "'energy_pj.register_by_bytes' needs "
			"registers: 'pe_array', or 'energy_pj.register_file_bytes'");
	for (int k = 0; k < 2 && arch->energy_scratchpad_by_bytes.count; k++)
		if (is_given(reader, "energy_pj", formula[k]))
			diag_error(reader->diag, value_of(reader, "energy_pj", formula[k]), "'energy_pj.%s' and "
				"'energy_pj.scratchpad_by_bytes' are two prices of one thing", formula[k]);
	if (arch->memory_count > 1 && arch->energy_is_sized_by_schedule)
		diag_error(reader->diag, value_of(reader, "energy_pj", "scratchpad_size"), "of several memories all is paid for: "
			"'energy_pj.scratchpad_size' must be 'machine'");
	if (arch->energy_leakage_pj > 0 && !arch_has_clock(arch))
		diag_error(reader->diag, value_of(reader, "energy_pj", "leakage_pj_per_cycle"), "'energy_pj.leakage_pj_per_cycle' needs "
			"what takes time: dma.startup_cycles, core.mac_cycles or pe_array.mac_cycles");
}

/* Registers are of some size, all together or role by role. */
static void check_registers(struct reader *reader, bool has_roles)
{
	struct pe_array *array = &reader->arch->array;
	long sum = 0;
	if (!has_roles) {
		if (reader->arch->has_pe_array && !is_given(reader, "pe_array", "registers_bytes"))
			diag_error(reader->diag, reader->section_at[SECTION_PE_ARRAY], "'pe_array.registers_bytes' is missing");
		return;
	}
	for (int r = 0; r < ROLE_COUNT; r++)
		sum += array->role_bytes[r];
	if (!reader->arch->has_pe_array)
		diag_error(reader->diag, reader->section_at[SECTION_REGISTERS], "'registers' needs 'pe_array', whose elements have them");
	else if (is_given(reader, "pe_array", "registers_bytes") && array->registers_bytes != sum)
		diag_error(reader->diag, value_of(reader, "pe_array", "registers_bytes"), "'pe_array.registers_bytes' is %ld, and the "
			"parts in 'registers' are %ld together", array->registers_bytes, sum);
	array->registers_bytes = sum;
	array->is_split = true;
}

/* External memory has one price, by the word or by the bit. */
static void check_energy(struct reader *reader, struct location at)
{
	check_price(reader, "register", at);
	check_price(reader, "scratchpad", at);
	check_sizes_of_prices(reader);
	struct arch *arch = reader->arch;
	bool by_word = is_given(reader, "energy_pj", "dram");
	bool by_bit = is_given(reader, "energy_pj", "dram_bit");
	if (!by_word && !by_bit)
		diag_error(reader->diag, at, "'energy_pj.dram' or 'energy_pj.dram_bit' is missing");
	if (by_word && by_bit)
		diag_error(reader->diag, at,
			"'energy_pj.dram' and 'energy_pj.dram_bit' are two prices of one thing");
	if (is_given(reader, "energy_pj", "bank_select") && !arch->energy_bank_bits)
		diag_error(reader->diag, at, "'energy_pj.bank_select' needs 'energy_pj.bank_bits'");
	if (by_bit)
		arch->energy_dram_pj = arch->energy_dram_bit_pj * arch->energy_word_bits;
}

static void read_document(struct reader *reader)
{
	const yaml_node_t *root = yaml_document_get_root_node(&reader->document);
	struct location start = { reader->file, 1, 1, 0 };
	if (!root || root->type != YAML_MAPPING_NODE) {
		diag_error(reader->diag, start, "a machine file is a mapping, as 'name: ...'");
		return;
	}
	bool is_seen[SECTION_COUNT] = { false };
	read_mapping(reader, "", root, is_seen);
	for (int s = 0; s < SECTION_COUNT; s++)
		if (sections[s].is_required && !is_seen[s])
			diag_error(reader->diag, place(reader, root->start_mark), "'%s' is missing",
				sections[s].name);
	if (!is_seen[SECTION_SCRATCHPAD] && !reader->has_memories)
		diag_error(reader->diag, place(reader, root->start_mark), "'scratchpad' is missing");
	if (is_seen[SECTION_SCRATCHPAD] && reader->has_memories)
		diag_error(reader->diag, reader->section_at[SECTION_SCRATCHPAD], "a machine has a 'scratchpad' "
			"or 'memories', not both");
	reader->arch->has_pe_array = is_seen[SECTION_PE_ARRAY];
	fill_writes(reader);
	check_array(reader);
	check_array_time(reader);
	/* what elements cannot compute a core does no faster than one of them */
	if (!is_given(reader, "core", "mac_cycles"))
		reader->arch->core_mac_cycles = reader->arch->array.mac_cycles;
	check_registers(reader, is_seen[SECTION_REGISTERS]);
	if (is_seen[SECTION_ENERGY])
		check_energy(reader, reader->section_at[SECTION_ENERGY]);
	if (!diag_error_count(reader->diag))
		check_whole(reader);
	merge_single(reader->arch);
	add_bypass(reader);
}

const struct arch *arch_parse(struct arena *arena, struct diag *diag, const char *file,
	const char *text, size_t length)
{
	struct reader reader = { .arena = arena, .diag = diag, .file = file, .text = text,
		.length = length, .arch = ARENA_NEW(arena, struct arch) };
	*reader.arch = (struct arch){ .banks = 1, .bytes_per_cycle = 4, .max_rank = LRT_MAX_RANK,
		.align_bytes = 1, .dma_align_bytes = 1, .channels = 1, .clock_hz = 1e9, .energy_word_bits = ARCH_WORD_BITS, .energy_reduce_pj = -1,
		.array = pe_array_usual() };
	reader.target = (char *)reader.arch;
	int errors = diag_error_count(diag);
	yaml_parser_t parser;
	if (!yaml_parser_initialize(&parser)) {
		fputs("loopc: error: out of memory\n", stderr);
		exit(70);
	}
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
	if (yaml_parser_load(&parser, &reader.document)) {
		read_document(&reader);
		yaml_document_delete(&reader.document);
	} else {
		diag_error(diag, place(&reader, parser.problem_mark), "not YAML: %s",
			parser.problem ? parser.problem : "unreadable");
	}
	yaml_parser_delete(&parser);
	return diag_error_count(diag) == errors ? reader.arch : NULL;
}

const struct arch_builtin *arch_builtin_find(const char *name)
{
	for (const struct arch_builtin *builtin = arch_builtins; builtin->name; builtin++)
		if (!strcmp(builtin->name, name))
			return builtin;
	return NULL;
}

/* The comment that a built-in machine's file begins with. */
void arch_list(FILE *out)
{
	for (const struct arch_builtin *builtin = arch_builtins; builtin->name; builtin++) {
		const char *comment = builtin->text + strspn(builtin->text, "# ");
		fprintf(out, "%-16s %.*s\n", builtin->name, (int)strcspn(comment, "\n"), comment);
	}
}
