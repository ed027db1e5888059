/* Counting of copies, and the table that compares them with the prediction. */

#include "traffic.h"

#include "board.h"
#include "loopc_rt.h"

#ifdef HOST
#include "loopc_checked.h"
#endif

enum { ARRAY_LIMIT = 24 };

struct array {
	const char *name;
	uintptr_t base;
	size_t bytes;
	uint64_t read_bytes, write_bytes, gets, puts;
};

static struct array arrays[ARRAY_LIMIT];
static unsigned array_count, violations;
static uint64_t instructions;
static struct prediction sum;

void print_text(const char *text)
{
	while (*text)
		board_put_char(*text++);
}

void print_number(uint64_t number, unsigned width)
{
	char digits[24];
	unsigned count = 0;
	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (width > count) {
		board_put_char(' ');
		width--;
	}
	while (count)
		board_put_char(digits[--count]);
}

static void print_name(const char *name)
{
	unsigned width = 14;
	print_text("  ");
	for (; *name; name++) {
		board_put_char(*name);
		if (width)
			width--;
	}
	while (width--)
		board_put_char(' ');
}

void print_checksum(const char *name, const void *base, size_t bytes)
{
	const unsigned char *byte = base;
	uint32_t checksum = 2166136261u;
	while (bytes-- > 0)
		checksum = (checksum ^ *byte++) * 16777619u;
	print_name(name);
	print_text("checksum");
	print_number(checksum, 14);
	print_text("\n");
}

static void print_row(const char *name, uint64_t commands, uint64_t read_bytes, uint64_t write_bytes)
{
	print_name(name);
	print_number(commands, 10);
	print_number(read_bytes, 12);
	print_number(write_bytes, 12);
	print_text("\n");
}

void traffic_array(const char *name, const void *base, size_t bytes, int writable)
{
	struct array *array = &arrays[array_count++];
	array->name = name;
	array->base = (uintptr_t)base;
	array->bytes = bytes;
	array->read_bytes = array->write_bytes = array->gets = array->puts = 0;
#ifdef HOST
	lrt_checked_array(name, base, bytes, writable);
#else
	(void)writable;
#endif
}

#ifdef HOST
static void begin(void)
{
	const lrt_limits limits = { .scratchpad_bytes = SCRATCHPAD_BYTES, .max_rank = MAX_RANK,
		.max_bytes = MAX_BYTES };
	lrt_checked_begin(&limits);
}

static void end(void)
{
	unsigned i;
	violations = (unsigned)lrt_checked_end();
	for (i = 0; i < array_count; i++) {
		lrt_counts counts = lrt_checked_counts(arrays[i].name);
		arrays[i].read_bytes = counts.read_bytes;
		arrays[i].write_bytes = counts.write_bytes;
		arrays[i].gets = counts.gets;
		arrays[i].puts = counts.puts;
	}
}
#else
static void begin(void)
{
}

static void end(void)
{
}

/* What the linker's --wrap makes of the port's functions. */
void __real_lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box);
void __real_lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box);
void __wrap_lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box);
void __wrap_lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box);

static uint64_t box_bytes(const lrt_box *box)
{
	uint64_t bytes = box->bytes;
	uint32_t d;
	for (d = 0; d + 1 < box->rank; d++)
		bytes *= box->count[d];
	return bytes;
}

static struct array *find_array(lrt_ext ext)
{
	unsigned i;
	for (i = 0; i < array_count; i++)
		if (ext - arrays[i].base < arrays[i].bytes)
			return &arrays[i];
	violations++;
	return &arrays[0];
}

void __wrap_lrt_get(unsigned tag, void *loc, lrt_ext ext, const lrt_box *box)
{
	struct array *array = find_array(ext);
	array->gets++;
	array->read_bytes += box_bytes(box);
	__real_lrt_get(tag, loc, ext, box);
}

void __wrap_lrt_put(unsigned tag, lrt_ext ext, const void *loc, const lrt_box *box)
{
	struct array *array = find_array(ext);
	array->puts++;
	array->write_bytes += box_bytes(box);
	__real_lrt_put(tag, ext, loc, box);
}
#endif

void traffic_begin(void)
{
	array_count = violations = 0;
	begin();
	instructions = board_instructions();
}

int traffic_end(struct prediction predicted)
{
	unsigned i;
	instructions = board_instructions() - instructions;
	end();
	sum.commands = sum.read_bytes = sum.write_bytes = 0;
	for (i = 0; i < array_count; i++) {
		sum.commands += arrays[i].gets + arrays[i].puts;
		sum.read_bytes += arrays[i].read_bytes;
		sum.write_bytes += arrays[i].write_bytes;
	}
	return violations == 0 && sum.commands == predicted.commands &&
		sum.read_bytes == predicted.read_bytes && sum.write_bytes == predicted.write_bytes;
}

void traffic_print(const char *kernel, struct prediction predicted)
{
	unsigned i;
	print_text(kernel);
	print_text(" on " BOARD_NAME "\n  array           commands        read     written\n");
	for (i = 0; i < array_count; i++)
		print_row(arrays[i].name, arrays[i].gets + arrays[i].puts, arrays[i].read_bytes,
			arrays[i].write_bytes);
	print_row("measured", sum.commands, sum.read_bytes, sum.write_bytes);
	print_row("predicted", predicted.commands, predicted.read_bytes, predicted.write_bytes);
	print_text("  instructions");
	print_number(instructions, 14);
	print_text("\n");
}
