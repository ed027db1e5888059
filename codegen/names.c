#include "codegen/names.h"

#include <string.h>

#include "codegen/reserved.h"

static const char *const keywords[] = {
	"auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
	"enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
	"restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
	"union", "unsigned", "void", "volatile", "while", "_Bool", "_Complex", "_Imaginary",
	"asm", "bool", "true", "false", "main", "size_t", "ptrdiff_t", "uintptr_t", "NULL",
	"int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t",
	"lrt_ext", "lrt_box", "lrt_get", "lrt_put", "lrt_wait", "lrt_scratchpad", "lrt_memory",
	"LRT_MAX_RANK", "LRT_TAGS"
};

static const char *const cplusplus_keywords[] = {
	"alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char16_t",
	"char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
	"consteval", "constexpr", "constinit", "const_cast", "decltype", "delete", "dynamic_cast",
	"explicit", "export", "false", "friend", "mutable", "namespace", "new", "noexcept", "not",
	"not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
	"reinterpret_cast", "requires", "static_assert", "static_cast", "template", "this",
	"thread_local", "throw", "true", "try", "typeid", "typename", "using", "virtual", "wchar_t",
	"xor", "xor_eq"
};

void names_init(struct names *names, struct arena *arena, const struct names *parent)
{
	*names = (struct names){ .arena = arena, .parent = parent };
	for (size_t i = 0; !parent && i < sizeof keywords / sizeof *keywords; i++)
		names_add(names, NULL, keywords[i]);
}

static bool is_taken(const struct names *names, const char *text)
{
	if (reserved_is_macro(text))
		return true;
	for (; names; names = names->parent)
		for (int i = 0; i < names->count; i++)
			if (strcmp(names->items[i].text, text) == 0)
				return true;
	return false;
}

const char *names_add(struct names *names, const void *object, const char *wanted)
{
	const char *text = arena_strdup(names->arena, wanted);

	for (int i = 1; is_taken(names, text); i++)
		text = arena_printf(names->arena, "%s_%d", wanted, i);
	names_share(names, object, text);
	return text;
}

void names_share(struct names *names, const void *object, const char *text)
{
	names->items = arena_grow(names->arena, names->items, (size_t)names->count,
		&names->capacity, sizeof *names->items);
	names->items[names->count++] = (struct name){ object, text };
}

const char *names_of(const struct names *names, const void *object)
{
	for (; names; names = names->parent)
		for (int i = 0; i < names->count; i++)
			if (names->items[i].object == object)
				return names->items[i].text;
	return "unnamed";
}

bool names_is_keyword(const char *text)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strcmp(keywords[i], text) == 0)
			return true;
	return false;
}

bool names_is_keyword_of_cplusplus(const char *text)
{
	for (size_t i = 0; i < sizeof cplusplus_keywords / sizeof *cplusplus_keywords; i++)
		if (strcmp(cplusplus_keywords[i], text) == 0)
			return true;
	return false;
}
