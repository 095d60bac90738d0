/* SPDX-License-Identifier: MIT */
/*
 * The calls of CUPTI's activity interface that libktime.so exports in CUPTI's place, so that a
 * program that uses CUPTI itself and ktime do not take each other's records. A program's call
 * comes here through the dynamic linker, or through cupti_symbol_replacement().
 *
 * They work whatever ktime does: where it collects nothing they hand the call on, where there is
 * no libcupti in the process they answer CUPTI_ERROR_NOT_INITIALIZED. What is not listed here
 * (cuptiSubscribe, the callback interface) is CUPTI's own; so are the V2 interface's activity
 * functions, which take what cuptiSubscribe_v2 gave: at that call ktime leaves CUPTI to the
 * program.
 */
#ifndef KTIME_PRELOAD_HOOKS_CUPTI_SYMBOLS_H
#define KTIME_PRELOAD_HOOKS_CUPTI_SYMBOLS_H

/*
 * For a program that looks up CUPTI's functions by dlsym: the function that ktime puts in place of
 * the one with this name, or NULL if it puts none; `real` is the one that dlsym found. Any thread.
 */
void *cupti_symbol_replacement(const char *name, void *real);

#endif
