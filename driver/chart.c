#include "driver/chart.h"

#include <math.h>

enum { WIDTH = 800, HEIGHT = 500, LEFT = 90, RIGHT = 20, TOP = 20, BOTTOM = 60, MOST_TICKS = 12 };

static const char *const colours[] = {
	"#1b6ca8", "#c0392b", "#27823f", "#7d3c98", "#b9770e", "#444444"
};

enum { COLOUR_COUNT = sizeof colours / sizeof *colours };

/* Whole doublings from LOW to HIGH are FIRST to LAST times the unit. */
struct axis {
	double low, high;            /* log2 */
	int step;                    /* doublings between two ticks */
	double from, to;             /* pixels */
};

static void print_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else
			putc(*text, out);
}

/* The axis that holds all values of the curves; IS_X: their x. */
static struct axis axis_of(const struct chart_curve *curves, int count, bool is_x, double from,
	double to)
{
	struct axis axis = { .low = INFINITY, .high = -INFINITY, .from = from, .to = to };
	for (int c = 0; c < count; c++)
		for (int i = 0; i < curves[c].count; i++) {
			double value = log2(is_x ? curves[c].x[i] : curves[c].y[i]);
			axis.low = fmin(axis.low, value);
			axis.high = fmax(axis.high, value);
		}
	if (axis.low > axis.high)
		axis.low = axis.high = 0;
	axis.low = floor(axis.low);
	axis.high = fmax(ceil(axis.high), axis.low + 1);
	axis.step = (int)((axis.high - axis.low) / MOST_TICKS) + 1;
	return axis;
}

static double place(const struct axis *axis, double value)
{
	return axis->from + (log2(value) - axis->low) / (axis->high - axis->low) *
		(axis->to - axis->from);
}

static void print_ticks(FILE *out, const struct axis *x, const struct axis *y)
{
	for (double t = x->low; t <= x->high; t += x->step) {
		double at = place(x, exp2(t));
		fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", at, TOP,
			at, HEIGHT - BOTTOM);
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n", at,
			HEIGHT - BOTTOM + 18, exp2(t));
	}
	for (double t = y->low; t <= y->high; t += y->step) {
		double at = place(y, exp2(t));
		fprintf(out, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, at,
			WIDTH - RIGHT, at);
		fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 8, at + 4,
			exp2(t));
	}
}

static void print_curve(FILE *out, const struct chart_curve *curve, const char *colour,
	const struct axis *x, const struct axis *y)
{
	fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s points=\"", colour,
		curve->has_points ? "" : " stroke-dasharray=\"6 4\"");
	for (int i = 0; i < curve->count; i++) {
		double across = place(x, curve->x[i]), up = place(y, curve->y[i]);
		if (curve->is_stepped && i > 0)
			fprintf(out, "%.1f,%.1f ", across, place(y, curve->y[i - 1]));
		fprintf(out, "%.1f,%.1f ", across, up);
	}
	fputs("\"/>\n", out);
	for (int i = 0; i < curve->count && curve->has_points; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", place(x, curve->x[i]),
			place(y, curve->y[i]), colour);
}

static void print_legend(FILE *out, const struct chart_curve *curves, int count)
{
	for (int c = 0; c < count; c++) {
		int y = TOP + 20 + 18 * c;
		fprintf(out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n",
			WIDTH - RIGHT - 190, y - 4, WIDTH - RIGHT - 160, y - 4, colours[c % COLOUR_COUNT],
			curves[c].has_points ? "" : " stroke-dasharray=\"6 4\"");
		fprintf(out, "<text x=\"%d\" y=\"%d\">", WIDTH - RIGHT - 152, y);
		print_text(out, curves[c].title);
		fputs("</text>\n", out);
	}
}

bool chart_print(FILE *out, const char *x_label, const char *y_label,
	const struct chart_curve *curves, int count)
{
	struct axis x = axis_of(curves, count, true, LEFT, WIDTH - RIGHT);
	struct axis y = axis_of(curves, count, false, HEIGHT - BOTTOM, TOP);
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<style>.grid { stroke: #dddddd }</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
	print_ticks(out, &x, &y);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
		HEIGHT - 16);
	print_text(out, x_label);
	fprintf(out, "</text>\n<text transform=\"translate(22 %d) rotate(-90)\" text-anchor=\"middle\">",
		(TOP + HEIGHT - BOTTOM) / 2);
	print_text(out, y_label);
	fputs("</text>\n", out);
	for (int c = 0; c < count; c++)
		print_curve(out, &curves[c], colours[c % COLOUR_COUNT], &x, &y);
	print_legend(out, curves, count);
	fputs("</svg>\n", out);
	return !ferror(out);
}
