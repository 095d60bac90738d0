/* SPDX-License-Identifier: MIT */
/* C++ names as nsys prints them. */
#ifndef KTIME_REPORT_NAMES_NSYS_DEMANGLE_H
#define KTIME_REPORT_NAMES_NSYS_DEMANGLE_H

/*
 * What nsys prints for a kernel's mangled name; a name that is not mangled stays as it is, one
 * with an expression in its type reads as binutils' c++filt has it. The caller frees it; NULL only
 * where memory is out.
 */
char *nsys_demangle(const char *mangled);
/* The same name without its return type, scopes, template arguments and parameters. */
char *nsys_demangle_base(const char *mangled);

#endif
