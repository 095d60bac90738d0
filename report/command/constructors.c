/* SPDX-License-Identifier: MIT */
/*
 * Runs the constructors of the portable command. Until glibc 2.33 the start file that a program was
 * linked with did this; a newer one leaves it to a glibc that does it itself. Called by the stub of
 * __libc_start_main (preload/base/old_glibc.S).
 */

typedef void constructor(int argc, char **argv, char **environment);

/* From the linker. */
extern constructor *__init_array_start[] __attribute__((visibility("hidden")));
extern constructor *__init_array_end[] __attribute__((visibility("hidden")));

void run_constructors(int argc, char **argv, char **environment);

void run_constructors(int argc, char **argv, char **environment)
{
	for (constructor **next = __init_array_start; next < __init_array_end; next++)
		(*next)(argc, argv, environment);
}
