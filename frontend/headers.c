/* The constants and functions that the standard headers declare. */

#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "frontend/sema.h"

#define INT { TYPE_INT32, 4, "int" }
#define UNSIGNED { TYPE_UINT32, 4, "unsigned int" }
#define LONG { TYPE_INT64, 8, "long" }
#define UNSIGNED_LONG { TYPE_UINT64, 8, "unsigned long" }
#define LONG_LONG { TYPE_INT64, 8, "long long" }
#define FLOAT { TYPE_FLOAT, 4, "float" }
#define DOUBLE { TYPE_DOUBLE, 8, "double" }
#define INTEGER(name, type, header) { #name, type, (long)(name), header }
#define FLOATING(name, type, header) { #name, type, 0, header }

static const struct header_constant constants[] = {
	INTEGER(INT8_MIN, INT, "<stdint.h>"), INTEGER(INT8_MAX, INT, "<stdint.h>"),
	INTEGER(UINT8_MAX, INT, "<stdint.h>"),
	INTEGER(INT16_MIN, INT, "<stdint.h>"), INTEGER(INT16_MAX, INT, "<stdint.h>"),
	INTEGER(UINT16_MAX, INT, "<stdint.h>"),
	INTEGER(INT32_MIN, INT, "<stdint.h>"), INTEGER(INT32_MAX, INT, "<stdint.h>"),
	INTEGER(UINT32_MAX, UNSIGNED, "<stdint.h>"),
	INTEGER(INT64_MIN, LONG, "<stdint.h>"), INTEGER(INT64_MAX, LONG, "<stdint.h>"),
	INTEGER(UINT64_MAX, UNSIGNED_LONG, "<stdint.h>"),
	INTEGER(SCHAR_MIN, INT, "<limits.h>"), INTEGER(SCHAR_MAX, INT, "<limits.h>"),
	INTEGER(UCHAR_MAX, INT, "<limits.h>"), INTEGER(CHAR_BIT, INT, "<limits.h>"),
	INTEGER(SHRT_MIN, INT, "<limits.h>"), INTEGER(SHRT_MAX, INT, "<limits.h>"),
	INTEGER(USHRT_MAX, INT, "<limits.h>"),
	INTEGER(INT_MIN, INT, "<limits.h>"), INTEGER(INT_MAX, INT, "<limits.h>"),
	INTEGER(UINT_MAX, UNSIGNED, "<limits.h>"),
	INTEGER(LONG_MIN, LONG, "<limits.h>"), INTEGER(LONG_MAX, LONG, "<limits.h>"),
	INTEGER(ULONG_MAX, UNSIGNED_LONG, "<limits.h>"),
	INTEGER(LLONG_MIN, LONG_LONG, "<limits.h>"), INTEGER(LLONG_MAX, LONG_LONG, "<limits.h>"),
	INTEGER(SIZE_MAX, UNSIGNED_LONG, "<stdint.h>"),
	FLOATING(FLT_MAX, FLOAT, "<float.h>"), FLOATING(FLT_MIN, FLOAT, "<float.h>"),
	FLOATING(FLT_EPSILON, FLOAT, "<float.h>"), FLOATING(DBL_MAX, DOUBLE, "<float.h>"),
	FLOATING(DBL_MIN, DOUBLE, "<float.h>"), FLOATING(DBL_EPSILON, DOUBLE, "<float.h>"),
	FLOATING(INFINITY, FLOAT, "<math.h>"), FLOATING(HUGE_VAL, DOUBLE, "<math.h>"),
	FLOATING(HUGE_VALF, FLOAT, "<math.h>"), FLOATING(NAN, FLOAT, "<math.h>"),
};

const struct header_constant *header_constant_find(const char *name)
{
	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
		if (!strcmp(constants[i].name, name))
			return &constants[i];
	return NULL;
}

/* Each of <math.h> also with an f after its name, on float. */
static const struct {
	const char *name;
	int parameter_count;
} math_functions[] = {
	{ "acos", 1 }, { "asin", 1 }, { "atan", 1 }, { "cos", 1 }, { "sin", 1 }, { "tan", 1 },
	{ "acosh", 1 }, { "asinh", 1 }, { "atanh", 1 }, { "cosh", 1 }, { "sinh", 1 },
	{ "tanh", 1 }, { "exp", 1 }, { "exp2", 1 }, { "expm1", 1 }, { "log", 1 }, { "log10", 1 },
	{ "log1p", 1 }, { "log2", 1 }, { "logb", 1 }, { "cbrt", 1 }, { "fabs", 1 },
	{ "sqrt", 1 }, { "erf", 1 }, { "erfc", 1 }, { "tgamma", 1 }, { "ceil", 1 },
	{ "floor", 1 }, { "nearbyint", 1 }, { "rint", 1 }, { "round", 1 }, { "trunc", 1 },
	{ "atan2", 2 }, { "fmod", 2 }, { "remainder", 2 }, { "copysign", 2 },
	{ "nextafter", 2 }, { "fdim", 2 }, { "fmax", 2 }, { "fmin", 2 }, { "hypot", 2 },
	{ "pow", 2 }, { "fma", 3 },
};

static const struct {
	const char *name;
	struct header_function function;
} other_functions[] = {
	{ "abs", { INT, { INT }, 1, "<stdlib.h>" } },
	{ "labs", { LONG, { LONG }, 1, "<stdlib.h>" } },
	{ "llabs", { LONG_LONG, { LONG_LONG }, 1, "<stdlib.h>" } },
	{ "ldexp", { DOUBLE, { DOUBLE, INT }, 2, "<math.h>" } },
	{ "ldexpf", { FLOAT, { FLOAT, INT }, 2, "<math.h>" } },
	{ "lrint", { LONG, { DOUBLE }, 1, "<math.h>" } },
	{ "lrintf", { LONG, { FLOAT }, 1, "<math.h>" } },
	{ "lround", { LONG, { DOUBLE }, 1, "<math.h>" } },
	{ "lroundf", { LONG, { FLOAT }, 1, "<math.h>" } },
};

bool header_function_find(const char *name, struct header_function *function)
{
	static const struct type of_float = FLOAT, of_double = DOUBLE;
	for (size_t i = 0; i < sizeof other_functions / sizeof *other_functions; i++)
		if (!strcmp(other_functions[i].name, name)) {
			*function = other_functions[i].function;
			return true;
		}
	for (size_t i = 0; i < sizeof math_functions / sizeof *math_functions; i++) {
		size_t length = strlen(math_functions[i].name);
		if (strncmp(math_functions[i].name, name, length) ||
		    (strcmp(name + length, "") && strcmp(name + length, "f")))
			continue;
		struct type type = name[length] ? of_float : of_double;
		*function = (struct header_function){ type, { type, type, type },
			math_functions[i].parameter_count, "<math.h>" };
		return true;
	}
	return false;
}
