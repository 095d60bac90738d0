/* SPDX-License-Identifier: MIT */
/* Names of kernels as they are compared. */
#ifndef KTIME_REPORT_COMPARE_CANONICAL_H
#define KTIME_REPORT_COMPARE_CANONICAL_H

/* What is left of a name: ever less. */
enum canonical {
	/* All but what profilers write in different ways: spaces, const, void, the types of
	 * template values, how an anonymous namespace is called. */
	CANONICAL_WHOLE,
	/* That without the parameters, which some print resolved and some as they are declared. */
	CANONICAL_BASE,
	/* That with '#' for numbers and types of numbers in the template arguments:
	 * "copy<float,4>" and "copy<at::Half,8>" are "copy<#,#>". */
	CANONICAL_NUMBERS,
	/* The function with its scopes, without template arguments. */
	CANONICAL_FUNCTION
};

/* A name in that form. The caller frees it; NULL where memory is out. */
char *canonical_name(const char *name, enum canonical form);

#endif
