/* SPDX-License-Identifier: MIT */
/*
 * Figures: what a member of a stored structure is. Each structure of a profile has one table of
 * them, and from its lines come the structure's members, what is stored of them, and how two
 * profiles' are merged or subtracted from each other.
 */
#ifndef KTIME_REPORT_SESSION_FIGURE_H
#define KTIME_REPORT_SESSION_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types, as in a table's lines, and what they are in C. */
#define FIGURE_TYPES(X)                                                                            \
	X(U32, uint32_t)                                                                           \
	X(U64, uint64_t)                                                                           \
	X(REAL, double)                                                                            \
	X(TEXT, uint64_t) /* a string's offset in the profile */
#define FIGURE_TYPE_ENUM(type, c_type) FIGURE_##type,
#define FIGURE_TYPE_C(type, c_type)    typedef c_type figure_##type;
enum figure_type { FIGURE_TYPES(FIGURE_TYPE_ENUM) FIGURE_TYPE_COUNT };
FIGURE_TYPES(FIGURE_TYPE_C)
#undef FIGURE_TYPE_ENUM
#undef FIGURE_TYPE_C

enum figure_unit {
	FIGURE_UNIT_COUNT,
	FIGURE_UNIT_NS,
	FIGURE_UNIT_NS_SQUARED,
	FIGURE_UNIT_BYTES,
	FIGURE_UNIT_JOULES,
	FIGURE_UNIT_MHZ,
	FIGURE_UNIT_SUM
};

/* What the figure of two profiles together is. */
enum figure_merge {
	MERGE_SUM,
	MERGE_LEAST,
	MERGE_MOST,
	MERGE_LATER, /* the same in all of them, or that of the last */
	MERGE_ANY,   /* 1 if it is in one of them */
	MERGE_OWN    /* by a function of its own */
};

/* What it is between two profiles of one run. */
enum figure_difference {
	DIFFERENCE_SUBTRACT,
	DIFFERENCE_LATER, /* it is the run's */
	DIFFERENCE_OWN	  /* by a function of its own */
};

/* Where outputs have it. */
enum figure_shown {
	SHOWN_ALWAYS,  /* in JSON */
	SHOWN_ABOVE_0, /* in JSON where there is something */
	SHOWN_TRUE,    /* so too, as true */
	SHOWN_NEVER,   /* what follows from it is shown */
	SHOWN_LISTED   /* where there is something: in JSON, and by itself in --verbose, CSV, the
			* page, metrics and comparisons; of rows */
};

/* Bits of a structure's member `known`, for those figures that are not always known: the value of
 * one without its bit says nothing. Profiles hold the numbers. */
enum figure_known {
	ALWAYS_KNOWN,
	MINIMUM_KNOWN = 1,
	MAXIMUM_KNOWN = 2,
	TOTAL_KNOWN = 4,
	ERROR_KNOWN = 8
};

/* One line of a table. */
struct figure {
	const char *name; /* the member's */
	const char *text; /* what it is */
	uint16_t offset, size;
	uint8_t type, unit, merge, difference, shown; /* of the enumerations above */
	const char *key; /* in JSON, "object.key" in an object of its own; NULL: the name */
	uint16_t mask;	 /* offset of `known`, and its bit there */
	uint8_t known;
};

/* The lines of one structure. */
struct figure_table {
	const char *name; /* the structure's */
	const struct figure *figures;
	unsigned count;
	uint32_t size; /* bytes of the structure */
};

/*
 * A line is X(structure, type, member, unit, merge, difference, text) or, if it is not shown always
 * and under its name, X(..., text, shown, key), of which the key may be missing; IF_KNOWN is last
 * where it is not always known. FIGURE_MEMBER makes the member of it, FIGURE_LINE the struct
 * figure.
 */
#define IF_KNOWN(structure, bit)		    .mask = offsetof(struct structure, known), .known = bit##_KNOWN
#define FIGURE_MEMBER(structure, type, member, ...) figure_##type member;
#define FIGURE_LINE(structure, type, member, ...)                                                  \
	FIGURE_AT(#member, offsetof(struct structure, member), type, __VA_ARGS__)
#define FIGURE_AT(title, at, c_type, of_unit, of_merge, of_difference, words, ...)                 \
	{.name = title,                                                                            \
	 .text = words,                                                                            \
	 .offset = at,                                                                             \
	 .size = sizeof(figure_##c_type),                                                          \
	 .type = FIGURE_##c_type,                                                                  \
	 .unit = FIGURE_UNIT_##of_unit,                                                            \
	 .merge = MERGE_##of_merge,                                                                \
	 .difference = DIFFERENCE_##of_difference,                                                 \
	 __VA_ARGS__},

/* The value in a structure, of whichever type; of those that are no REAL in all its digits. */
double figure_value(const struct figure *figure, const void *structure);
uint64_t figure_unsigned(const struct figure *figure, const void *structure);
/* Whether there is one. */
static inline bool figure_is_known(const struct figure *figure, const void *structure)
{
	return !figure->known ||
	       *(const uint32_t *)((const char *)structure + figure->mask) & figure->known;
}
/* A minimum with one more value: stored before its bit, for who reads meanwhile. */
static inline void figure_least(uint64_t *minimum, uint32_t *known, uint64_t value)
{
	if (*known & MINIMUM_KNOWN && *minimum <= value)
		return;
	*minimum = value;
	__atomic_store_n(known, *known | MINIMUM_KNOWN, __ATOMIC_RELEASE);
}
/* A calculated value, of which NAN is not known. */
void figure_set(double *figure, uint32_t *known, enum figure_known bit, double value);
double figure_get(double figure, uint32_t known, enum figure_known bit);
/* Puts what is in `from` to what is in `to`, each figure by its rule. */
void figures_merge(const struct figure_table *table, void *to, const void *from);
/* Takes what was there before off what is now; never below 0. */
void figures_subtract(const struct figure_table *table, void *now, const void *before);

#endif
