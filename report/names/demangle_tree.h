/* SPDX-License-Identifier: MIT */
/* A parsed C++ name, edited so that libiberty prints it in a profiler's spelling. */
#ifndef KTIME_REPORT_NAMES_DEMANGLE_TREE_H
#define KTIME_REPORT_NAMES_DEMANGLE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <libiberty/demangle.h>

#define DEMANGLE_STYLE (DMGL_PARAMS | DMGL_ANSI)
/* Stands for the N of _GLOBAL__N while libiberty parses the name: it would drop what follows. */
#define HIDDEN_N       '\1'

/* What a component of a name is. */
enum trait {
	LEAF = 1,	   /* it has no left and right part */
	BEYOND_NVPROF = 2, /* nvprof leaves names with such a part mangled */
	BEYOND_CUFILT = 4, /* part of an expression, which nsys's spelling here lacks */
};

/* The differences between spellings. */
struct spelling {
	const struct spelling *otherwise; /* for names with parts beyond this one */
	enum trait beyond;
	const char *anonymous;	   /* namespace; NULL: the compiler's name for it */
	const char *literal;	   /* format of a type, a sign and digits */
	const char *no_parameters; /* in place of an empty list */
	const char *long_long;
	bool resolves; /* template parameters are arguments, by nvprof's numbering */
	bool cufilt;   /* what only cu++filt does, and its spaces */
	bool nvprof;   /* nvprof's spaces */
};

/*
 * Edits and prints a tree that was made of a name of that length; the caller frees the text. NULL
 * with *beyond set where a part of it is beyond the spelling, else where memory is out, or the name
 * is too deep or too long.
 */
char *demangle_tree(const struct spelling *spelling, struct demangle_component *tree,
		    size_t letters, bool *beyond);

#endif
