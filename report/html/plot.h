/* SPDX-License-Identifier: MIT */
/* Pictures with two axes, as SVG that fits its width: lines at round values, with their texts, and
 * on them what the caller draws at places in percent. */
#ifndef KTIME_REPORT_HTML_PLOT_H
#define KTIME_REPORT_HTML_PLOT_H

#include "report/html/html.h"

/* Pixels, without the texts below. Chosen: tells shapes, and leaves room for the tables. */
#define PLOT_HEIGHT 160

struct axis {
	double low, high; /* log: above 0 */
	bool log;	  /* lines at powers of ten */
	bool bytes;	  /* lines at round numbers of KB, MB, … */
	bool whole;	  /* lines at whole numbers alone */
	double margin;	  /* from `low` on: no lines, and room for the texts of the other axis */
	unsigned pixels;  /* of a y axis: its length, as PLOT_HEIGHT */
	/* A value as it is written at its line. */
	const char *(*text)(char text[NUMBER_SIZE], double value);
};

/* Where a value is, in percent of the axis from its low end; what is outside is at the end. */
double axis_percent(const struct axis *axis, double value);
/* Where a value is on a y axis, in pixels from above. */
double axis_pixel(const struct axis *axis, double value);

/* Begins and ends a picture, whose name is `label`. Between them shapes are drawn in percent of the
 * width and height, y from above, by what writes SVG to `file`. */
void plot_begin(struct html *html, const struct axis *x, const struct axis *y, const char *label);
void plot_end(struct html *html, const struct axis *y);
/* Texts of axes: "40.0 ms" of ns, "160 MB" of bytes, "1000". */
const char *plot_time_text(char text[NUMBER_SIZE], double value);
const char *plot_bytes_text(char text[NUMBER_SIZE], double value);
const char *plot_number_text(char text[NUMBER_SIZE], double value);

#endif
