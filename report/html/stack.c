/* SPDX-License-Identifier: MIT */
#include "report/html/stack.h"

static const char *const cause_classes[] = {
	[IDLE_PROGRAM] = "idle-program",
	[IDLE_AFTER_WAIT] = "idle-after-waiting",
	[IDLE_CALL] = "idle-call",
	[IDLE_FIRST_LAUNCH] = "idle-first-launch",
	[IDLE_LATENCY] = "idle-latency",
	[IDLE_DEPENDENCY] = "idle-dependency",
	[IDLE_GRAPH] = "idle-graph",
	[IDLE_SHORT] = "idle-short",
	[IDLE_UNRESOLVED] = "idle-unresolved",
};

const char *stack_cause_class(unsigned cause)
{
	return cause_classes[cause < IDLE_CAUSE_COUNT ? cause : IDLE_UNRESOLVED];
}

void stack_swatch(struct html *html, const char *class)
{
	fprintf(html->file,
		"<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"%s\" width=\"100%%\" "
		"height=\"100%%\"/></svg> ",
		class);
}

void stack_part(struct html *html, const char *class, const char *text, double at, double length)
{
	fprintf(html->file,
		"<rect class=\"%s\" x=\"%.3f%%\" width=\"%.3f%%\" height=\"100%%\"><title>", class,
		at, length);
	html_text(html, text);
	fprintf(html->file, ": %.1f %%</title></rect>\n", length);
}
