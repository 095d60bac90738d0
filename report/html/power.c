/* SPDX-License-Identifier: MIT */
/* The power and the SM clock of each device over the run. */
#include <math.h>

#include "report/energy/energy.h"
#include "report/html/plot.h"
#include "report/html/section.h"

static const char *watts_text(char text[NUMBER_SIZE], double value)
{
	snprintf(text, NUMBER_SIZE, "%.4g W", value);
	return text;
}

static const char *megahertz_text(char text[NUMBER_SIZE], double value)
{
	snprintf(text, NUMBER_SIZE, "%.4g MHz", value);
	return text;
}

static const struct drawn {
	const char *name;
	double (*of_step)(const struct energy_step *step);
	const char *(*text)(char text[NUMBER_SIZE], double value);
} drawn[] = {
	{"Power", energy_step_watts, watts_text},
	{"SM clock", energy_step_sm_mhz, megahertz_text},
};

/* The area below each step; none below what is not known. */
static void write_area(struct html *html, const struct drawn *drawn,
		       const struct energy_curve *curve, unsigned count, const struct axis *y)
{
	fprintf(html->file,
		"<svg width=\"100%%\" height=\"%d\" viewBox=\"0 0 %u %d\" "
		"preserveAspectRatio=\"none\"><path class=\"area\" d=\"M0 %d",
		PLOT_HEIGHT, count, PLOT_HEIGHT, PLOT_HEIGHT);
	for (unsigned i = 0; i < count; i++) {
		double value = drawn->of_step(&curve->steps[i]);

		fprintf(html->file, "V%.0fH%u", axis_pixel(y, isnan(value) ? 0 : value), i + 1);
	}
	fprintf(html->file, "V%dz\"/></svg>", PLOT_HEIGHT);
}

static void write_drawn(struct html *html, const struct drawn *drawn,
			const struct energy_curve *curve, unsigned count, int device)
{
	const struct axis x = {.high = (double)count * (double)curve->length,
			       .text = plot_time_text};
	struct axis y = {.pixels = PLOT_HEIGHT, .text = drawn->text};
	char label[96], text[NUMBER_SIZE], step[NUMBER_SIZE];
	double most = 0;

	for (unsigned i = 0; i < count; i++)
		most = fmax(most, drawn->of_step(&curve->steps[i]));
	/* A damaged file may hold anything. */
	if (!(most > 0) || !isfinite(most))
		return;
	y.high = 1.15 * most;
	snprintf(label, sizeof(label), "%s of GPU %d over time, at most %s", drawn->name, device,
		 drawn->text(text, most));
	fputs("<figure class=\"wide\">\n", html->file);
	plot_begin(html, &x, &y, label);
	write_area(html, drawn, curve, count, &y);
	plot_end(html, &y);
	fprintf(html->file,
		"<figcaption>%s, in steps of %s from the start of CUDA on</figcaption>\n"
		"</figure>\n",
		label, plot_time_text(step, (double)curve->length));
}

void power_write(struct page *page)
{
	for (int device = 0; device < SESSION_DEVICES; device++) {
		const struct energy_curve *curve = energy_curve_of(page->session, device);
		unsigned count = curve ? energy_curve_steps(curve) : 0;

		/* One step is a figure of the table. */
		if (count < 2 || !session_header(page->session)->devices[device].used ||
		    !(page->options->devices >> device & 1))
			continue;
		for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++)
			write_drawn(&page->html, &drawn[i], curve, count, device);
	}
}
