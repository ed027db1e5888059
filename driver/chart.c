#include "driver/chart.h"

#include <math.h>

enum { WIDTH = 800, HEIGHT = 500, LEFT = 90, RIGHT = 20, TOP = 40, BOTTOM = 60, MOST_TICKS = 12 };

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

/* "4 KiB": doublings have such names. */
static void print_bytes(FILE *out, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;
	while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
		bytes /= 1024;
		unit++;
	}
	fprintf(out, "%.6g %s", bytes, units[unit]);
}

static void print_ticks(FILE *out, const struct axis *x, const struct axis *y)
{
	for (double t = x->low; t <= x->high; t += x->step) {
		double at = place(x, exp2(t));
		fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", at, TOP,
			at, HEIGHT - BOTTOM);
		fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", at, HEIGHT - BOTTOM + 18);
		print_bytes(out, exp2(t));
		fputs("</text>\n", out);
	}
	for (double t = y->low; t <= y->high; t += y->step) {
		double at = place(y, exp2(t));
		fprintf(out, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", LEFT, at,
			WIDTH - RIGHT, at);
		fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, at + 4);
		print_bytes(out, exp2(t));
		fputs("</text>\n", out);
	}
}

static bool is_hidden(const struct chart_curve *curve, double x)
{
	for (int g = 0; g < curve->gap_count; g++)
		if (curve->gaps[g][0] <= x && x <= curve->gaps[g][1])
			return true;
	return false;
}

/* What is known from FROM to TO, where the curve is level. */
static void print_level(FILE *out, const struct chart_curve *curve, double from, double to,
	double level, const char *style, const struct axis *x, const struct axis *y)
{
	double at = from;
	while (at < to) {
		double end = to, next = to;
		for (int g = 0; g < curve->gap_count; g++)
			if (curve->gaps[g][1] > at && curve->gaps[g][0] < end) {
				end = fmax(at, curve->gaps[g][0]);
				next = fmin(to, curve->gaps[g][1]);
			}
		if (end > at)
			fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", place(x, at),
				place(y, level), place(x, end), place(y, level), style);
		at = next;
	}
}

/* Level from point to point, and down where nothing is unknown just before. */
static void print_steps(FILE *out, const struct chart_curve *curve, const char *style,
	const struct axis *x, const struct axis *y)
{
	for (int i = 0; i + 1 < curve->count; i++) {
		double to = curve->x[i + 1];
		print_level(out, curve, curve->x[i], to, curve->y[i], style, x, y);
		if (!is_hidden(curve, to - 1))
			fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n",
				place(x, to), place(y, curve->y[i]), place(x, to), place(y, curve->y[i + 1]), style);
	}
}

static void print_line(FILE *out, const struct chart_curve *curve, const char *style,
	const struct axis *x, const struct axis *y)
{
	fprintf(out, "<polyline fill=\"none\" %s points=\"", style);
	for (int i = 0; i < curve->count; i++)
		fprintf(out, "%.1f,%.1f ", place(x, curve->x[i]), place(y, curve->y[i]));
	fputs("\"/>\n", out);
}

static void print_curve(FILE *out, const struct chart_curve *curve, const char *colour,
	const struct axis *x, const struct axis *y)
{
	char style[100];
	snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.5\"%s", colour,
		curve->has_points ? "" : " stroke-dasharray=\"6 4\"");
	if (curve->is_stepped)
		print_steps(out, curve, style, x, y);
	else
		print_line(out, curve, style, x, y);
	for (int i = 0; i < curve->count && curve->has_points; i++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" stroke=\"%s\" fill=\"%s\"/>\n",
			place(x, curve->x[i]), place(y, curve->y[i]), colour,
			curve->is_open && curve->is_open[i] ? "white" : colour);
}

static bool has_open(const struct chart_curve *curves, int count)
{
	for (int c = 0; c < count; c++)
		for (int i = 0; i < curves[c].count && curves[c].is_open; i++)
			if (curves[c].is_open[i])
				return true;
	return false;
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
	if (has_open(curves, count)) {
		int y = TOP + 20 + 18 * count;
		fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" stroke=\"black\" fill=\"white\"/>\n"
			"<text x=\"%d\" y=\"%d\">not proved</text>\n", WIDTH - RIGHT - 175, y - 4,
			WIDTH - RIGHT - 152, y);
	}
}

bool chart_print(FILE *out, const char *title, const char *x_label, const char *y_label,
	const struct chart_curve *curves, int count)
{
	struct axis x = axis_of(curves, count, true, LEFT, WIDTH - RIGHT);
	struct axis y = axis_of(curves, count, false, HEIGHT - BOTTOM, TOP);
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
		"<style>.grid { stroke: #dddddd }</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
	fprintf(out, "<text x=\"%d\" y=\"22\" text-anchor=\"middle\" font-size=\"14\">",
		(LEFT + WIDTH - RIGHT) / 2);
	print_text(out, title);
	fputs("</text>\n", out);
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
