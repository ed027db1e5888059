/* Names that are not free in emitted C. */

#include "codegen/reserved.h"

#include <string.h>

#include "codegen/names.h"

/* The functions of C99's library (annex B), by header; those of <math.h> and <complex.h> come with
 * the suffixes f and l too. */
static const char *const library[] = {
	"assert errno setjmp longjmp signal raise localeconv setlocale",
	"isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit "
	"tolower toupper",
	"feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround fesetround "
	"fegetenv feholdexcept fesetenv feupdateenv",
	"imaxabs imaxdiv strtoimax strtoumax wcstoimax wcstoumax",
	"remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf fscanf printf "
	"scanf snprintf sprintf sscanf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf fgetc "
	"fgets fputc fputs getc getchar gets putc putchar puts ungetc fread fwrite fgetpos fseek fsetpos "
	"ftell rewind clearerr feof ferror perror stdin stdout stderr",
	"atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand calloc free "
	"malloc realloc abort atexit exit _Exit getenv system bsearch qsort abs labs llabs div ldiv lldiv "
	"mblen mbtowc wctomb mbstowcs wcstombs",
	"memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr strchr "
	"strcspn strpbrk strrchr strspn strstr strtok memset strerror strlen",
	"clock difftime mktime time asctime ctime gmtime localtime strftime",
	"fwprintf fwscanf swprintf swscanf vfwprintf vfwscanf vswprintf vswscanf vwprintf vwscanf wprintf "
	"wscanf fgetwc fgetws fputwc fputws fwide getwc getwchar putwc putwchar ungetwc wcstod wcstof "
	"wcstold wcstol wcstoll wcstoul wcstoull wcscpy wcsncpy wmemcpy wmemmove wcscat wcsncat wcscmp "
	"wcscoll wcsncmp wcsxfrm wmemcmp wcschr wcscspn wcspbrk wcsrchr wcsspn wcsstr wcstok wmemchr wcslen "
	"wmemset wcsftime btowc wctob mbsinit mbrlen mbrtowc wcrtomb mbsrtowcs wcsrtombs",
	"iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper "
	"iswxdigit iswctype wctype towlower towupper towctrans wctrans",
};

static const char *const mathematics[] = {
	"acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp "
	"log log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil "
	"floor nearbyint rint lrint llrint round lround llround trunc fmod remainder remquo copysign nan "
	"nextafter nexttoward fdim fmax fmin fma",
	"cacos casin catan ccos csin ctan cacosh casinh catanh ccosh csinh ctanh cexp clog cabs cpow csqrt "
	"carg cimag conj cproj creal",
};

/* Whether the first LENGTH characters of TEXT are one of WORDS, which spaces part. */
static bool is_word(const char *words, const char *text, size_t length)
{
	while (*words) {
		size_t word = strcspn(words, " ");

		if (word == length && strncmp(words, text, length) == 0)
			return true;
		words += word + (words[word] == ' ');
	}
	return false;
}

static bool is_of_library(const char *text)
{
	size_t length = strlen(text);
	bool has_suffix = length > 1 && strchr("fl", text[length - 1]);

	for (size_t i = 0; i < sizeof library / sizeof *library; i++)
		if (is_word(library[i], text, length))
			return true;
	for (size_t i = 0; i < sizeof mathematics / sizeof *mathematics; i++)
		if (is_word(mathematics[i], text, length)
			|| (has_suffix && is_word(mathematics[i], text, length - 1)))
			return true;
	return false;
}

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

bool reserved_is_macro(const char *text)
{
	static const char *const beginnings[] = { "INT", "UINT", "PTRDIFF_", "SIG_ATOMIC_", "SIZE_",
		"WCHAR_", "WINT_" };

	if (strcmp(text, "NULL") == 0 || strcmp(text, "offsetof") == 0)
		return true;
	if (!ends_in(text, "_MIN") && !ends_in(text, "_MAX") && !ends_in(text, "_C")
		&& !ends_in(text, "_WIDTH"))
		return false;
	for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
		if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* Whose TEXT is already; NULL: nobody's. */
static const char *owner_of(const char *text)
{
	if (strncmp(text, "lrt_", 4) == 0 || strncmp(text, "LRT_", 4) == 0
		|| strncmp(text, "loopc_", 6) == 0)
		return "the runtime's and emitted code's own names begin so";
	if (strcmp(text, "main") == 0)
		return "the program that calls it has one";
	if (is_of_library(text))
		return "C's library has one";
	if (names_is_keyword(text) || reserved_is_macro(text))
		return "the word means something in C";
	if (names_is_keyword_of_cplusplus(text))
		return "the word means something in C++, for which the header is made too";
	return NULL;
}

bool reserved_check(const struct program *program, const char *prefix, struct diag *diag)
{
	struct arena *arena = arena_new();
	bool is_good = true;

	for (int f = 0; f < program->function_count; f++) {
		const struct function *function = program->functions[f];
		const char *name = arena_printf(arena, "%s%s", prefix, function->name);
		const char *owner = owner_of(name);

		if (!owner)
			continue;
		is_good = false;
		diag_error(diag, function->location, "no function of the emitted C can be called '%s': %s; "
			"--prefix=TEXT puts something before the names of all", name, owner);
	}
	arena_free(arena);
	return is_good;
}
