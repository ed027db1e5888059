/* Names of types: what lists of specifiers and typedefs stand for. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "frontend/parse.h"

#define SIGNED_KIND(bytes) ((bytes) == 1 ? TYPE_INT8 : (bytes) == 2 ? TYPE_INT16 : \
	(bytes) == 4 ? TYPE_INT32 : TYPE_INT64)
#define UNSIGNED_KIND(bytes) ((bytes) == 1 ? TYPE_UINT8 : (bytes) == 2 ? TYPE_UINT16 : \
	(bytes) == 4 ? TYPE_UINT32 : TYPE_UINT64)
#define KIND_OF(type) ((type)-1 < (type)1 ? SIGNED_KIND(sizeof(type)) : UNSIGNED_KIND(sizeof(type)))
#define NAMED(type, header) { { KIND_OF(type), (int)sizeof(type), #type }, header }

static const struct {
	struct type type;
	const char *header;
} named_types[] = {
	NAMED(int8_t, "<stdint.h>"), NAMED(uint8_t, "<stdint.h>"),
	NAMED(int16_t, "<stdint.h>"), NAMED(uint16_t, "<stdint.h>"),
	NAMED(int32_t, "<stdint.h>"), NAMED(uint32_t, "<stdint.h>"),
	NAMED(int64_t, "<stdint.h>"), NAMED(uint64_t, "<stdint.h>"),
	NAMED(int_least8_t, "<stdint.h>"), NAMED(uint_least8_t, "<stdint.h>"),
	NAMED(int_least16_t, "<stdint.h>"), NAMED(uint_least16_t, "<stdint.h>"),
	NAMED(int_least32_t, "<stdint.h>"), NAMED(uint_least32_t, "<stdint.h>"),
	NAMED(int_least64_t, "<stdint.h>"), NAMED(uint_least64_t, "<stdint.h>"),
	NAMED(int_fast8_t, "<stdint.h>"), NAMED(uint_fast8_t, "<stdint.h>"),
	NAMED(int_fast16_t, "<stdint.h>"), NAMED(uint_fast16_t, "<stdint.h>"),
	NAMED(int_fast32_t, "<stdint.h>"), NAMED(uint_fast32_t, "<stdint.h>"),
	NAMED(int_fast64_t, "<stdint.h>"), NAMED(uint_fast64_t, "<stdint.h>"),
	NAMED(intptr_t, "<stdint.h>"), NAMED(uintptr_t, "<stdint.h>"),
	NAMED(intmax_t, "<stdint.h>"), NAMED(uintmax_t, "<stdint.h>"),
	NAMED(size_t, "<stddef.h>"), NAMED(ptrdiff_t, "<stddef.h>"),
};

bool parse_find_type(const struct parse *parse, const char *name, struct ast_type *type)
{
	for (size_t i = parse->typedefs.count; i-- > 0;) {
		const struct ast_declarator *declarator = parse->typedefs.items[i];
		if (!strcmp(declarator->name, name)) {
			*type = declarator->type;
			type->is_typedef = false;
			return true;
		}
	}
	for (size_t i = 0; i < sizeof named_types / sizeof *named_types; i++)
		if (!strcmp(named_types[i].type.name, name)) {
			*type = (struct ast_type){ .type = named_types[i].type };
			bool is_declared = preprocess_has_include(parse->preprocessor,
				named_types[i].header) || (!strcmp(name, "size_t") &&
				preprocess_has_include(parse->preprocessor, "<stdlib.h>"));
			if (!is_declared)
				type->unsupported = named_types[i].header;
			return true;
		}
	return false;
}

void specifiers_add(struct parse *parse, struct specifiers *specifiers, unsigned word,
	struct location at)
{
	if (word == SPECIFIER_LONG && (specifiers->words & SPECIFIER_LONG)) {
		specifiers->words &= ~(unsigned)SPECIFIER_LONG;
		word = SPECIFIER_LONG_LONG;
	}
	if (specifiers->words & word)
		diag_error(parse->diag, at, "this word is here twice; write it once");
	specifiers->words |= word;
}

#define PLAIN(words, type, name) { words, { KIND_OF(type), (int)sizeof(type), name } }

static const struct {
	unsigned words;
	struct type type;
} plain_types[] = {
	PLAIN(SPECIFIER_CHAR, char, "char"),
	PLAIN(SPECIFIER_SIGNED | SPECIFIER_CHAR, signed char, "signed char"),
	PLAIN(SPECIFIER_UNSIGNED | SPECIFIER_CHAR, unsigned char, "unsigned char"),
	PLAIN(SPECIFIER_SHORT, short, "short"),
	PLAIN(SPECIFIER_UNSIGNED | SPECIFIER_SHORT, unsigned short, "unsigned short"),
	PLAIN(0, int, "int"),
	PLAIN(SPECIFIER_UNSIGNED, unsigned, "unsigned int"),
	PLAIN(SPECIFIER_LONG, long, "long"),
	PLAIN(SPECIFIER_UNSIGNED | SPECIFIER_LONG, unsigned long, "unsigned long"),
	PLAIN(SPECIFIER_LONG_LONG, long long, "long long"),
	PLAIN(SPECIFIER_UNSIGNED | SPECIFIER_LONG_LONG, unsigned long long, "unsigned long long"),
	{ SPECIFIER_FLOAT, { TYPE_FLOAT, 4, "float" } },
	{ SPECIFIER_DOUBLE, { TYPE_DOUBLE, 8, "double" } },
	{ SPECIFIER_BOOL, { TYPE_BOOL, 1, "_Bool" } },
};

struct ast_type specifiers_type(struct parse *parse, struct specifiers specifiers,
	struct location at)
{
	struct ast_type type = specifiers.type;
	unsigned words = specifiers.words;
	if (words == SPECIFIER_NAMED) {
		if (type.unsupported && type.unsupported[0] == '<')
			diag_error(parse->diag, at, "type '%s' is not declared; write #include %s",
				type.type.name, type.unsupported);
		return type;
	}
	type.type = (struct type){ TYPE_INT32, 4, "int" };
	if (words == SPECIFIER_VOID) {
		type.is_void = true;
		return type;
	}
	if (words & SPECIFIER_OTHER)
		return type;
	if (words == 0) {
		diag_error(parse->diag, at, "a type is missing here; write one, such as int");
		return type;
	}
	unsigned sign = SPECIFIER_SIGNED | SPECIFIER_INT;
	unsigned reduced = words & SPECIFIER_CHAR ? words & ~(unsigned)SPECIFIER_INT : words & ~sign;
	for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++)
		if (plain_types[i].words == reduced && !(words & SPECIFIER_CHAR && words & SPECIFIER_INT) &&
		    !(reduced > SPECIFIER_UNSIGNED && words != reduced)) {
			type.type = plain_types[i].type;
			return type;
		}
	if (words == (SPECIFIER_LONG | SPECIFIER_DOUBLE))
		diag_error(parse->diag, at, "long double is not supported; use double");
	else
		diag_error(parse->diag, at, "these words are no type together");
	return type;
}
