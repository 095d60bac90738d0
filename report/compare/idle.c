/* SPDX-License-Identifier: MIT */
#include "report/compare/idle.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_changes(const void *left, const void *right)
{
	const struct idle_change *x = left, *y = right;

	return IN_ORDER(fabs(y->b - y->a), fabs(x->b - x->a))
		       ?: IN_ORDER(y->a, x->a) ?: strcmp(x->cause, y->cause);
}

/* The change of a cause; added where it is not there, for which there is room. */
static struct idle_change *change_of(struct idle_changes *idle, const char *cause)
{
	struct idle_change *change = idle->changes;

	for (; change < idle->changes + idle->count; change++)
		if (!strcmp(change->cause, cause))
			return change;
	idle->count++;
	*change = (struct idle_change){.cause = cause};
	return change;
}

static void add_side(struct idle_changes *idle, const struct profile *side, bool is_b)
{
	const double runs = (double)side->runs;

	entries_for_each (const struct profile_idle, side->idle, cause) {
		struct idle_change *change = change_of(idle, cause->entry.text);

		*(is_b ? &change->b : &change->a) = cause->total / runs;
		*(is_b ? &idle->b : &idle->a) += cause->total / runs;
		change->gaps[is_b] = cause->gaps;
		change->gaps[is_b].count /= runs;
	}
}

int idle_compare(struct idle_changes *idle, const struct profile *a, const struct profile *b)
{
	*idle = (struct idle_changes){.known = a->runs > 0 && b->runs > 0 &&
					       a->idle_runs == a->runs && b->idle_runs == b->runs};
	if (!idle->known)
		return 0;
	idle->changes =
		calloc(HASH_COUNT(a->idle) + HASH_COUNT(b->idle) + 1, sizeof(*idle->changes));
	if (!idle->changes)
		return -ENOMEM;
	add_side(idle, a, false);
	add_side(idle, b, true);
	qsort(idle->changes, idle->count, sizeof(*idle->changes), compare_changes);
	return 0;
}

void idle_free(struct idle_changes *idle)
{
	free(idle->changes);
	*idle = (struct idle_changes){0};
}

/* The cause that has most of the change; NULL: none changed to that side. */
static const struct idle_change *most_of(const struct idle_changes *idle)
{
	for (size_t i = 0; i < idle->count; i++)
		if ((idle->changes[i].b - idle->changes[i].a) * (idle->b - idle->a) > 0)
			return &idle->changes[i];
	return NULL;
}

bool idle_knows_gaps(const struct idle_change *change)
{
	return change->gaps[0].longest > 0 && change->gaps[1].longest > 0;
}

bool idle_print(const struct idle_changes *idle, double threshold, FILE *file)
{
	const struct idle_change *most = most_of(idle);
	char a[NUMBER_SIZE], b[NUMBER_SIZE];

	if (!most || !(fabs(log(idle->b / idle->a)) > log1p(threshold)))
		return false;
	fprintf(file,
		"GPU idle: %s in A, %s in B; most of the difference: ", number_about(a, idle->a, 3),
		number_about(b, idle->b, 3));
	fprintf(file, "%s, %s -> %s.\n", most->cause, number_about(a, most->a, 3),
		number_about(b, most->b, 3));
	return true;
}

static void add_gaps(struct json *json, const char *name, const struct idle_gaps *gaps)
{
	if (!(gaps->longest > 0))
		return;
	json_object(json, name);
	json_real(json, "count", gaps->count);
	json_real(json, "longest_ns", gaps->longest);
	json_text(json, "before", gaps->before);
	json_text(json, "after", gaps->after);
	json_end(json);
}

void idle_add_json(const struct idle_changes *idle, struct json *json)
{
	if (!idle->known) {
		json_null(json, "idle");
		return;
	}
	json_object(json, "idle");
	json_real(json, "a_ns", idle->a);
	json_real(json, "b_ns", idle->b);
	json_array(json, "causes");
	for (size_t i = 0; i < idle->count; i++) {
		json_object(json, NULL);
		json_text(json, "cause", idle->changes[i].cause);
		json_real(json, "a_ns", idle->changes[i].a);
		json_real(json, "b_ns", idle->changes[i].b);
		for (int side = 0; side < 2; side++)
			add_gaps(json, side ? "b_gaps" : "a_gaps", &idle->changes[i].gaps[side]);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

void idle_write_figure(const struct idle_changes *idle, struct html *html)
{
	const struct idle_change *most = most_of(idle);
	char a[NUMBER_SIZE], b[NUMBER_SIZE], value[2 * NUMBER_SIZE + 8], note[256] = "";

	if (!idle->known)
		return;
	snprintf(value, sizeof(value), "%s → %s", number_about(a, idle->a, 3),
		 number_about(b, idle->b, 3));
	if (most)
		snprintf(note, sizeof(note), "most of it: %.128s, %s → %s", most->cause,
			 number_about(a, most->a, 3), number_about(b, most->b, 3));
	html_fact(html, "GPU idle", "value", value, note);
}

/* How many gaps there are on both sides, and how long the longest is. */
static void write_gaps(const struct idle_change *cause, struct html *html)
{
	char text[NUMBER_SIZE];

	for (int i = 0; i < 4; i++) {
		const struct idle_gaps *gaps = &cause->gaps[i % 2];
		const double value = i < 2 ? gaps->count : gaps->longest;

		snprintf(text, sizeof(text), "%.9g", value);
		if (i >= 2)
			number_about(text, value, 3);
		html_number(html, value > 0 ? value : -1, value > 0 ? text : "-");
	}
}

static void write_row(const struct idle_change *cause, bool gaps, struct html *html)
{
	const double change = 100 * (cause->b / cause->a - 1);
	char text[NUMBER_SIZE];

	fputs("<tr><th scope=\"row\">", html->file);
	html_text(html, cause->cause);
	fputs("</th>", html->file);
	html_number(html, cause->a, number_about(text, cause->a, 3));
	html_number(html, cause->b, number_about(text, cause->b, 3));
	snprintf(text, sizeof(text), "%+.1f %%", change);
	/* What A has none of comes behind whatever a change can be. */
	html_number(html, cause->a > 0 ? change : -1000, cause->a > 0 ? text : "-");
	if (gaps)
		write_gaps(cause, html);
	fputs("</tr>\n", html->file);
}

void idle_write_section(const struct idle_changes *idle, struct html *html)
{
	bool gaps = false;

	if (!idle->count)
		return;
	for (size_t i = 0; i < idle->count; i++)
		gaps |= idle_knows_gaps(&idle->changes[i]);
	fputs("<section id=\"idle\" aria-labelledby=\"idle-title\">\n<h2 id=\"idle-title\">Why the "
	      "GPU was idle</h2>\n",
	      html->file);
	html_table_begin(html, "idle-table", "sortable",
			 "Idle time of a run, between the first operation and the last, by cause; "
			 "those that differ most come first",
			 gaps ? "Cause|#A|#B|#Change|#Gaps A|#Gaps B|#Longest A|#Longest B"
			      : "Cause|#A|#B|#Change");
	for (size_t i = 0; i < idle->count; i++)
		write_row(&idle->changes[i], gaps, html);
	html_table_end(html);
	fputs("</section>\n", html->file);
}
