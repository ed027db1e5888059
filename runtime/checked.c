/* The checked port: a host port that finds what a real controller would turn into
 * a rare wrong result.  A copy happens only at its wait.  Until then the
 * destination of a get holds noise that must not change, and the source of a put
 * must keep what it held when the put began; so a missing wait shows up as a wrong
 * output or as a violation, which a memcpy at the call never would.
 *
 * It is one long file, since a port is one: whoever builds by hand compiles it beside the
 * emitted C, with nothing else. */

#include "loopc_checked.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer what emitted code must not touch is poisoned as well: the
 * zones around the scratchpad, and destinations of gets in flight.  Weak, so the
 * same object serves programs with and without it. */
#if defined(__GNUC__) && defined(__ELF__)
void __asan_poison_memory_region(const volatile void *start, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *start, size_t bytes) __attribute__((weak));
#define ASAN_POISON(start, bytes) \
	(__asan_poison_memory_region ? __asan_poison_memory_region(start, bytes) : (void)0)
#define ASAN_UNPOISON(start, bytes) \
	(__asan_unpoison_memory_region ? __asan_unpoison_memory_region(start, bytes) : (void)0)
#else
#define ASAN_POISON(start, bytes) ((void)(start), (void)(bytes))
#define ASAN_UNPOISON(start, bytes) ((void)(start), (void)(bytes))
#endif

enum {
	SCRATCHPAD_ALIGN = 64,
	DEFAULT_SCRATCHPAD_BYTES = 1 << 20,
	GUARD_BYTES = 4096,
	SHOWN_VIOLATIONS = 20
};

/* What the copies in flight do with a byte, on either side: written by one, or
 * read by that many. */
typedef uint16_t usage;
#define WRITTEN ((usage)0x8000)
#define READERS ((usage)0x7fff)

/* A named array in external memory.  usage is there only if it may be written:
 * nothing conflicts in an array that is only read. */
struct region {
	const char *name;
	unsigned char *base;
	size_t bytes;
	int writable;
	usage *usage;
	lrt_counts counts;
};

/* A memory on chip.  block: guard, the memory, guard.  noise: what an untouched byte of it
 * holds.  expected: what sources of puts in flight held when they began.  Both and usage run from
 * its base, in bytes. */
struct memory {
	unsigned char *allocation, *block, *base, *noise, *expected;   /* allocation NULL: not asked for */
	usage *usage;
	size_t bytes;
};

/* A copy in flight.  Offsets are from the region's base and the memory's. */
struct copy {
	int is_put;
	unsigned tag;
	uint64_t command;            /* its number since lrt_checked_begin, from 1 */
	size_t region;
	const struct memory *memory;
	ptrdiff_t ext, loc;
	int in_conflict;             /* reported already */
	lrt_box box;
};

struct queue {
	struct copy *copies;
	size_t count, capacity;
};

static struct {
	lrt_limits limits;
	struct memory memories[LRT_MEMORIES];    /* the scratchpad is the first */
	struct region *regions;
	size_t region_count, last_region;
	struct queue queues[LRT_TAGS];
	uint64_t commands;
	int violations;
	int begun;
} port;

static void *allocate(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes ? bytes : 1);
	if (!memory) {
		fputs("loopc-rt: out of memory\n", stderr);
		exit(70);
	}
	return memory;
}

