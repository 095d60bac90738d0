/* SPDX-License-Identifier: MIT */
/*
 * dlsym and dlvsym as the program finds them. libc's dlsym looks at its return address to tell
 * whose scope RTLD_NEXT and RTLD_DEFAULT start from, so everything that ktime does not replace must
 * reach it by a jump: a call would make every such look-up one of libktime.so's.
 */

#if defined(__x86_64__)

	/* rdi handle, rsi name, rdx version; all three kept for the jump */
	.macro lookup_stub symbol, next
	.globl	\symbol
	.type	\symbol, @function
	.p2align 4
\symbol:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	.ifc \symbol, dlsym
	xorl	%edx, %edx
	.endif
	movq	24(%rsp), %rcx		/* who calls */
	call	lookup_replacement
	testq	%rax, %rax
	jne	1f
	call	\next
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmpq	*%rax
1:
	.cfi_adjust_cfa_offset 24
	addq	$24, %rsp
	.cfi_adjust_cfa_offset -24
	cmpq	$-1, %rax		/* LOOKUP_NOTHING */
	jne	2f
	xorl	%eax, %eax
2:
	ret
	.cfi_endproc
	.size	\symbol, . - \symbol
	.endm

#elif defined(__aarch64__)

	/* x0 handle, x1 name, x2 version; all three kept for the jump */
	.macro lookup_stub symbol, next
	.globl	\symbol
	.type	\symbol, %function
	.p2align 4
\symbol:
	.cfi_startproc
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-48]!
	.cfi_adjust_cfa_offset 48
	stp	x0, x1, [sp, #16]
	str	x2, [sp, #32]
	.ifc \symbol, dlsym
	mov	x2, xzr
	.endif
	mov	x3, x30			/* who calls */
	bl	lookup_replacement
	cbnz	x0, 1f
	bl	\next
	mov	x16, x0
	ldp	x0, x1, [sp, #16]
	ldr	x2, [sp, #32]
	ldp	x29, x30, [sp], #48
	br	x16
1:
	ldp	x29, x30, [sp], #48
	cmn	x0, #1			/* LOOKUP_NOTHING */
	csel	x0, xzr, x0, eq
	ret
	.cfi_endproc
	.size	\symbol, . - \symbol
	.endm

#else
#error "ktime runs on x86-64 and aarch64"
#endif

	.text

	lookup_stub dlsym, lookup_next_dlsym
	lookup_stub dlvsym, lookup_next_dlvsym

	.section .note.GNU-stack, "", %progbits
