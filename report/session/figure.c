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
	*figure = isnan(value) ? 0 : value;
	*known = isnan(value) ? *known & ~(uint32_t)bit : *known | bit;
}

double figure_get(double figure, uint32_t known, enum figure_known bit)
{
	return known & bit ? figure : NAN;
}

#define MERGE_BY(rule, to, from)                                                                   \
	do {                                                                                       \
		switch (rule) {                                                                    \
		case MERGE_SUM:                                                                    \
			*(to) += *(from);                                                          \
			break;                                                                     \
		case MERGE_LEAST:                                                                  \
			if (*(from) < *(to))                                                       \
				*(to) = *(from);                                                   \
			break;                                                                     \
		case MERGE_MOST:                                                                   \
			if (*(from) > *(to))                                                       \
				*(to) = *(from);                                                   \
			break;                                                                     \
		case MERGE_LATER:                                                                  \
			*(to) = *(from);                                                           \
			break;                                                                     \
		case MERGE_ANY:                                                                    \
			*(to) = *(to) > 0 || *(from) > 0;                                          \
			break;                                                                     \
		default:                                                                           \
			break;                                                                     \
		}                                                                                  \
	} while (0)

#define SUBTRACT(now, before) (*(now) = *(now) > *(before) ? *(now) - *(before) : 0)

void figures_merge(const struct figure_table *table, void *to, const void *from)
{
	for (const struct figure *figure = table->figures; figure < table->figures + table->count;
	     figure++) {
		void *sum = (char *)to + figure->offset;
		const void *added = (const char *)from + figure->offset;

		if (figure->merge == MERGE_OWN || !figure_is_known(figure, from))
			continue;
		if (!figure_is_known(figure, to)) {
			memcpy(sum, added, figure->size);
			*(uint32_t *)((char *)to + figure->mask) |= figure->known;
			continue;
		}
		switch (figure->type) {
		case FIGURE_U32:
			MERGE_BY(figure->merge, (uint32_t *)sum, (const uint32_t *)added);
			break;
		case FIGURE_U64:
		case FIGURE_TEXT:
			MERGE_BY(figure->merge, (uint64_t *)sum, (const uint64_t *)added);
			break;
		default:
			MERGE_BY(figure->merge, (double *)sum, (const double *)added);
			break;
		}
	}
}

void figures_subtract(const struct figure_table *table, void *now, const void *before)
{
	for (const struct figure *figure = table->figures; figure < table->figures + table->count;
	     figure++) {
		void *left = (char *)now + figure->offset;
		const void *taken = (const char *)before + figure->offset;

		if (figure->difference != DIFFERENCE_SUBTRACT)
			continue;
		switch (figure->type) {
		case FIGURE_U32:
			SUBTRACT((uint32_t *)left, (const uint32_t *)taken);
			break;
		case FIGURE_U64:
		case FIGURE_TEXT:
			SUBTRACT((uint64_t *)left, (const uint64_t *)taken);
			break;
		default:
			SUBTRACT((double *)left, (const double *)taken);
			break;
		}
	}
}
