/* Piecewise polynomials as C expressions. */

#include "passes/sizes/polynomial.h"

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>
#include <isl/val.h>

#include "ir/ast_build.h"

enum { TEXT_LIMIT = 4000 };

struct printing {
	struct arena *arena;
	const struct function *function;
	bool *failed;
	isl_set *context;            /* the sizes there are */
	const char *text;            /* of the sum, or the pieces, so far */
	long denominator;
	int piece, piece_count;      /* the last holds for all that is left, if it is_whole */
	bool is_whole;
};

static const char *text_of(struct printing *printing, __isl_take isl_ast_expr *expr)
{
	char *text = expr ? isl_ast_expr_to_C_str(expr) : NULL;
	const char *copy = arena_strdup(printing->arena, text ? text : "0");
	*printing->failed |= !text || strstr(copy, "floord") || strstr(copy, "min(")
		|| strstr(copy, "max(");
	isl_ast_expr_free(expr);
	free(text);
	return copy;
}

static isl_stat find_denominator(__isl_take isl_term *term, void *user)
{
	struct printing *printing = user;
	isl_val *coefficient = isl_term_get_coefficient_val(term);
	long value = isl_val_get_den_si(coefficient), a = value, b = printing->denominator;
	isl_val_free(coefficient);
	isl_term_free(term);
	*printing->failed |= value < 1;
	if (value < 1)
		return isl_stat_error;
	while (b) {
		long rest = a % b;
		a = b;
		b = rest;
	}
	printing->denominator = printing->denominator / a * value;
	return isl_stat_ok;
}

static void times(struct printing *printing, const char **term, const char *factor, int power)
{
	struct arena *arena = printing->arena;
	for (; power > 0; power--)
		*term = **term ? arena_printf(arena, "%s * %s", *term, factor) : factor;
}

static isl_stat print_term(__isl_take isl_term *term, void *user)
{
	struct printing *printing = user;
	struct arena *arena = printing->arena;
	const struct function *function = printing->function;
	isl_val *coefficient = isl_val_mul_ui(isl_term_get_coefficient_val(term),
		(unsigned long)printing->denominator);
	long value = isl_val_get_num_si(coefficient);
	const char *product = "";
	*printing->failed |= isl_val_is_int(coefficient) != isl_bool_true
		|| isl_val_n_abs_num_chunks(coefficient, sizeof(long)) > 1;
	isl_val_free(coefficient);
	for (int k = 0; k < function->symbolic_count; k++)
		times(printing, &product, function->symbolic[k]->name,
			isl_term_get_exp(term, isl_dim_param, (unsigned)k));
	for (unsigned i = 0; i < (unsigned)isl_term_dim(term, isl_dim_div); i++) {
		int power = isl_term_get_exp(term, isl_dim_div, i);
		if (!power)
			continue;
		isl_pw_aff *div = isl_pw_aff_from_aff(isl_aff_floor(isl_term_get_div(term, i)));
		div = isl_pw_aff_project_domain_on_params(div);
		times(printing, &product, arena_printf(arena, "(%s)", text_of(printing,
			ast_of_value(isl_set_copy(printing->context), div))), power);
	}
	isl_term_free(term);
	const char *sign = value < 0 ? *printing->text ? " - " : "-" : *printing->text ? " + " : "";
	long magnitude = value < 0 ? -value : value;
	printing->text = magnitude == 1 && *product
		? arena_printf(arena, "%s%s%s", printing->text, sign, product)
		: arena_printf(arena, "%s%s%ld%s%s", printing->text, sign, magnitude,
			*product ? " * " : "", product);
	return isl_stat_ok;
}

/* "(N * N + 2 * N) / 2" */
static const char *print_polynomial(struct printing *printing, __isl_keep isl_qpolynomial *of)
{
	struct arena *arena = printing->arena;
	struct printing own = { .arena = arena, .function = printing->function,
		.failed = printing->failed, .context = printing->context, .text = "",
		.denominator = 1 };
	isl_qpolynomial_foreach_term(of, find_denominator, &own);
	isl_qpolynomial_foreach_term(of, print_term, &own);
	if (!*own.text)
		return "0";
	return own.denominator == 1 ? own.text
		: arena_printf(arena, "(%s) / %ld", own.text, own.denominator);
}

static isl_stat print_piece(__isl_take isl_set *set, __isl_take isl_qpolynomial *of, void *user)
{
	struct printing *printing = user;
	struct arena *arena = printing->arena;
	set = isl_set_gist_params(set, isl_set_copy(printing->context));
	const char *text = print_polynomial(printing, of);
	if (++printing->piece == printing->piece_count && printing->is_whole)
		printing->text = arena_printf(arena, "%s%s", printing->text, text);
	else
		printing->text = arena_printf(arena, "%s%s ? %s : ", printing->text,
			text_of(printing, ast_of_set(isl_set_copy(printing->context),
			isl_set_params(isl_set_copy(set)))), text);
	isl_set_free(set);
	isl_qpolynomial_free(of);
	return isl_stat_ok;
}

const char *polynomial_text(struct arena *arena, const struct function *function,
	__isl_keep isl_pw_qpolynomial *of)
{
	bool failed = false;
	if (!of || isl_pw_qpolynomial_is_zero(of) == isl_bool_true)
		return "0";
	struct printing printing = { .arena = arena, .function = function, .failed = &failed, .text = "",
		.context = function->context };
	isl_set *domain = isl_set_params(isl_pw_qpolynomial_domain(isl_pw_qpolynomial_copy(of)));
	printing.piece_count = isl_pw_qpolynomial_n_piece(of);
	printing.is_whole = isl_set_is_subset(function->context, domain) == isl_bool_true;
	isl_set_free(domain);
	isl_pw_qpolynomial_foreach_piece(of, print_piece, &printing);
	if (!printing.is_whole)
		printing.text = arena_printf(arena, "%s0", printing.text);
	return failed || strlen(printing.text) > TEXT_LIMIT ? NULL : printing.text;
}
