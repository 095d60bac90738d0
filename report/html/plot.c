/* SPDX-License-Identifier: MIT */
#include "report/html/plot.h"

#include <math.h>

#include "report/session/estimate.h"

/* Lines of an axis, about. Chosen: more would be read by nobody. */
#define LINES	   4
#define LINES_MOST 16
/* Where the texts of the x axis stand, in pixels below the other one. */
#define TEXTS_AT   16

double axis_percent(const struct axis *axis, double value)
{
	double part = axis->log ? (log10(value) - log10(axis->low)) /
					  (log10(axis->high) - log10(axis->low))
				: (value - axis->low) / (axis->high - axis->low);

	return part > 0 ? part < 1 ? 100 * part : 100 : 0;
}

double axis_pixel(const struct axis *axis, double value)
{
	return axis->pixels * (1 - axis_percent(axis, value) / 100);
}

/* 1, 2 or 5, times a power of ten: the least that is no less. */
static double round_step(double least)
{
	double power = pow(10, floor(log10(least)));

	return least <= power	    ? power
	       : least <= 2 * power ? 2 * power
	       : least <= 5 * power ? 5 * power
				    : 10 * power;
}

/* Fills in the axis's round values, of which there are `count`. */
static unsigned axis_lines(const struct axis *axis, double values[LINES_MOST])
{
	double unit = 1, step, value;
	unsigned count = 0;

	if (!(axis->high > axis->low))
		return 0;
	if (axis->log) {
		for (value = pow(10, ceil(log10(axis->low) - 1e-9));
		     value <= axis->high * (1 + 1e-9) && count < LINES_MOST; value *= 10)
			values[count++] = value;
		return count;
	}
	while (axis->bytes && axis->high / unit >= 1024)
		unit *= 1024;
	step = unit * round_step((axis->high - axis->low) / unit / LINES);
	if (axis->whole && (step < 1 || axis->high - axis->low < LINES_MOST))
		step = 1;
	for (value = ceil((axis->low + axis->margin) / step) * step;
	     value <= axis->high && count < LINES_MOST; value += step)
		values[count++] = value;
	return count;
}

void plot_begin(struct html *html, const struct axis *x, const struct axis *y, const char *label)
{
	double values[LINES_MOST];
	char text[NUMBER_SIZE];
	unsigned count;

	fprintf(html->file, "<svg class=\"plot\" role=\"img\" height=\"%u\" aria-label=\"",
		y->pixels + TEXTS_AT + 6);
	html_text(html, label);
	fputs("\">\n<g class=\"lines-of-plot\">", html->file);
	count = axis_lines(y, values);
	for (unsigned i = 0; i < count; i++) {
		double at = axis_pixel(y, values[i]);

		fprintf(html->file, "<line x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", at, at);
	}
	count = axis_lines(x, values);
	for (unsigned i = 0; i < count; i++) {
		double at = axis_percent(x, values[i]);

		fprintf(html->file, "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y2=\"%u\"/>", at, at,
			y->pixels);
		fprintf(html->file, "<text x=\"%.2f%%\" y=\"%u\"%s>%s</text>", at,
			y->pixels + TEXTS_AT,
			at < 3	  ? ""
			: at > 94 ? " text-anchor=\"end\""
				  : " text-anchor=\"middle\"",
			x->text(text, values[i]));
	}
	fprintf(html->file, "</g>\n<svg width=\"100%%\" height=\"%u\">", y->pixels);
}

void plot_end(struct html *html, const struct axis *y)
{
	double values[LINES_MOST];
	char text[NUMBER_SIZE];
	unsigned count = axis_lines(y, values);

	/* Above what was drawn. */
	fputs("</svg>\n<g class=\"lines-of-plot\">", html->file);
	for (unsigned i = 0; i < count; i++) {
		double at = axis_pixel(y, values[i]);

		/* The first line's text would stand on those below, the last one's above the
		 * picture. */
		if (at > 12 && at < y->pixels)
			fprintf(html->file, "<text x=\"4\" y=\"%.1f\">%s</text>", at - 3,
				y->text(text, values[i]));
	}
	fputs("</g></svg>\n", html->file);
}

const char *plot_time_text(char text[NUMBER_SIZE], double value)
{
	return value > 0 ? number_about(text, value, 3) : "0";
}

const char *plot_bytes_text(char text[NUMBER_SIZE], double value)
{
	return number_bytes_about(text, to_unsigned(value));
}

const char *plot_number_text(char text[NUMBER_SIZE], double value)
{
	snprintf(text, NUMBER_SIZE, "%g", value + 0.0);
	return text;
}
