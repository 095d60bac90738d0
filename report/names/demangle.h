/* SPDX-License-Identifier: MIT */
/* C++ names as nvprof prints them. */
#ifndef KTIME_REPORT_NAMES_DEMANGLE_H
#define KTIME_REPORT_NAMES_DEMANGLE_H

/*
 * The readable form of a mangled name, which the caller frees; NULL where the name is not mangled,
 * cannot be read, or memory is out: the name itself is then what there is to print.
 */
char *demangle(const char *mangled);

#endif
