#include "onnx/requantize.h"

#include <math.h>

typedef __int128 wide;

bool factor_find(double a, double b, double c, int64_t divisor, struct factor *factor)
{
	const double numbers[3] = { a, b, c };
	uint64_t mantissas[3];
	int exponents[3];

	for (int i = 0; i < 3; i++) {
		if (!(numbers[i] > 0) || !isfinite(numbers[i]) || (double)(float)numbers[i] != numbers[i])
			return false;
		mantissas[i] = (uint64_t)ldexp(frexp(numbers[i], &exponents[i]), 24);
	}
	*factor = (struct factor){ mantissas[0] * mantissas[1], mantissas[2] * (uint64_t)divisor,
		exponents[0] + exponents[1] - exponents[2] - 24 };
	return true;
}

static double factor_number(const struct factor *f)
{
	return ldexp((double)f->numerator / (double)f->denominator, f->exponent);
}

/* The factor as an integer of BITS bits times 2^-*shift, rounded down. */
static int64_t multiplier_of(const struct factor *f, int bits, int *shift)
{
	/* The quotient has 60 bits or more. */
	const int up = 62;
	const wide quotient = ((wide)f->numerator << up) / (wide)f->denominator;
	int length = 0;

	while (quotient >> length)
		length++;
	int drop = length - bits;
	*shift = up - f->exponent - drop;
	if (*shift > 62) {               /* of a shift that is too long, digits */
		drop += *shift - 62;
		*shift = 62;
	}
	return drop > 120 ? 0 : (int64_t)(quotient >> drop);
}

static int64_t rounded(int64_t t, int shift)
{
	return (t + (INT64_C(1) << (shift - 1)) - 1 + ((t >> shift) & 1)) >> shift;
}

/* As the loops compute it. */
static int64_t computed(int64_t t, int shift, int snap)
{
	return rounded(snap ? (t + (INT64_C(1) << (snap - 1))) >> snap : t, shift);
}

static int64_t limited(int64_t x, int bits)
{
	const int64_t limit = (INT64_C(1) << bits) - 1;

	return !bits ? x : x < -limit ? -limit : x > limit ? limit : x;
}

static wide floor_quotient(wide a, wide b)
{
	return a / b - (a % b < 0);
}

/* Is it exact on both sides of n + 1/2, for each N from LOW to HIGH - 1?  Both what is computed and what is
 * meant grow with x, so all others follow. */
static bool is_exact(const struct factor *f, const struct requantization *r, int64_t c, int64_t low, int64_t high,
	int64_t bound)
{
	const int up = -f->exponent - 1;

	/* x * factor <= n + 1/2 if x * a <= (2 n + 1) * b. */
	if (up < -60)
		return false;
	const wide a = (wide)f->numerator << (up < 0 ? -up : 0);
	for (int64_t n = low; n < high; n++) {
		wide b = (wide)(2 * n + 1) * (wide)f->denominator;
		if (up > 50 && (b < 0 ? -b : b) >> (120 - (up < 119 ? up : 119)))
			continue;                /* no x comes there */
		b = up > 0 ? b * ((wide)1 << up) : b;
		const wide last = floor_quotient(b, a);
		for (wide x = last - 1; x <= last + 1; x++) {
			if (x < -bound || x > bound)
				continue;
			const bool is_tie = x * a == b;
			const bool is_below = is_tie ? n % 2 == 0 : x <= last;
			if ((computed(limited((int64_t)x, r->limit_bits) * r->multipliers[c], r->shifts[c], r->snap) <= n) !=
			    is_below)
				return false;
		}
	}
	return true;
}

/* 2^bits is more than any x that matters: at most BOUND, and what gets from LOW to HIGH. */
static int bits_of_x(const struct factor *factors, int64_t count, int64_t low, int64_t high, int64_t bound)
{
	const double most = fmax(fabs((double)low), fabs((double)high)) + 1;
	int bits = 1;

	for (int64_t c = 0; c < count; c++)
		while (INT64_C(1) << bits <= bound && ldexp(1, bits) <= most / factor_number(&factors[c]) + 2)
			bits++;
	return bits;
}

/* Multipliers of BITS bits.  Between the nearest x on both sides of all ties, those that are exact are an
 * interval around the factor: if there is one at all, it is the next below or above it. */
