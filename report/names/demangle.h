/* SPDX-License-Identifier: MIT */
/* C++ names as nvprof and as nsys print them. */
#ifndef KTIME_REPORT_NAMES_DEMANGLE_H
#define KTIME_REPORT_NAMES_DEMANGLE_H

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

#endif
