/* SPDX-License-Identifier: MIT */
/* Shorter forms of a readable C++ name. */
#ifndef KTIME_REPORT_NAMES_SHORT_NAME_H
#define KTIME_REPORT_NAMES_SHORT_NAME_H

#include <stdbool.h>

/*
 * Of a kernel's name as demangle() returns it: "void at::fill<int=4, at::Half<1>>(at::Half<1>*)"
 *   base   fill                    the function alone
 *   short  at::fill<int=4, Half>   with its scopes, and of each template argument its own name
 * The caller frees it; NULL if memory is out.
 */
char *short_name(const char *name, bool base);

#endif