/* Counts a violation; false if its message is not to be shown. */
static int violation_begins(void)
{
	port.violations++;
	if (port.violations == SHOWN_VIOLATIONS + 1)
		fputs("loopc-rt: further violations are not shown\n", stderr);
	return port.violations <= SHOWN_VIOLATIONS;
}

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void violation(const char *format, ...)
{
	va_list arguments;
	if (!violation_begins())
		return;
	fputs("loopc-rt: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

/* How messages call MEMORY. */
static const char *memory_name(const struct memory *memory)
{
	static const char *const names[LRT_MEMORIES] = { "scratchpad", "memory 1", "memory 2", "memory 3",
		"memory 4", "memory 5", "memory 6", "memory 7" };
	return names[memory - port.memories];
}

static void print_copy(const struct copy *copy)
{
	const struct region *region = &port.regions[copy->region];
	uint32_t d;
	fprintf(stderr, "%s %s tag %u (command %" PRIu64 ", %s + %td, %s + %td, ",
		copy->is_put ? "put" : "get", region->name, copy->tag, copy->command,
		region->name, copy->ext, memory_name(copy->memory), copy->loc);
	for (d = 0; d + 1 < copy->box.rank; d++)
		fprintf(stderr, "%" PRIu32 " x ", copy->box.count[d]);
	fprintf(stderr, "%" PRIu32 " bytes)", copy->box.bytes);
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void copy_violation(const struct copy *copy, const char *format, ...)
{
	va_list arguments;
	if (!violation_begins())
		return;
	fputs("loopc-rt: ", stderr);
	print_copy(copy);
	fputs(": ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

/* The runs of a box, one after the other. */
struct walk {
	const lrt_box *box;
	uint32_t index[LRT_MAX_RANK - 1];
	ptrdiff_t ext, loc;
};

static struct walk walk_start(const struct copy *copy)
{
	struct walk walk;
	memset(walk.index, 0, sizeof walk.index);
	walk.box = &copy->box;
	walk.ext = copy->ext;
	walk.loc = copy->loc;
	return walk;
}

static int walk_next(struct walk *walk)
{
	const lrt_box *box = walk->box;
	uint32_t d = box->rank - 1;
	while (d-- > 0) {
		if (++walk->index[d] < box->count[d]) {
			walk->ext += box->ext_stride[d];
			walk->loc += box->loc_stride[d];
			return 1;
		}
		walk->index[d] = 0;
		walk->ext -= box->ext_stride[d] * (ptrdiff_t)(box->count[d] - 1);
		walk->loc -= box->loc_stride[d] * (ptrdiff_t)(box->count[d] - 1);
	}
	return 0;
}

/* Widens [*low, *high) by what a dimension reaches; false where that is beyond
 * any memory. */
static int widen(int64_t *low, int64_t *high, uint32_t count, ptrdiff_t stride)
{
	const int64_t reach_limit = INT64_MAX / 4 / LRT_MAX_RANK;
	int64_t steps = (int64_t)count - 1, magnitude = stride < 0 ? -(stride + 1) : stride;
	if (steps == 0)
		return 1;
	if (magnitude >= reach_limit / steps)
		return 0;
	*(stride < 0 ? low : high) += steps * stride;
	return 1;
}

/* True if the box, placed at OFFSET, lies in [0, BYTES). */
static int box_inside(const lrt_box *box, const ptrdiff_t *strides, ptrdiff_t offset, size_t bytes)
{
	int64_t low = offset, high = (int64_t)offset + box->bytes;
	uint32_t d;
	for (d = 0; d + 1 < box->rank; d++)
		if (!widen(&low, &high, box->count[d], strides[d]))
			return 0;
	return low >= 0 && (uint64_t)high <= bytes;
}

static int box_is_formed(const lrt_box *box)
{
	uint32_t d;
	if (box->rank < 1 || box->rank > LRT_MAX_RANK || box->bytes == 0)
		return 0;
	for (d = 0; d + 1 < box->rank; d++)
		if (box->count[d] == 0)
			return 0;
	return 1;
}

/* Bytes that the box moves; UINT64_MAX if they do not fit. */
static uint64_t box_bytes(const lrt_box *box)
{
	uint64_t bytes = box->bytes;
	uint32_t d;
	for (d = 0; d + 1 < box->rank; d++) {
		if (bytes > UINT64_MAX / box->count[d])
			return UINT64_MAX;
		bytes *= box->count[d];
	}
	return bytes;
}

static uint64_t magnitude(ptrdiff_t stride)
{
	return stride < 0 ? (uint64_t)0 - (uint64_t)stride : (uint64_t)stride;
}

static void check_dimension(const struct copy *copy, uint32_t d)
{
	const lrt_limits *limits = &port.limits;
	uint64_t ext = magnitude(copy->box.ext_stride[d]), loc = magnitude(copy->box.loc_stride[d]);
	if (limits->max_count && copy->box.count[d] > limits->max_count)
		copy_violation(copy, "count %" PRIu32 " is above the machine's %" PRIu32,
			copy->box.count[d], limits->max_count);
	if (copy->box.count[d] == 1)
		return;
	if (limits->max_stride_bytes && (ext > limits->max_stride_bytes || loc > limits->max_stride_bytes))
		copy_violation(copy, "a stride of %" PRIu64 " bytes is above the machine's %" PRIu32,
			ext > loc ? ext : loc, limits->max_stride_bytes);
	if (limits->align_bytes && (ext % limits->align_bytes || loc % limits->align_bytes))
		copy_violation(copy, "strides %" PRIu64 " and %" PRIu64
			" bytes are not both multiples of the machine's %" PRIu32,
			ext, loc, limits->align_bytes);
}

static void check_limits(const struct copy *copy)
{
	const lrt_limits *limits = &port.limits;
	const struct region *region = &port.regions[copy->region];
	uint32_t d;
	if (limits->max_rank && copy->box.rank > limits->max_rank)
		copy_violation(copy, "rank %" PRIu32 " is above the machine's %" PRIu32,
			copy->box.rank, limits->max_rank);
	if (limits->max_bytes && box_bytes(&copy->box) > limits->max_bytes)
		copy_violation(copy, "%" PRIu64 " bytes are above the machine's %" PRIu32,
			box_bytes(&copy->box), limits->max_bytes);
	if (limits->align_bytes && (copy->box.bytes % limits->align_bytes ||
			((uintptr_t)region->base + (uintptr_t)copy->ext) % limits->align_bytes ||
			(size_t)copy->loc % limits->align_bytes))
		copy_violation(copy, "addresses or bytes are not multiples of the machine's %" PRIu32,
			limits->align_bytes);
	for (d = 0; d + 1 < copy->box.rank; d++)
		check_dimension(copy, d);
}

/* Marks a run that a copy in flight writes; true if another copy uses part of it. */
static int mark_written(usage *usages, size_t bytes)
{
	unsigned used = 0;
	size_t i;
	for (i = 0; i < bytes; i++) {
		used |= usages[i];
		usages[i] = (usage)(usages[i] | WRITTEN);
	}
	return used != 0;
}

/* Marks a run that a copy in flight reads; true if another one writes part of it. */
static int mark_read(usage *usages, size_t bytes)
{
	unsigned used = 0;
	size_t i;
	for (i = 0; i < bytes; i++) {
		used |= usages[i];
		usages[i] = (usage)(usages[i] + 1);
	}
	return (used & WRITTEN) != 0;
}

static void unmark_written(usage *usages, size_t bytes)
{
	size_t i;
	for (i = 0; i < bytes; i++)
		usages[i] = (usage)(usages[i] & READERS);
}

static void unmark_read(usage *usages, size_t bytes)
{
	size_t i;
	for (i = 0; i < bytes; i++)
		usages[i] = (usage)(usages[i] - 1);
}

/* Keeps what the source of a put holds.  Bytes that another put in flight reads
 * too must not have changed since that one began. */
static int keep_source(const struct memory *memory, ptrdiff_t loc, size_t bytes)
{
	const usage *usages = memory->usage + loc;
	const unsigned char *source = memory->base + loc;
	unsigned char *expected = memory->expected + loc;
	int changed = 0;
	size_t i;
	for (i = 0; i < bytes; i++)
		changed |= (usages[i] & READERS) && expected[i] != source[i];
	memcpy(expected, source, bytes);
	return changed;
}

/* True if a run of the copy uses one of BYTES bytes at OFFSET of that side. */
static int copy_uses(const struct copy *copy, int on_chip, ptrdiff_t offset, size_t bytes)
{
	struct walk walk = walk_start(copy);
	do {
		ptrdiff_t run = on_chip ? walk.loc : walk.ext;
		if (run < offset + (ptrdiff_t)bytes && offset < run + (ptrdiff_t)copy->box.bytes)
			return 1;
	} while (walk_next(&walk));
	return 0;
}

/* Of the copies in flight that use the run of COPY at OFFSET in a way that excludes
 * it, the first; NULL if COPY itself is the only one. */
static struct copy *find_conflict(const struct copy *copy, int on_chip, ptrdiff_t offset)
{
	unsigned tag;
	size_t i;
	for (tag = 0; tag < LRT_TAGS; tag++)
		for (i = 0; i < port.queues[tag].count; i++) {
			struct copy *other = &port.queues[tag].copies[i];
			int both_read = copy->is_put == on_chip && other->is_put == on_chip;
			if (!both_read && (on_chip ? other->memory == copy->memory
					: other->region == copy->region) && copy_uses(other, on_chip, offset, copy->box.bytes))
				return other;
		}
	return NULL;
}

/* Reports that the run of COPY at OFFSET of its memory, or of its array, is used
 * by a copy in flight or by COPY itself.  What happens to either is not reported
 * again at its wait. */
static void conflict(struct copy *copy, int on_chip, ptrdiff_t offset)
{
	struct copy *other = find_conflict(copy, on_chip, offset);
	copy->in_conflict = 1;
	if (other)
		other->in_conflict = 1;
	if (!violation_begins())
		return;
	fputs("loopc-rt: ", stderr);
	print_copy(copy);
	fprintf(stderr, ": the run at %s + %td overlaps ",
		on_chip ? memory_name(copy->memory) : port.regions[copy->region].name, offset);
	if (other) {
		print_copy(other);
		fputs(" in flight\n", stderr);
	} else {
		fputs("another run of the same copy\n", stderr);
	}
}

static void start_get(struct copy *copy)
{
	struct region *region = &port.regions[copy->region];
	const struct memory *memory = copy->memory;
	struct walk walk = walk_start(copy);
	size_t bytes = copy->box.bytes;
	ptrdiff_t ext_conflict = -1, loc_conflict = -1;
	do {
		if (mark_written(memory->usage + walk.loc, bytes))
			loc_conflict = walk.loc;
		if (region->usage && mark_read(region->usage + walk.ext, bytes))
			ext_conflict = walk.ext;
		ASAN_UNPOISON(memory->base + walk.loc, bytes);
		memcpy(memory->base + walk.loc, memory->noise + walk.loc, bytes);
		ASAN_POISON(memory->base + walk.loc, bytes);
	} while (walk_next(&walk));
	if (loc_conflict >= 0)
		conflict(copy, 1, loc_conflict);
	if (ext_conflict >= 0)
		conflict(copy, 0, ext_conflict);
}

static void start_put(struct copy *copy)
{
	struct region *region = &port.regions[copy->region];
	const struct memory *memory = copy->memory;
	struct walk walk = walk_start(copy);
	size_t bytes = copy->box.bytes;
	ptrdiff_t ext_conflict = -1, loc_conflict = -1;
	int changed = 0;
	do {
		ASAN_UNPOISON(memory->base + walk.loc, bytes);
		changed |= keep_source(memory, walk.loc, bytes);
		if (mark_read(memory->usage + walk.loc, bytes))
			loc_conflict = walk.loc;
		if (mark_written(region->usage + walk.ext, bytes))
			ext_conflict = walk.ext;
	} while (walk_next(&walk));
	if (changed)
		copy_violation(copy, "its source was changed while an earlier put of it was in flight");
	if (loc_conflict >= 0)
		conflict(copy, 1, loc_conflict);
	if (ext_conflict >= 0)
		conflict(copy, 0, ext_conflict);
}

static void finish_get(const struct copy *copy)
{
	struct region *region = &port.regions[copy->region];
	const struct memory *memory = copy->memory;
	struct walk walk = walk_start(copy);
	size_t bytes = copy->box.bytes;
	ptrdiff_t touched = -1;
	do {
		unsigned char *loc = memory->base + walk.loc;
		ASAN_UNPOISON(loc, bytes);
		if (memcmp(loc, memory->noise + walk.loc, bytes) != 0 && touched < 0)
			touched = walk.loc;
		memcpy(loc, region->base + walk.ext, bytes);
		unmark_written(memory->usage + walk.loc, bytes);
		if (region->usage)
			unmark_read(region->usage + walk.ext, bytes);
	} while (walk_next(&walk));
	if (touched >= 0 && !copy->in_conflict)
		copy_violation(copy, "its destination was written before the wait, "
			"in the run at %s + %td", memory_name(memory), touched);
}

/* Copies what the source holds now, so that a change shows in the output too. */
static void finish_put(const struct copy *copy)
{
	struct region *region = &port.regions[copy->region];
	const struct memory *memory = copy->memory;
	struct walk walk = walk_start(copy);
	size_t bytes = copy->box.bytes;
	ptrdiff_t touched = -1;
	do {
		unsigned char *loc = memory->base + walk.loc;
		ASAN_UNPOISON(loc, bytes);
		if (memcmp(loc, memory->expected + walk.loc, bytes) != 0 && touched < 0)
			touched = walk.loc;
		memcpy(region->base + walk.ext, loc, bytes);
		unmark_read(memory->usage + walk.loc, bytes);
		unmark_written(region->usage + walk.ext, bytes);
	} while (walk_next(&walk));
	if (touched >= 0 && !copy->in_conflict)
		copy_violation(copy, "its source was written before the wait, "
			"in the run at %s + %td", memory_name(memory), touched);
}

/* The memory that LOC is in; NULL: none. */
static const struct memory *find_memory(const void *loc)
{
	size_t m;
	for (m = 0; m < LRT_MEMORIES; m++)
		if ((uintptr_t)loc - (uintptr_t)port.memories[m].base < port.memories[m].bytes)
			return &port.memories[m];
	return NULL;
}

static int find_region(lrt_ext ext, size_t *found)
{
	size_t i;
	for (i = 0; i < port.region_count; i++) {
		size_t r = (port.last_region + i) % port.region_count;
		if (ext - (lrt_ext)port.regions[r].base < port.regions[r].bytes) {
			port.last_region = *found = r;
			return 1;
		}
	}
	return 0;
}

/* An access outside the named arrays ends the run: a program that went on would compute
 * with what was never there, and might take it for a result. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void end_run(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs("\nloopc-rt: the run ends here; the checked port knows the arrays that "
		"lrt_checked_array names\n", stderr);
	exit(EXIT_FAILURE);
}

/* Checks what would make a copy meaningless and fills COPY; false if it must be
 * dropped. */
static int copy_make(struct copy *copy, int is_put, unsigned tag, const void *loc, lrt_ext ext,
	const lrt_box *box)
{
	const char *verb = is_put ? "put" : "get";
	const struct region *region;
	const struct memory *memory = find_memory(loc);
	if (tag >= LRT_TAGS || !box_is_formed(box)) {
		violation("%s tag %u (command %" PRIu64 "): %s", verb, tag, port.commands,
			tag >= LRT_TAGS ? "no such tag" : "a rank, count or number of bytes out of range");
		return 0;
	}
	if (!find_region(ext, &copy->region)) {
		end_run("loopc-rt: %s tag %u (command %" PRIu64 "): external address %#" PRIxPTR
			" is in no array", verb, tag, port.commands, ext);
		return 0;
	}
	region = &port.regions[copy->region];
	copy->is_put = is_put;
	copy->tag = tag;
	copy->command = port.commands;
	copy->ext = (ptrdiff_t)(ext - (lrt_ext)region->base);
	copy->in_conflict = 0;
	copy->box = *box;
	copy->loc = 0;
	copy->memory = memory ? memory : port.memories;
	if (!memory) {
		copy_violation(copy, "its scratchpad address %p is not in the scratchpad", loc);
		return 0;
	}
	copy->loc = (ptrdiff_t)((uintptr_t)loc - (uintptr_t)memory->base);
	if (!box_inside(box, box->ext_stride, copy->ext, region->bytes)) {
		fputs("loopc-rt: ", stderr);
		print_copy(copy);
		end_run(": it reaches outside the %zu bytes of %s", region->bytes, region->name);
		return 0;
	}
	if (!box_inside(box, box->loc_stride, copy->loc, memory->bytes)) {
		copy_violation(copy, "it reaches outside the %zu bytes of %s%s", memory->bytes,
			memory == port.memories ? "the " : "", memory_name(memory));
		return 0;
	}
	if (is_put && !region->writable) {
		copy_violation(copy, "%s is read only", region->name);
		return 0;
	}
	return 1;
}

static void enqueue(const struct copy *copy)
{
	struct queue *queue = &port.queues[copy->tag];
	if (queue->count == queue->capacity) {
		queue->capacity = queue->capacity ? 2 * queue->capacity : 16;
		queue->copies = allocate(queue->copies, queue->capacity * sizeof *queue->copies);
	}
	queue->copies[queue->count++] = *copy;
}

void lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	struct copy copy;
	lrt_counts *counts;
	if (!port.begun)
		lrt_checked_begin(NULL);
	port.commands++;
	if (!copy_make(&copy, 0, tag, loc, ext, box))
		return;
	check_limits(&copy);
	start_get(&copy);
	enqueue(&copy);
	counts = &port.regions[copy.region].counts;
	counts->gets++;
	counts->read_bytes += box_bytes(box);
}

void lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	struct copy copy;
	lrt_counts *counts;
	if (!port.begun)
		lrt_checked_begin(NULL);
	port.commands++;
	if (!copy_make(&copy, 1, tag, loc, ext, box))
		return;
	check_limits(&copy);
	start_put(&copy);
	enqueue(&copy);
	counts = &port.regions[copy.region].counts;
	counts->puts++;
	counts->write_bytes += box_bytes(box);
}

void lrt_wait(uint32_t tag_mask)
{
	unsigned tag;
	size_t i;
	for (tag = 0; tag < LRT_TAGS; tag++) {
		struct queue *queue = &port.queues[tag];
		if (!(tag_mask >> tag & 1))
			continue;
		for (i = 0; i < queue->count; i++)
			(queue->copies[i].is_put ? finish_put : finish_get)(&queue->copies[i]);
		queue->count = 0;
	}
}

static unsigned char guard_byte(size_t i)
{
	return (unsigned char)(0xa7 ^ (i * 31));
}

static void free_memory(struct memory *memory)
{
	if (memory->allocation)
		ASAN_UNPOISON(memory->block, GUARD_BYTES + memory->bytes + GUARD_BYTES);
	free(memory->allocation);
	free(memory->noise);
	free(memory->expected);
	free(memory->usage);
	memset(memory, 0, sizeof *memory);
}

static void free_memories(void)
{
	size_t m;
	for (m = 0; m < LRT_MEMORIES; m++)
		free_memory(&port.memories[m]);
}

static void free_regions(void)
{
	size_t i;
	for (i = 0; i < port.region_count; i++)
		free(port.regions[i].usage);
	free(port.regions);
	port.regions = NULL;
	port.region_count = port.last_region = 0;
}

static void fill_noise(const struct memory *memory)
{
	uint32_t state = 0x9e3779b9u;
	size_t i;
	for (i = 0; i < memory->bytes; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		memory->noise[i] = (unsigned char)(state >> 24);
	}
}

static void allocate_memory(struct memory *memory, size_t bytes)
{
	unsigned char *after;
	size_t i;
	memory->bytes = bytes;
	memory->allocation = allocate(NULL, bytes + 2 * GUARD_BYTES + SCRATCHPAD_ALIGN);
	memory->block = memory->allocation + (SCRATCHPAD_ALIGN - 1 -
		((uintptr_t)memory->allocation + SCRATCHPAD_ALIGN - 1) % SCRATCHPAD_ALIGN);
	memory->base = memory->block + GUARD_BYTES;
	after = memory->base + bytes;
	for (i = 0; i < GUARD_BYTES; i++)
		memory->block[i] = after[i] = guard_byte(i);
	memory->noise = allocate(NULL, bytes);
	memory->expected = allocate(NULL, bytes);
	memory->usage = allocate(NULL, bytes * sizeof *memory->usage);
	memset(memory->usage, 0, bytes * sizeof *memory->usage);
	fill_noise(memory);
	memcpy(memory->base, memory->noise, bytes);
	ASAN_POISON(memory->block, GUARD_BYTES);
	ASAN_POISON(after, GUARD_BYTES);
}

void *lrt_memory(unsigned n)
{
	if (!port.begun)
		lrt_checked_begin(NULL);
	if (n >= LRT_MEMORIES) {
		violation("there is no memory %u", n);
		return NULL;
	}
	if (!port.memories[n].allocation)
		allocate_memory(&port.memories[n], DEFAULT_SCRATCHPAD_BYTES);
	return port.memories[n].base;
}

void *lrt_scratchpad(void)
{
	return lrt_memory(0);
}

void lrt_checked_memory(unsigned n, size_t bytes)
{
	if (!port.begun)
		lrt_checked_begin(NULL);
	if (n >= LRT_MEMORIES || port.memories[n].allocation) {
		violation(n ? "memory %u is there already, or cannot be" : "memory %u is the scratchpad, of which "
			"lrt_checked_begin is told", n);
		return;
	}
	allocate_memory(&port.memories[n], bytes);
}

uint64_t lrt_checked_macs;

static struct words {
	size_t count;                /* of arrays */
	uint64_t (*moved)[LRT_WORD_KINDS];
} words;

void lrt_checked_word(unsigned array, unsigned kind)
{
	if (array >= words.count) {
		words.moved = allocate(words.moved, (array + 1) * sizeof *words.moved);
		memset(words.moved + words.count, 0, (array + 1 - words.count) * sizeof *words.moved);
		words.count = array + 1;
	}
	words.moved[array][kind]++;
}

uint64_t lrt_checked_words(unsigned array, unsigned kind)
{
	return array < words.count ? words.moved[array][kind] : 0;
}

void lrt_checked_begin(const lrt_limits *limits)
{
	unsigned tag;
	free_memories();
	free_regions();
	for (tag = 0; tag < LRT_TAGS; tag++)
		port.queues[tag].count = 0;
	memset(&port.limits, 0, sizeof port.limits);
	if (limits)
		port.limits = *limits;
	allocate_memory(port.memories, port.limits.scratchpad_bytes ? port.limits.scratchpad_bytes
		: DEFAULT_SCRATCHPAD_BYTES);
	port.commands = 0;
	lrt_checked_macs = 0;
	words.count = 0;
	port.violations = 0;
	port.begun = 1;
}

void lrt_checked_array(const char *name, const void *base, size_t bytes, int writable)
{
	struct region *region;
	size_t i;
	if (!port.begun)
		lrt_checked_begin(NULL);
	for (i = 0; i < port.region_count; i++) {
		const struct region *other = &port.regions[i];
		if (strcmp(other->name, name) == 0)
			violation("array %s is named twice", name);
		if ((uintptr_t)base - (uintptr_t)other->base < other->bytes ||
				(uintptr_t)other->base - (uintptr_t)base < bytes)
			violation("arrays %s and %s share memory", other->name, name);
	}
	port.regions = allocate(port.regions, (port.region_count + 1) * sizeof *port.regions);
	region = &port.regions[port.region_count++];
	memset(region, 0, sizeof *region);
	region->name = name;
	region->base = (unsigned char *)(uintptr_t)base;
	region->bytes = bytes;
	region->writable = writable;
	if (writable) {
		region->usage = allocate(NULL, bytes * sizeof *region->usage);
		memset(region->usage, 0, bytes * sizeof *region->usage);
	}
}

lrt_counts lrt_checked_counts(const char *name)
{
	const lrt_counts none = { 0, 0, 0, 0 };
	size_t i;
	for (i = 0; i < port.region_count; i++)
		if (strcmp(port.regions[i].name, name) == 0)
			return port.regions[i].counts;
	return none;
}

static void check_guards(const struct memory *memory)
{
	const unsigned char *after = memory->base + memory->bytes;
	const char *the = memory == port.memories ? "the " : "";
	size_t i;
	ASAN_UNPOISON(memory->block, GUARD_BYTES + memory->bytes + GUARD_BYTES);
	for (i = GUARD_BYTES; i-- > 0;)
		if (memory->block[i] != guard_byte(i)) {
			violation("byte %zu before %s%s was written", GUARD_BYTES - i, the, memory_name(memory));
			break;
		}
	for (i = 0; i < GUARD_BYTES; i++)
		if (after[i] != guard_byte(i)) {
			violation("byte %zu after the end of %s%s was written", i + 1, the, memory_name(memory));
			break;
		}
}

int lrt_checked_end(void)
{
	unsigned tag;
	size_t i;
	if (!port.begun)
		return port.violations;
	for (tag = 0; tag < LRT_TAGS; tag++) {
		for (i = 0; i < port.queues[tag].count; i++)
			copy_violation(&port.queues[tag].copies[i], "it was never waited for");
		free(port.queues[tag].copies);
		memset(&port.queues[tag], 0, sizeof port.queues[tag]);
	}
	for (i = 0; i < LRT_MEMORIES; i++)
		if (port.memories[i].allocation)
			check_guards(&port.memories[i]);
	free_memories();
	port.begun = 0;
	return port.violations;
}
