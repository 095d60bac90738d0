/* SPDX-License-Identifier: MIT */
/*
 * Figures: what a member of a stored structure is. Each structure of a profile has one table of
 * them, and from its lines come the structure's members, what is stored of them, and how two
 * profiles' are merged or subtracted from each other.
 */
#ifndef KTIME_REPORT_SESSION_FIGURE_H
#define KTIME_REPORT_SESSION_FIGURE_H

#include <stddef.h>
#include <stdint.h>

/* Types, as in a table's lines, and what they are in C. */
#define FIGURE_TYPES(X)                                                                            \
	X(U32, uint32_t)                                                                           \
	X(U64, uint64_t)                                                                           \
	X(REAL, double)
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

/* One line of a table. */
struct figure {
	const char *name; /* the member's */
	const char *text; /* what it is */
	uint16_t offset, size;
	uint8_t type, unit, merge, difference; /* of the enumerations above */
};

/* The lines of one structure. */
struct figure_table {
	const char *name; /* the structure's */
	const struct figure *figures;
	unsigned count;
	uint32_t size; /* bytes of the structure */
};

/*
 * A line is X(structure, type, member, unit, merge, difference, text). FIGURE_MEMBER makes the
 * member of it, FIGURE_LINE the struct figure.
 */
#define FIGURE_MEMBER(structure, type, member, unit, merge, difference, text) figure_##type member;
#define FIGURE_LINE(structure, type, member, unit, merge, difference, text)                        \
	{#member,                                                                                  \
	 text,                                                                                     \
	 offsetof(struct structure, member),                                                       \
	 sizeof(figure_##type),                                                                    \
	 FIGURE_##type,                                                                            \
	 FIGURE_UNIT_##unit,                                                                       \
	 MERGE_##merge,                                                                            \
	 DIFFERENCE_##difference},

/* The value in a structure, of whichever type. */
double figure_value(const struct figure *figure, const void *structure);
/* Puts what is in `from` to what is in `to`, each figure by its rule. */
void figures_merge(const struct figure_table *table, void *to, const void *from);
/* Takes what was there before off what is now; never below 0. */
void figures_subtract(const struct figure_table *table, void *now, const void *before);

#endif
