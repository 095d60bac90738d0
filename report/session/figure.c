/* SPDX-License-Identifier: MIT */
#include "report/session/figure.h"

#include <math.h>
#include <string.h>

uint64_t figure_unsigned(const struct figure *figure, const void *structure)
{
	const void *member = (const char *)structure + figure->offset;

	return figure->type == FIGURE_U32 ? *(const uint32_t *)member : *(const uint64_t *)member;
}

double figure_value(const struct figure *figure, const void *structure)
{
	const void *member = (const char *)structure + figure->offset;

	return figure->type == FIGURE_REAL ? *(const double *)member
					   : (double)figure_unsigned(figure, structure);
}

void figure_set(double *figure, uint32_t *known, enum figure_known bit, double value)
{
	if (isnan(value)) {
		*known &= ~(uint32_t)bit;
		*figure = 0;
		return;
	}
	*figure = value;
	/* Release: who reads meanwhile sees the value behind its bit. */
	__atomic_store_n(known, *known | bit, __ATOMIC_RELEASE);
}

double figure_get(double figure, uint32_t known, enum figure_known bit)
{
	return known & bit ? figure : NAN;
}

/* By a rule, of values of one type; what has a rule of its own stays. */
#define MERGED(rule, to, from)                                                                     \
	((rule) == MERGE_SUM	 ? (to) + (from)                                                   \
	 : (rule) == MERGE_LEAST ? ((from) < (to) ? (from) : (to))                                 \
	 : (rule) == MERGE_MOST	 ? ((from) > (to) ? (from) : (to))                                 \
	 : (rule) == MERGE_LATER ? (from)                                                          \
	 : (rule) == MERGE_ANY	 ? (to) > 0 || (from) > 0                                          \
				 : (to))
#define LEFT(now, before) ((now) > (before) ? (now) - (before) : 0)

static void put(const struct figure *figure, void *structure, uint64_t value)
{
	void *member = (char *)structure + figure->offset;

	if (figure->type == FIGURE_U32)
		*(uint32_t *)member = (uint32_t)value;
	else
		*(uint64_t *)member = value;
}

void figures_merge(const struct figure_table *table, void *to, const void *from)
{
	for (const struct figure *figure = table->figures; figure < table->figures + table->count;
	     figure++) {
		double *sum = (double *)((char *)to + figure->offset);

		if (figure->merge == MERGE_OWN || !figure_is_known(figure, from))
			continue;
		if (!figure_is_known(figure, to)) {
			memcpy(sum, (const char *)from + figure->offset, figure->size);
			*(uint32_t *)((char *)to + figure->mask) |= figure->known;
		} else if (figure->type == FIGURE_REAL) {
			*sum = MERGED(figure->merge, *sum, figure_value(figure, from));
		} else {
			put(figure, to,
			    MERGED(figure->merge, figure_unsigned(figure, to),
				   figure_unsigned(figure, from)));
		}
	}
}

void figures_subtract(const struct figure_table *table, void *now, const void *before)
{
	for (const struct figure *figure = table->figures; figure < table->figures + table->count;
	     figure++) {
		double *left = (double *)((char *)now + figure->offset);

		if (figure->difference != DIFFERENCE_SUBTRACT)
			continue;
		if (figure->type == FIGURE_REAL)
			*left = LEFT(*left, figure_value(figure, before));
		else
			put(figure, now,
			    LEFT(figure_unsigned(figure, now), figure_unsigned(figure, before)));
	}
}
