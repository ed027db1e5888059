/* The types of numbers in C's syntax. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/program_build.h"

static bool is_hexadecimal(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

static bool is_floating(const char *text)
{
	return strchr(text, '.') || strpbrk(text, is_hexadecimal(text) ? "pP" : "eE");
}

/* VALUE, of the number TEXT, is neither too large for its type nor so small that it is rounded to
 * zero: C compilers warn of both. */
static bool is_in_range(const char *text, double value)
{
	bool is_hex = is_hexadecimal(text);
	text += 2 * is_hex;
	size_t mantissa = strcspn(text, is_hex ? "pP" : "eEfF");
	return isfinite(value) && (value != 0 || strspn(text, "0.") >= mantissa);
}

static bool floating_type(const char *text, struct type *type)
{
	bool is_hex = is_hexadecimal(text);
	const char *at = text + 2 * is_hex;
	const char *digits = is_hex ? "0123456789abcdefABCDEF" : "0123456789";
	size_t before = strspn(at, digits), behind = 0;
	at += before;
	if (*at == '.') {
		behind = strspn(++at, digits);
		at += behind;
	}
	bool has_exponent = is_hex ? *at == 'p' || *at == 'P' : *at == 'e' || *at == 'E';
	if (has_exponent) {
		at += 1 + (at[1] == '+' || at[1] == '-');
		if (!strspn(at, "0123456789"))
			return false;
		at += strspn(at, "0123456789");
	}
	if (before + behind == 0 || (is_hex && !has_exponent))
		return false;
	bool is_float = *at == 'f' || *at == 'F';
	*type = is_float ? (struct type){ TYPE_FLOAT, 4, "float" } :
		(struct type){ TYPE_DOUBLE, 8, "double" };
	return !at[is_float] && is_in_range(text, is_float ? strtof(text, NULL) : strtod(text, NULL));
}

static bool character_value(const char *text, unsigned long *value)
{
	static const char escapes[] = "n\nt\tr\r0\0a\ab\bf\fv\v\\\\''\"\"??";
	if (text[1] != '\\') {
		*value = (unsigned char)text[1];
		return text[1] && text[2] == '\'' && !text[3] && (unsigned char)text[1] < 0x80;
	}
	for (size_t i = 0; i + 1 < sizeof escapes; i += 2)
		if (escapes[i] == text[2] && text[3] == '\'' && !text[4]) {
			*value = (unsigned char)escapes[i + 1];
			return true;
		}
	return false;
}

/* Whether SUFFIX may follow an integer. */
static bool is_suffix(const char *suffix)
{
	static const char *const known[] = { "", "u", "U", "l", "L", "ul", "uL", "Ul", "UL",
		"lu", "lU", "Lu", "LU", "ll", "LL", "ull", "uLL", "Ull", "ULL", "llu", "llU",
		"LLu", "LLU" };
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(known[i], suffix))
			return true;
	return false;
}

/* C99 6.4.4.1: the first of the types that the form allows and the value fits. */
bool integer_of_number(const char *text, unsigned long *value, struct type *type)
{
	static const struct type types[3][2] = {
		{ { TYPE_INT32, 4, "int" }, { TYPE_UINT32, 4, "unsigned int" } },
		{ { TYPE_INT64, 8, "long" }, { TYPE_UINT64, 8, "unsigned long" } },
		{ { TYPE_INT64, 8, "long long" }, { TYPE_UINT64, 8, "unsigned long long" } } };
	*type = types[0][0];
	if (*text == '\'')
		return character_value(text, value);
	if (*text < '0' || *text > '9' || is_floating(text))
		return false;
	char *suffix;
	errno = 0;
	*value = strtoull(text, &suffix, 0);
	if (errno || !is_suffix(suffix))
		return false;
	bool is_unsigned = strpbrk(suffix, "uU"), is_decimal = *text != '0';
	int rank = strstr(suffix, "ll") || strstr(suffix, "LL") ? 2 : strpbrk(suffix, "lL") ? 1 : 0;
	for (; rank < 3; rank++)
		for (int sign = is_unsigned; sign < 2; sign++) {
			if (sign && !is_unsigned && is_decimal)
				continue;
			*type = types[rank][sign];
			if (*value <= type_max(type->kind))
				return true;
		}
	return false;
}

bool type_of_number(const char *text, struct type *type)
{
	unsigned long value;
	bool is_plain = (*text >= '0' && *text <= '9') || *text == '.';
	return (is_plain && is_floating(text) && floating_type(text, type)) ||
		integer_of_number(text, &value, type);
}