static bool try(const struct factor *factors, int64_t low, int64_t high, int64_t bound, int bits,
	struct requantization *r)
{
	for (int64_t c = 0; c < r->count; c++) {
		r->multipliers[c] = multiplier_of(&factors[c], bits, &r->shifts[c]);
		r->shifts[c] -= r->snap;
		if (r->shifts[c] < 1)
			return false;
		if (is_exact(&factors[c], r, c, low, high, bound))
			continue;
		if (!((r->multipliers[c] + 1) >> bits))
			r->multipliers[c]++;
		if (!is_exact(&factors[c], r, c, low, high, bound))
			return false;
	}
	return true;
}

bool requantization_find(struct arena *arena, const struct factor *factors, int64_t count, int64_t low,
	int64_t high, int64_t bound, struct requantization *r)
{
	const int x_bits = bits_of_x(factors, count, low, high, bound);

	*r = (struct requantization){ .count = count, .multipliers = ARENA_ARRAY(arena, int64_t, count),
		.shifts = ARENA_ARRAY(arena, int, count) };
	/* With 31 bits, x may be any of 32; with more, it is cut first. */
	for (int is_long = 0; is_long < 2; is_long++)
		for (int snaps = 0; snaps < 2; snaps++) {
			r->limit_bits = is_long ? x_bits : 0;
			r->snap = snaps ? x_bits + 1 : 0;
			if (try(factors, low, high, bound, is_long ? 61 - x_bits : 31, r))
				return true;
		}
	return false;
}

/* a * A + b * B as a fraction. */
struct sum {
	wide parts[2], denominator;
};

static bool sum_find(const struct factor factors[2], struct sum *sum)
{
	const int least = factors[0].exponent < factors[1].exponent ? factors[0].exponent : factors[1].exponent;

	/* The denominators are equal, as it is one scale. */
	sum->denominator = (wide)factors[0].denominator;
	if (factors[0].denominator != factors[1].denominator || least < -90)
		return false;
	for (int i = 0; i < 2; i++) {
		const int up = factors[i].exponent - (least < 0 ? least : 0);
		if (up > 50)
			return false;
		sum->parts[i] = (wide)factors[i].numerator << up;
	}
	if (least < 0)
		sum->denominator <<= -least;
	return true;
}

static int64_t exact(const struct sum *sum, int64_t a, int64_t b)
{
	const wide n = a * sum->parts[0] + b * sum->parts[1];
	const wide whole = floor_quotient(n, sum->denominator), rest = n - whole * sum->denominator;
	const wide twice = 2 * rest - sum->denominator;

	return (int64_t)(whole + (twice > 0 || (twice == 0 && whole % 2 != 0)));
}

static bool sum_is_exact(const struct sum *sum, const int64_t lows[2], const int64_t highs[2],
	const struct requantization *r)
{
	for (int64_t a = lows[0]; a <= highs[0]; a++)
		for (int64_t b = lows[1]; b <= highs[1]; b++)
			if (computed(a * r->multipliers[0] + b * r->multipliers[1], r->shifts[0], r->snap) != exact(sum, a, b))
				return false;
	return true;
}

bool requantization_find_sum(struct arena *arena, const struct factor factors[2], const int64_t lows[2],
	const int64_t highs[2], struct requantization *r)
{
	struct sum sum;

	*r = (struct requantization){ .count = 2, .multipliers = ARENA_ARRAY(arena, int64_t, 2),
		.shifts = ARENA_ARRAY(arena, int, 2) };
	if (!sum_find(factors, &sum))
		return false;
	/* Sums of two numbers of 10 bits have 11. */
	for (r->snap = 0; r->snap <= 12; r->snap += 12) {
		int least;
		const int greater = factor_number(&factors[1]) > factor_number(&factors[0]);
		r->multipliers[greater] = multiplier_of(&factors[greater], 50, &least);
		if (least - r->snap < 1 || least - r->snap > 62)
			return false;
		r->multipliers[!greater] = (int64_t)llrint(ldexp(factor_number(&factors[!greater]), least));
		r->shifts[0] = r->shifts[1] = least - r->snap;
		if (sum_is_exact(&sum, lows, highs, r))
			return true;
	}
	return false;
}
