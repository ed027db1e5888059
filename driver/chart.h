#ifndef DRIVER_CHART_H
#define DRIVER_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "support/arena.h"

/* A chart of curves over two logarithmic axes of bytes, as SVG.  The same data make the same
 * bytes. */
struct chart_curve {
	const char *title;
	bool has_points;             /* else a broken line without marks */
	bool is_stepped;             /* holds its value until the next point */
	int count;
	const double *x, *y;         /* bytes, > 0; x rises */
	const bool *is_open;         /* a mark that is a ring: what is there is not proved; NULL: none */
	int gap_count;               /* ranges of x that nothing is known of: no line is drawn there */
	const double (*gaps)[2];
};

/* Text is plain; what would be markup is escaped.  False if OUT fails. */
bool chart_print(FILE *out, const char *title, const char *x_label, const char *y_label,
	const struct chart_curve *curves, int curve_count);

#endif
