/* SPDX-License-Identifier: MIT */
/*
 * Binds to the versions that glibc 2.28 has, whichever glibc ktime is built with: an older glibc
 * refuses to load a library that asks for a newer version. Most of these functions only moved from
 * libpthread and libdl into libc; glibc keeps them under their old versions as well, but a linker
 * takes the newest. Each stub below takes a function's place within the link, in the objects of
 * static libraries too, and jumps to the old version. tests/structure/glibc.sh names what is missing
 * here. A stub that a link does not need is dropped (--gc-sections), with what it asks for.
 */

#if defined(__x86_64__)
#define INDIRECT(function) jmpq *function@GOTPCREL(%rip)
#define LANDING_PAD endbr64
/* The first argument, version 1 of struct stat, goes before the caller's, which are four at most. */
#define PUT_STAT_VERSION \
	movq %rcx, %r8; movq %rdx, %rcx; movq %rsi, %rdx; movq %rdi, %rsi; movl $1, %edi
#define PUT_CONSTRUCTORS leaq run_constructors(%rip), %rcx
#define FUNCTION @function

#elif defined(__aarch64__)
/* No version is older here than that of the port. */
#define INDIRECT(function) adrp x16, :got:function; ldr x16, [x16, :got_lo12:function]; br x16
#define LANDING_PAD hint #34 /* bti c */
#define PUT_STAT_VERSION mov x4, x3; mov x3, x2; mov x2, x1; mov x1, x0; mov w0, wzr
#define PUT_CONSTRUCTORS adrp x3, run_constructors; add x3, x3, :lo12:run_constructors
#define FUNCTION %function

#else
#error "ktime runs on x86-64 and aarch64"
#endif

	.macro stub function, target, version, stat=0, start=0
#ifdef __aarch64__
	.symver old_\function, \target\()@GLIBC_2.17
#else
	.symver old_\function, \target\()@GLIBC_\version
#endif
	.section .text.old_\function, "ax", %progbits
	.globl	\function
	.hidden	\function
	.type	\function, FUNCTION
	.p2align 4
\function:
	.cfi_startproc
	LANDING_PAD
	.if \stat
	PUT_STAT_VERSION
	.endif
	.if \start
	PUT_CONSTRUCTORS
	.endif
	INDIRECT(old_\function)
	.cfi_endproc
	.size	\function, . - \function
	.endm

	.macro old function, version
	stub \function, \function, \version
	.endm

	/* Before glibc 2.33 these were inline functions around one with the version of struct stat. */
	.macro old_stat function, target, version=2.2.5
	stub \function, \target, \version, stat=1
	.endm

	old	dladdr1, 2.3.3
	old	dlclose, 2.2.5
	old	dlerror, 2.2.5
	old	dlinfo, 2.3.3
	old	dlopen, 2.2.5
	old	pthread_attr_getstack, 2.2.5
	old	pthread_attr_setaffinity_np, 2.3.4
	old	pthread_attr_setstacksize, 2.2.5
	old	pthread_create, 2.2.5
	old	pthread_detach, 2.2.5
	old	pthread_getattr_np, 2.2.5
	old	pthread_getcpuclockid, 2.2.5
	old	pthread_join, 2.2.5
	old	pthread_key_create, 2.2.5
	old	pthread_mutex_trylock, 2.2.5
	old	pthread_mutexattr_destroy, 2.2.5
	old	pthread_mutexattr_init, 2.2.5
	old	pthread_mutexattr_settype, 2.2.5
	old	pthread_once, 2.2.5
	old	pthread_rwlock_timedrdlock, 2.2.5
	old	pthread_rwlock_timedwrlock, 2.2.5
	old	pthread_rwlock_unlock, 2.2.5
	old	pthread_setname_np, 2.12
	old	pthread_setspecific, 2.2.5
	old	pthread_sigmask, 2.2.5
	old	sem_post, 2.2.5
	old	sem_wait, 2.2.5

	old_stat fstat, __fxstat
	old_stat fstat64, __fxstat64
	old_stat fstatat, __fxstatat, 2.4
	old_stat fstatat64, __fxstatat64, 2.4
	old_stat lstat, __lxstat
	old_stat lstat64, __lxstat64
	old_stat stat, __xstat
	old_stat stat64, __xstat64

	/* The same function with 64-bit offsets, under a name of glibc 2.28. */
	stub	fcntl64, fcntl, 2.2.5

#ifdef KTIME_COMMAND
	/* libktime.so exports one itself. */
	old	dlsym, 2.2.5

	/* Newer versions of these no longer call matherr. */
	old	exp, 2.2.5
	old	log, 2.2.5
	old	pow, 2.2.5

	/* Before 2.34 the start file brought what runs the constructors, the fourth argument. */
	stub	__libc_start_main, __libc_start_main, 2.2.5, start=1
#endif

	.section .note.GNU-stack, "", %progbits
