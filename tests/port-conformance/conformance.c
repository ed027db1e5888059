/* The conformance test of ports: copies of every shape that a machine allows, and
 * tags used in every way that emitted code may use them.  Each copy is also done by
 * the core in a model of both memories, and must leave exactly what the model has. */

#include "conformance.h"

enum { LINE_BYTES = 160, EXT_LIMIT = 2 << 20 };

/* A copy, by offsets into external memory and scratchpad. */
struct copy {
	int is_put;
	unsigned tag;
	size_t ext, loc;
	lrt_box box;
};

static struct {
	const struct conformance *given;
	unsigned char *ext, *loc, *ext_model, *loc_model;
	size_t ext_bytes, loc_bytes;
	ptrdiff_t margin_bytes;          /* checked around a destination */
	uint32_t align, random_state;
	int results, failures, group_failed;
	char line[LINE_BYTES];
	unsigned length;
} test;

/* --- text --- */

static void text(const char *string)
{
	while (*string && test.length + 1 < LINE_BYTES)
		test.line[test.length++] = *string++;
}

static void number(uint64_t value)
{
	char digits[24];
	int count = 0;
	do {
		digits[count++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	while (count && test.length + 1 < LINE_BYTES)
		test.line[test.length++] = digits[--count];
}

static void stride_text(ptrdiff_t value)
{
	if (value < 0)
		text("-");
	number(value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value);
}

static void say_line(void)
{
	test.line[test.length] = '\0';
	test.given->say(test.line);
	test.length = 0;
}

static void say_copy(const char *trouble, const struct copy *copy, size_t offset)
{
	uint32_t d;
	text("# ");
	text(copy->is_put ? "put" : "get");
	text(" tag ");
	number(copy->tag);
	text(" ext+");
	number(copy->ext);
	text(" loc+");
	number(copy->loc);
	for (d = 0; d + 1 < copy->box.rank; d++) {
		text(" ");
		number(copy->box.count[d]);
		text("(");
		stride_text(copy->box.ext_stride[d]);
		text(",");
		stride_text(copy->box.loc_stride[d]);
		text(")");
	}
	text(" x ");
	number(copy->box.bytes);
	text(": ");
	text(trouble);
	number(offset);
	say_line();
}

static void group_end(const char *name)
{
	text(test.group_failed ? "not ok " : "ok ");
	number((uint64_t)++test.results);
	text(" - ");
	text(name);
	say_line();
	test.failures += test.group_failed;
	test.group_failed = 0;
}

/* --- the model --- */

static uint32_t random_number(void)
{
	test.random_state ^= test.random_state << 13;
	test.random_state ^= test.random_state >> 17;
	test.random_state ^= test.random_state << 5;
	return test.random_state;
}

static uint32_t random_below(uint32_t limit)
{
	return random_number() % limit;
}

/* Offsets of run number RUN of the box, from the copy's own. */
static void run_offsets(const struct copy *copy, uint32_t run, ptrdiff_t *ext, ptrdiff_t *loc)
{
	uint32_t d = copy->box.rank - 1;
	*ext = (ptrdiff_t)copy->ext;
	*loc = (ptrdiff_t)copy->loc;
	while (d-- > 0) {
		ptrdiff_t index = (ptrdiff_t)(run % copy->box.count[d]);
		*ext += index * copy->box.ext_stride[d];
		*loc += index * copy->box.loc_stride[d];
		run /= copy->box.count[d];
	}
}

static uint32_t run_count(const lrt_box *box)
{
	uint32_t runs = 1, d;
	for (d = 0; d + 1 < box->rank; d++)
		runs *= box->count[d];
	return runs;
}

/* Gives the source of a copy new contents, in memory and model. */
static void fill_source(const struct copy *copy)
{
	uint32_t runs = run_count(&copy->box), run, i;
	ptrdiff_t ext, loc;
	for (run = 0; run < runs; run++) {
		run_offsets(copy, run, &ext, &loc);
		for (i = 0; i < copy->box.bytes; i++) {
			unsigned char value = (unsigned char)(random_number() >> 11);
			if (copy->is_put)
				test.loc[loc + (ptrdiff_t)i] = test.loc_model[loc + (ptrdiff_t)i] = value;
			else
				test.ext[ext + (ptrdiff_t)i] = test.ext_model[ext + (ptrdiff_t)i] = value;
		}
	}
}

static void start(const struct copy *copy)
{
	if (copy->is_put)
		lrt_put(copy->tag, test.given->ext + copy->ext, test.loc + copy->loc, &copy->box);
	else
		lrt_get(copy->tag, test.loc + copy->loc, test.given->ext + copy->ext, &copy->box);
}

static void copy_in_model(const struct copy *copy)
{
	uint32_t runs = run_count(&copy->box), run, i;
	ptrdiff_t ext, loc;
	for (run = 0; run < runs; run++) {
		run_offsets(copy, run, &ext, &loc);
		for (i = 0; i < copy->box.bytes; i++) {
			unsigned char *on_chip = &test.loc_model[loc + (ptrdiff_t)i];
			unsigned char *outside = &test.ext_model[ext + (ptrdiff_t)i];
			if (copy->is_put)
				*outside = *on_chip;
			else
				*on_chip = *outside;
		}
	}
}

/* What a copy reaches on one side: the offsets [low, high). */
static void reach(const lrt_box *box, const ptrdiff_t *strides, size_t start_offset,
	ptrdiff_t *low, ptrdiff_t *high)
{
	uint32_t d;
	*low = (ptrdiff_t)start_offset;
	*high = (ptrdiff_t)(start_offset + box->bytes);
	for (d = 0; d + 1 < box->rank; d++)
		*(strides[d] < 0 ? low : high) += (ptrdiff_t)(box->count[d] - 1) * strides[d];
}

/* Compares what COPY reached on its destination's side, and a margin around it,
 * with the model. */
static void check(const struct copy *copy)
{
	const unsigned char *actual = copy->is_put ? test.ext : test.loc;
	const unsigned char *expected = copy->is_put ? test.ext_model : test.loc_model;
	ptrdiff_t limit = (ptrdiff_t)(copy->is_put ? test.ext_bytes : test.loc_bytes), low, high;
	if (copy->is_put)
		reach(&copy->box, copy->box.ext_stride, copy->ext, &low, &high);
	else
		reach(&copy->box, copy->box.loc_stride, copy->loc, &low, &high);
	low = low < test.margin_bytes ? 0 : low - test.margin_bytes;
	high = high > limit - test.margin_bytes ? limit : high + test.margin_bytes;
	for (; low < high; low++)
		if (actual[low] != expected[low]) {
			if (!test.group_failed)
				say_copy("wrong byte at offset ", copy, (size_t)low);
			test.group_failed = 1;
			return;
		}
}

static void check_everything(const char *name)
{
	size_t i;
	for (i = 0; i < test.ext_bytes && !test.group_failed; i++)
		test.group_failed = test.ext[i] != test.ext_model[i];
	for (i = 0; i < test.loc_bytes && !test.group_failed; i++)
		test.group_failed = test.loc[i] != test.loc_model[i];
	group_end(name);
}

/* True if the copy is inside both memories and the machine's limits. */
static int is_allowed(const struct copy *copy)
{
	const struct conformance *given = test.given;
	ptrdiff_t low, high;
	uint64_t bytes = copy->box.bytes;
	uint32_t d;
	if (copy->box.rank < 1 || copy->box.rank > LRT_MAX_RANK || copy->box.bytes == 0 ||
			(given->max_rank && copy->box.rank > given->max_rank))
		return 0;
	if ((copy->ext | copy->loc | copy->box.bytes) % test.align)
		return 0;
	for (d = 0; d + 1 < copy->box.rank; d++) {
		ptrdiff_t ext = copy->box.ext_stride[d], loc = copy->box.loc_stride[d];
		ptrdiff_t largest = (ptrdiff_t)given->max_stride_bytes;
		if (copy->box.count[d] == 0 || (given->max_count && copy->box.count[d] > given->max_count))
			return 0;
		if (ext % (ptrdiff_t)test.align || loc % (ptrdiff_t)test.align)
			return 0;
		if (largest && (ext > largest || -ext > largest || loc > largest || -loc > largest))
			return 0;
		bytes *= copy->box.count[d];
		if (bytes > test.ext_bytes)
			return 0;
	}
	if (given->max_bytes && bytes > given->max_bytes)
		return 0;
	reach(&copy->box, copy->box.ext_stride, copy->ext, &low, &high);
	if (low < 0 || high > (ptrdiff_t)test.ext_bytes)
		return 0;
	reach(&copy->box, copy->box.loc_stride, copy->loc, &low, &high);
	return low >= 0 && high <= (ptrdiff_t)test.loc_bytes;
}

/* The copy, alone and waited for; 0 if the machine does not allow it. */
static int try_copy(const struct copy *copy)
{
	if (!is_allowed(copy))
		return 0;
	fill_source(copy);
	start(copy);
	lrt_wait((uint32_t)1 << copy->tag);
	copy_in_model(copy);
	check(copy);
	return 1;
}

static void try_both_ways(struct copy *copy)
{
	copy->is_put = 0;
	try_copy(copy);
	copy->is_put = 1;
	try_copy(copy);
}

/* --- the groups --- */

static void test_scratchpad(void)
{
	test.group_failed = (uintptr_t)test.loc % 64 != 0 || lrt_scratchpad() != (void *)test.loc;
	group_end("the scratchpad is aligned to 64 bytes and stays where it is");
}

static struct copy run_of(size_t ext, size_t loc, uint32_t bytes)
{
	struct copy copy;
	uint32_t d;
	copy.is_put = 0;
	copy.tag = 0;
	copy.ext = ext;
	copy.loc = loc;
	copy.box.rank = 1;
	copy.box.bytes = bytes;
	for (d = 0; d < LRT_MAX_RANK - 1; d++) {
		copy.box.count[d] = 1;
		copy.box.ext_stride[d] = copy.box.loc_stride[d] = 0;
	}
	return copy;
}

static void test_small_runs(void)
{
	uint32_t bytes, ext, loc;
	struct copy copy;
	for (bytes = 1; bytes <= 40; bytes++)
		for (ext = 0; ext < 9; ext++)
			for (loc = 0; loc < 9; loc++) {
				copy = run_of(64 + ext, 128 + loc, bytes);
				try_both_ways(&copy);
			}
	for (bytes = test.align; bytes <= 8 * test.align; bytes += test.align) {
		copy = run_of(0, 0, bytes);
		try_both_ways(&copy);
		copy = run_of(test.ext_bytes - bytes, test.loc_bytes - bytes, bytes);
		try_both_ways(&copy);
	}
	group_end("runs from one byte on, at every alignment and at the ends of both memories");
}

/* Around the sizes that controllers' counters have: 2^k elements of 1, 2, 4, 8
 * bytes.  The long runs, which take their time on an emulated board, only once. */
static void test_counter_widths(void)
{
	enum { LONG_BYTES = 1 << 17 };
	uint32_t bits, width, near;
	struct copy copy;
	for (bits = 5; bits <= 21; bits++)
		for (width = 1; width <= 8; width *= 2)
			for (near = 0; near < 3; near++) {
				uint32_t bytes = ((uint32_t)1 << bits) * width + near * test.align;
				if (bytes < 2 * test.align || (bytes > LONG_BYTES + test.align && width > 1))
					continue;
				copy = run_of(3 * test.align, 5 * test.align, bytes - test.align);
				try_both_ways(&copy);
				copy.ext = 16 * test.align;
				copy.loc = 32 * test.align;
				if (bytes <= LONG_BYTES + test.align)
					try_both_ways(&copy);
			}
	group_end("runs around every power of two");
}

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

static void test_largest_run(void)
{
	const struct conformance *given = test.given;
	uint64_t largest = given->max_bytes ? given->max_bytes : test.loc_bytes;
	struct copy copy;
	largest = least(largest, least(test.loc_bytes, test.ext_bytes));
	copy = run_of(0, 0, (uint32_t)(largest - largest % test.align));
	copy.tag = LRT_TAGS - 1;
	try_both_ways(&copy);
	group_end("the largest run");
}

/* A box of RANK with small counts, all strides of one side a multiple of the other
 * dimensions' extents: dense outside where PAD is 0. */
static void try_rank(uint32_t rank, uint32_t bytes, uint32_t pad, int reversed)
{
	struct copy copy = run_of(0, 0, bytes);
	ptrdiff_t ext = (ptrdiff_t)(bytes + pad), loc = (ptrdiff_t)bytes;
	uint32_t d = rank - 1;
	copy.box.rank = rank;
	while (d-- > 0) {
		copy.box.count[d] = 2 + d % 2;
		copy.box.ext_stride[d] = ext;
		copy.box.loc_stride[d] = loc;
		ext = ext * (ptrdiff_t)copy.box.count[d] + (ptrdiff_t)pad;
		loc = loc * (ptrdiff_t)copy.box.count[d];
		if (reversed && d % 2 == 0) {
			copy.ext += (size_t)copy.box.ext_stride[d] * (copy.box.count[d] - 1);
			copy.box.ext_stride[d] = -copy.box.ext_stride[d];
		}
		if (reversed && d % 2 == 1) {
			copy.loc += (size_t)copy.box.loc_stride[d] * (copy.box.count[d] - 1);
			copy.box.loc_stride[d] = -copy.box.loc_stride[d];
		}
	}
	try_both_ways(&copy);
}

static void test_ranks(void)
{
	uint32_t rank, elements, pad;
	for (rank = 1; rank <= LRT_MAX_RANK; rank++)
		for (elements = 1; elements <= 9; elements += 2)
			for (pad = 0; pad < 4; pad++) {
				try_rank(rank, elements * test.align, pad * test.align, 0);
				try_rank(rank, elements * test.align, pad * test.align, 1);
			}
	group_end("every rank, dense and padded, strides of both signs");
}

/* MOST runs of one dimension, or as many as machine and memories allow, less NEAR. */
static void try_count(uint32_t most, uint32_t near, uint32_t rank, uint32_t bytes)
{
	const struct conformance *given = test.given;
	struct copy copy = run_of(0, 0, bytes);
	most = least(most, least(test.loc_bytes / bytes, test.ext_bytes / bytes / 2));
	if (given->max_count)
		most = least(most, given->max_count);
	if (given->max_bytes)
		most = least(most, given->max_bytes / bytes);
	if (most <= near)
		return;
	copy.box.rank = rank;
	copy.box.count[rank - 2] = most - near;
	copy.box.ext_stride[rank - 2] = 2 * (ptrdiff_t)bytes;
	copy.box.loc_stride[rank - 2] = (ptrdiff_t)bytes;
	try_both_ways(&copy);
}

static void test_counts(void)
{
	uint32_t width, rank, near;
	try_count(65537, 0, 2, test.align);
	for (rank = 2; rank <= LRT_MAX_RANK; rank++)
		for (width = 1; width <= 4; width += 3)
			for (near = 0; near < 3; near++) {
				try_count(258, near, rank, width * test.align);
				try_count(4098, near, rank, width * test.align);
			}
	group_end("the largest counts");
}

static void test_strides(void)
{
	uint32_t bits, rank, near;
	for (bits = 3; bits <= 20; bits++)
		for (near = 0; near < 3; near++)
			for (rank = 2; rank <= 3; rank++) {
				uint32_t stride = ((uint32_t)1 << bits) + near * test.align;
				struct copy copy = run_of(0, 0, 2 * test.align);
				if (stride < 5 * test.align)
					continue;
				stride -= test.align;
				copy.box.rank = rank;
				copy.box.count[0] = copy.box.count[1] = 2;
				copy.box.ext_stride[0] = (ptrdiff_t)stride;
				copy.box.loc_stride[0] = 4 * (ptrdiff_t)test.align;
				copy.box.ext_stride[1] = 2 * (ptrdiff_t)test.align;
				copy.box.loc_stride[1] = 2 * (ptrdiff_t)test.align;
				try_both_ways(&copy);
				copy.box.ext_stride[0] = 4 * (ptrdiff_t)test.align;
				copy.box.loc_stride[0] = (ptrdiff_t)stride;
				try_both_ways(&copy);
			}
	if (test.given->max_stride_bytes) {
		struct copy copy = run_of(0, 0, test.align);
		ptrdiff_t largest = (ptrdiff_t)(test.given->max_stride_bytes -
			test.given->max_stride_bytes % test.align);
		copy.box.rank = 2;
		copy.box.count[0] = 3;
		copy.box.ext_stride[0] = largest;
		copy.box.loc_stride[0] = (ptrdiff_t)test.align;
		try_both_ways(&copy);
	}
	group_end("strides around every power of two and at the limit");
}

/* Sources that are read more than once: a stride of 0, windows that overlap. */
static void test_repeated_sources(void)
{
	uint32_t step;
	for (step = 0; step < 4; step++) {
		struct copy copy = run_of(256, 512, 4 * test.align);
		copy.box.rank = 2;
		copy.box.count[0] = 5;
		copy.box.ext_stride[0] = (ptrdiff_t)(step * test.align);
		copy.box.loc_stride[0] = (ptrdiff_t)copy.box.bytes;
		try_copy(&copy);
		copy.is_put = 1;
		copy.box.loc_stride[0] = copy.box.ext_stride[0];
		copy.box.ext_stride[0] = (ptrdiff_t)copy.box.bytes;
		try_copy(&copy);
	}
	group_end("sources whose runs overlap");
}

/* Strides of a side that no byte is written twice through: the dimensions nested in
 * a random order.  Returns the offset of the first run. */
static size_t random_strides(const lrt_box *box, ptrdiff_t *strides, int is_destination,
	size_t *extent_bytes)
{
	uint32_t order[LRT_MAX_RANK], dimensions = box->rank - 1, d, i;
	size_t extent = box->bytes, first = 0;
	for (d = 0; d < dimensions; d++)
		order[d] = d;
	for (d = dimensions; d > 1; d--) {
		uint32_t other = random_below(d), kept = order[d - 1];
		order[d - 1] = order[other];
		order[other] = kept;
	}
	for (i = 0; i < dimensions; i++) {
		size_t stride = extent + random_below(3) * test.align;
		d = order[i];
		if (!is_destination && random_below(3) == 0)
			stride = random_below(4) * test.align;
		if (stride + box->bytes > extent || stride * (box->count[d] - 1) + box->bytes > extent)
			extent += stride * (box->count[d] - 1);
		if (random_below(3) == 0) {
			strides[d] = -(ptrdiff_t)stride;
			first += stride * (box->count[d] - 1);
		} else {
			strides[d] = (ptrdiff_t)stride;
		}
	}
	*extent_bytes = extent + first;
	return first;
}

static int random_copy(struct copy *copy)
{
	uint32_t most = test.given->max_rank ? test.given->max_rank : LRT_MAX_RANK, d;
	size_t ext_extent, loc_extent;
	*copy = run_of(0, 0, (1 + random_below(24)) * test.align);
	copy->tag = random_below(LRT_TAGS);
	copy->is_put = (int)random_below(2);
	copy->box.rank = 1 + random_below(least(most, LRT_MAX_RANK));
	for (d = 0; d + 1 < copy->box.rank; d++)
		copy->box.count[d] = 1 + random_below(4);
	copy->ext = random_strides(&copy->box, copy->box.ext_stride, copy->is_put, &ext_extent);
	copy->loc = random_strides(&copy->box, copy->box.loc_stride, !copy->is_put, &loc_extent);
	if (ext_extent >= test.ext_bytes || loc_extent >= test.loc_bytes)
		return 0;
	copy->ext += random_below((uint32_t)((test.ext_bytes - ext_extent) / test.align)) * test.align;
	copy->loc += random_below((uint32_t)((test.loc_bytes - loc_extent) / test.align)) * test.align;
	return 1;
}

static void test_random_copies(void)
{
	int i, tried = 0;
	struct copy copy;
	for (i = 0; i < 600; i++)
		if (random_copy(&copy))
			tried += try_copy(&copy);
	if (tried < 50)
		test.group_failed = 1;
	group_end("random boxes");
}

static void test_unused_tags(void)
{
	struct copy copy = run_of(0, 0, 16 * test.align);
	lrt_wait(0);
	lrt_wait(~(uint32_t)0);
	copy.tag = 7;
	try_both_ways(&copy);
	lrt_wait((uint32_t)1 << 7);
	lrt_wait(~(uint32_t)0);
	group_end("waits on tags that are not in use return");
}

static void test_each_tag(void)
{
	int round;
	for (round = 0; round < 3; round++) {
		struct copy copy = run_of(64, 64, 32 * test.align);
		for (copy.tag = 0; copy.tag < LRT_TAGS; copy.tag++)
			try_both_ways(&copy);
	}
	group_end("every tag, again and again");
}

enum { SLOTS = 96 };

/* Slot I of a set of copies apart from each other. */
static struct copy slot(unsigned i, unsigned tag, int is_put)
{
	uint32_t bytes = least(64, test.loc_bytes / (2 * SLOTS) / test.align) * test.align;
	struct copy copy;
	if (test.given->max_bytes)
		bytes = least(bytes, test.given->max_bytes - test.given->max_bytes % test.align);
	copy = run_of((size_t)i * 2 * bytes, (size_t)(SLOTS - 1 - i) * 2 * bytes, bytes);
	if (i % 3 == 1 && test.given->max_rank != 1 && bytes >= 2 * test.align) {
		copy.box.rank = 2;
		copy.box.bytes = test.align;
		copy.box.count[0] = bytes / test.align;
		if (test.given->max_count)
			copy.box.count[0] = least(copy.box.count[0], test.given->max_count);
		copy.box.ext_stride[0] = 2 * (ptrdiff_t)test.align;
		copy.box.loc_stride[0] = (ptrdiff_t)test.align;
	}
	copy.tag = tag;
	copy.is_put = is_put;
	return copy;
}

static unsigned tag_of_slot(unsigned i, unsigned tags)
{
	return (i * 5 + 3) % tags;
}

static void finish_slot(unsigned i, unsigned tags, int is_put)
{
	struct copy copy = slot(i, tag_of_slot(i, tags), is_put);
	copy_in_model(&copy);
	check(&copy);
}

/* SLOTS copies in flight under TAGS tags, gets and puts mixed, waited for one tag
 * at a time, last tag first, or all at once. */
static void try_in_flight(unsigned tags, int at_once)
{
	unsigned i, tag;
	for (i = 0; i < SLOTS; i++) {
		struct copy copy = slot(i, tag_of_slot(i, tags), i % 4 == 2);
		fill_source(&copy);
	}
	for (i = 0; i < SLOTS; i++) {
		struct copy copy = slot(i, tag_of_slot(i, tags), i % 4 == 2);
		start(&copy);
	}
	if (at_once) {
		lrt_wait(~(uint32_t)0);
		for (i = 0; i < SLOTS; i++)
			finish_slot(i, tags, i % 4 == 2);
		return;
	}
	for (tag = tags; tag-- > 0;) {
		lrt_wait((uint32_t)1 << tag);
		for (i = 0; i < SLOTS; i++)
			if (tag_of_slot(i, tags) == tag)
				finish_slot(i, tags, i % 4 == 2);
	}
}

static void test_in_flight(void)
{
	unsigned tags;
	test.margin_bytes = 0;           /* what is around is in flight */
	for (tags = 1; tags <= LRT_TAGS; tags *= 2) {
		try_in_flight(tags, 0);
		try_in_flight(tags, 1);
	}
	test.margin_bytes = 64;
	group_end("many copies in flight, several under a tag, waited for in another order");
}

/* A tag is used again while copies of other tags are in flight. */
static void test_tags_reused(void)
{
	unsigned i;
	struct copy held = slot(0, 9, 0);
	test.margin_bytes = 0;
	fill_source(&held);
	start(&held);
	for (i = 1; i < SLOTS; i++) {
		struct copy copy = slot(i, i % 3, i % 2);
		try_copy(&copy);
	}
	lrt_wait((uint32_t)1 << 9);
	copy_in_model(&held);
	check(&held);
	test.margin_bytes = 64;
	group_end("tags used again while another tag is in flight");
}

/* The way emitted code works when it is double buffered: while one tile is computed
 * on, the next comes in and the last goes out. */
static void test_pipeline(void)
{
	enum { TILES = 12 };
	uint32_t bytes = least(256, test.loc_bytes / 8 / test.align) * test.align, t, i;
	struct copy in[TILES], out[TILES];
	if (test.given->max_bytes)
		bytes = least(bytes, test.given->max_bytes - test.given->max_bytes % test.align);
	for (t = 0; t < TILES; t++) {
		in[t] = run_of((size_t)t * bytes, (size_t)(t % 2) * bytes, bytes);
		in[t].tag = t % 2;
		out[t] = run_of((size_t)(TILES + t) * bytes, (size_t)(2 + t % 2) * bytes, bytes);
		out[t].tag = 2 + t % 2;
		out[t].is_put = 1;
		fill_source(&in[t]);
	}
	start(&in[0]);
	for (t = 0; t < TILES; t++) {
		if (t + 1 < TILES)
			start(&in[t + 1]);
		lrt_wait((uint32_t)1 << in[t].tag | (uint32_t)1 << out[t].tag);
		copy_in_model(&in[t]);
		for (i = 0; i < bytes; i++) {
			test.loc[out[t].loc + i] = (unsigned char)(test.loc[in[t].loc + i] * 3 + t);
			test.loc_model[out[t].loc + i] = (unsigned char)(test.loc_model[in[t].loc + i] * 3 + t);
		}
		start(&out[t]);
		copy_in_model(&out[t]);
	}
	lrt_wait((uint32_t)3 << 2);
	for (t = 0; t < TILES; t++)
		check(&out[t]);
	group_end("a double-buffered pipeline");
}

static void set_up(const struct conformance *given)
{
	size_t i;
	test.given = given;
	test.align = given->align_bytes ? given->align_bytes : 1;
	test.random_state = 0x2545f491u;
	test.margin_bytes = 64;
	test.results = test.failures = test.group_failed = 0;
	test.length = 0;
	test.loc = lrt_scratchpad();
	test.loc_bytes = given->scratchpad_bytes - given->scratchpad_bytes % test.align;
	test.ext_bytes = (given->window_bytes - test.loc_bytes) / 2;
	if (test.ext_bytes > EXT_LIMIT)
		test.ext_bytes = EXT_LIMIT;
	test.ext_bytes -= test.ext_bytes % 64;
	test.ext = given->window;
	test.ext_model = test.ext + test.ext_bytes;
	test.loc_model = test.ext_model + test.ext_bytes;
	for (i = 0; i < test.ext_bytes; i++)
		test.ext[i] = test.ext_model[i] = (unsigned char)(i * 37 + (i >> 8));
	for (i = 0; i < test.loc_bytes; i++)
		test.loc[i] = test.loc_model[i] = (unsigned char)(i * 73 + (i >> 8) + 5);
}

int conformance_run(const struct conformance *given)
{
	static void (*const groups[])(void) = {
		test_scratchpad, test_small_runs, test_counter_widths, test_largest_run, test_ranks,
		test_counts, test_strides, test_repeated_sources, test_random_copies, test_unused_tags,
		test_each_tag, test_in_flight, test_tags_reused, test_pipeline
	};
	size_t i;
	set_up(given);
	for (i = 0; i < sizeof groups / sizeof groups[0]; i++)
		groups[i]();
	check_everything("nothing else was written in either memory");
	text("1..");
	number((uint64_t)test.results);
	say_line();
	return test.failures;
}
