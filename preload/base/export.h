/* SPDX-License-Identifier: MIT */
/* Marks the symbols that libktime.so exports; all others are hidden. */
#ifndef KTIME_PRELOAD_BASE_EXPORT_H
#define KTIME_PRELOAD_BASE_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

/*
 * Exports a function under a name that may be a variable's in the program. The symbol has no size:
 * from one with a size the loader would copy code into the program's copy of a library's variable,
 * and print that the sizes differ. The way round by the label keeps the assembler from giving it
 * the function's size.
 */
#define EXPORT_AS(function, symbol)                                                                \
	__asm__(".globl " #symbol "\n"                                                             \
		"\t.type " #symbol ", %function\n"                                                 \
		"\t.size " #symbol ", 0\n"                                                         \
		"\t.set .Lbehind_" #symbol ", " #function " + 1\n"                                 \
		"\t.set " #symbol ", .Lbehind_" #symbol " - 1\n");

#endif
