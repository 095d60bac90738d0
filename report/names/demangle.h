/* SPDX-License-Identifier: MIT */
/* C++ names as nvprof and as nsys print them. */
#ifndef KTIME_REPORT_NAMES_DEMANGLE_H
#define KTIME_REPORT_NAMES_DEMANGLE_H

#include <stdbool.h>

/*
 * The name that nvprof prints for a kernel's mangled name, which the caller frees; NULL if the name
 * is not mangled, cannot be read, or memory is out: then the mangled name is to be printed.
 */
char *demangle(const char *mangled);

/*
 * The name that nsys prints. A name that is not mangled or cannot be read is returned as it is, one
 * with an expression in its type is spelled as binutils' c++filt does. The caller frees it; NULL
 * only if memory is out.
 */
char *nsys_demangle(const char *mangled);
/* The same name without its return type, scopes, template arguments and parameters. */
char *nsys_demangle_base(const char *mangled);

/*
 * Of a kernel's name as demangle() returns it: "void at::fill<int=4, at::Half<1>>(at::Half<1>*)"
 *   base   fill                    the function alone
 *   short  at::fill<int=4, Half>   with its scopes, and of each template argument its own name
 * The caller frees it; NULL if memory is out.
 */
char *short_name(const char *name, bool base);
/* The same as the base name, but of a kernel of CUTLASS as cuBLAS has them, cutlass::Kernel2<NAME>,
 * that NAME. */
char *telling_name(const char *name);

#endif
