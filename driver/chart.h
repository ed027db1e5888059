#ifndef DRIVER_CHART_H
#define DRIVER_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "support/arena.h"

/* A chart of curves over two logarithmic axes, as SVG.  The same data make the same bytes. */
struct chart_curve {
	const char *title;
	bool has_points;             /* else a broken line without marks */
	bool is_stepped;             /* holds its value until the next point */
	int count;
	const double *x, *y;         /* > 0; x rises */
};

/* Labels are plain text; what would be markup is escaped.  False if OUT fails. */
bool chart_print(FILE *out, const char *x_label, const char *y_label,
	const struct chart_curve *curves, int curve_count);

#endif
