/* slexplore: elements=n a=i64[n] */
/* An own loop of four instructions an element, for the machine of tests/counted.sh, where there is no compiler: it is compiled
 * outside, and what stands for the compiler there (own-cc) hands it out. */
	.text
	.globl	loop
	.type	loop, %function
	.p2align 6
loop:
	mov	x3, #0
1:	ldr	x2, [x1], #8
	add	x3, x3, x2
	subs	x0, x0, #1
	b.ne	1b
	mov	x0, x3
	ret
	.size	loop, . - loop
	.section .note.GNU-stack, "", %progbits
