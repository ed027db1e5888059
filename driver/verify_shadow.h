/* What shadow code computes with (driver/shadow.c writes it).  It does what the source does,
 * statement instance by statement instance in the source's order, and carries a second
 * number along with each value that rounding may change: how far the value of a program that
 * does the same sums in another order may be from it.  0 says that it is the same to
 * the bit.  It also sees what C leaves undefined. */

#ifndef VERIFY_SHADOW_H
#define VERIFY_SHADOW_H

#include <float.h>
#include <math.h>
#include <stdint.h>

/* What an element's value may be off by.  terms = n > 0: n terms were added to it since it
 * was last assigned, and magnitude is the sum of their sizes; in whatever order, that
 * differs by no more than n roundings of magnitude.  n < 0: -n factors, magnitude is the
 * product of those above 1.  error: without these roundings. */
struct verify_error {
	double error, magnitude;
	long terms;
};

/* Terms or factors that one statement instance contributes. */
struct verify_terms {
	double error, magnitude;
	long count;
};

struct verify_undefined {
	const char *what;            /* NULL: nothing is */
	int line;
};

/* The first thing undefined in a run. */
extern struct verify_undefined verify_undefined;
/* > 0: the code runs to see what might be; that is not the program's fault. */
extern int verify_speculation;

static inline int verify_defined(int is_defined, const char *what, int line)
{
	if (!is_defined && !verify_speculation && !verify_undefined.what) {
		verify_undefined.what = what;
		verify_undefined.line = line;
	}
	return is_defined;
}

/* The error of a result that one operation rounds, where operands have errors. */
static inline double verify_rounded(double value, double error, double unit)
{
	return error > 0 ? error + unit * (fabs(value) + error) + DBL_MIN : error;
}

/* An integer's, where what is off may also leave the type. */
static inline double verify_wrapped(double value, double error, double least, double most)
{
	return error == 0 || (value - error >= least && value + error <= most) ? error
		: (double)INFINITY;
}

static inline double verify_product(double a, double a_error, double b, double b_error)
{
	return a_error == 0 && b_error == 0 ? 0
		: (a_error ? fabs(b) * a_error : 0) + (b_error ? fabs(a) * b_error : 0) +
			(a_error && b_error ? a_error * b_error : 0);
}

static inline double verify_quotient(double a, double a_error, double b, double b_error,
	int is_integer)
{
	if (a_error == 0 && b_error == 0)
		return 0;
	if (!(fabs(b) > b_error))
		return (double)INFINITY;
	return (a_error * fabs(b) + fabs(a) * b_error) / (fabs(b) * (fabs(b) - b_error)) + is_integer;
}

/* Whether rounding decides how A and B compare. */
static inline int verify_is_close(double a, double a_error, double b, double b_error)
{
	return (a_error > 0 || b_error > 0) && !(fabs(a - b) > a_error + b_error);
}

/* Of VALUE, where OTHER may come out instead. */
static inline double verify_either(double value, double error, double other, double other_error)
{
	double apart = fabs(value - other) + other_error;
	return apart > error || apart != apart ? apart : error;
}

/* Of a function's VALUE, that of arguments moved by their errors up and down. */
static inline double verify_moved(double value, double up, double down)
{
	double above = fabs(up - value), below = fabs(down - value);
	return above == above && below == below ? 2 * (above > below ? above : below)
		: (double)INFINITY;
}

static inline void verify_term(struct verify_terms *terms, double value, double error)
{
	terms->error += error;
	terms->magnitude += fabs(value) + error;
	terms->count++;
}

/* The error of an element of value VALUE. */
static inline double verify_error_of(const struct verify_error *error, double value, double unit)
{
	double n = fabs((double)error->terms);
	if (n < 2)
		return error->error;
	if (error->terms > 0)
		return error->error + n * unit * (error->magnitude + error->error);
	return error->error + 2 * n * unit * (fabs(value) + error->error) +
		n * (unit == FLT_EPSILON ? FLT_MIN : DBL_MIN) * error->magnitude;
}

/* The element is assigned anew. */
static inline void verify_assign(struct verify_error *error, double value_error)
{
	error->error = value_error;
	error->magnitude = 0;
	error->terms = 0;
}

/* TERMS are added to the element, which had the value OLD. */
static inline void verify_add(struct verify_error *error, const struct verify_terms *terms,
	double old, double unit)
{
	if (error->terms <= 0) {
		error->error = verify_error_of(error, old, unit);
		error->magnitude = fabs(old);
		error->terms = 0;
	}
	error->error += terms->error;
	error->magnitude += terms->magnitude;
	error->terms += terms->count;
}

/* The error of the element as the operand of its own reduction: roundings are counted apart. */
static inline double verify_own_error(const struct verify_error *error, double value, double unit,
	int is_product)
{
	return (is_product ? error->terms < 0 : error->terms > 0) ? error->error
		: verify_error_of(error, value, unit);
}

/* The element OLD becomes VALUE by COUNT more factors, off by VALUE_ERROR as verify_own_error
 * propagates. */
static inline void verify_multiply(struct verify_error *error, double old, double value,
	double value_error, int count)
{
	double factor = old != 0 ? fabs(value / old) : 1;
	if (error->terms >= 0) {
		error->magnitude = 1;
		error->terms = 0;
	}
	error->error = value_error;
	error->magnitude *= factor > 1 ? factor : 1;
	error->terms -= count;
}

/* The same of a function that its author calls associative: its results may differ as those of
 * a sum do. */
static inline void verify_combine(struct verify_error *error, double old, double value,
	double value_error)
{
	if (error->terms <= 0) {
		error->magnitude = 0;
		error->terms = 0;
	}
	error->error = value_error;
	error->magnitude += fabs(old) + fabs(value);
	error->terms++;
}

#endif
