/* The registers and instructions of the kernel `window`, for both instruction sets. Only
 * kernels/window.c includes this file.
 *
 * Generated code keeps the chains in the registers `chase`. Other registers hold the number of
 * remaining iterations, the constant 1 and the constant 0. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "kernels/assemble.h"
#include "kernels/window.h"

enum { WINDOW_CHAINS = 6, WINDOW_GENERAL = 6, WINDOW_VECTORS = 8, WINDOW_SCRATCH = 8 };

/* The state (registers and memory) that the generated code loads at its start and stores at its
 * end. */
struct window_walk {
	const void *chain[WINDOW_CHAINS];
	uint64_t turns;			  /* number of iterations, > 0 */
	uint64_t general[WINDOW_GENERAL]; /* the registers that fillers use */
	uint64_t vector[WINDOW_VECTORS][2];
	uint64_t scratch[WINDOW_SCRATCH]; /* memory that fillers load and store */
};

#define CHAIN_AT(i)   ((int)(offsetof(struct window_walk, chain) + sizeof(void *) * (size_t)(i)))
#define TURNS_AT      ((int)offsetof(struct window_walk, turns))
#define GENERAL_AT(i) ((int)(offsetof(struct window_walk, general) + 8 * (size_t)(i)))
#define VECTOR_AT(i)  ((int)(offsetof(struct window_walk, vector) + 16 * (size_t)(i)))
#define SCRATCH_AT(i) ((int)(offsetof(struct window_walk, scratch) + 8 * (size_t)(i)))

/* The instruction of a filler, or two instructions that alternate. Fillers use registers in turn:
 * %g stands for a general register, %v for the number of a vector register, %o for an offset in the
 * array scratch. %m stands for the register of the chain with the previous miss. */
struct window_lines {
	int count; /* number of fillers after which the registers repeat, because fillers use
		      registers in turn; 0: the filler is a jump */
	const char *line[2];
};

#if defined(__x86_64__)

/* Maximum bytes of a filler, of a multiplication and of a miss; the constant that WINDOW_CONSTANT
 * fillers load. */
enum { FILLER_BYTES = 32, WORK_BYTES = 4, MISS_BYTES = 48, CONSTANT = 0 };

static const char *const chase[WINDOW_CHAINS] = { "rax", "rbx", "rcx", "rdx", "rsi", "rdi" };
static const char *const general[WINDOW_GENERAL] = { "r8", "r9", "r10", "r11", "r12", "r13" };

static const struct window_lines filler_lines[WINDOW_KINDS] = {
	[WINDOW_NOP] = { 1, { "nop" } },
	[WINDOW_ADD] = { 6, { "add %g, r14" } },
	[WINDOW_VECTOR] = { 8, { "paddq xmm%v, xmm8" } },
	[WINDOW_BOTH] = { 12, { "add %g, r14", "paddq xmm%v, xmm8" } },
	[WINDOW_ZERO] = { 6, { "xor %gd, %gd" } },
	[WINDOW_CONSTANT] = { 6, { "mov %gd, 0" } },
	/* The register r14 is 1. Zen 5 renames loads at a constant distance from the stack pointer:
	 * these need no entry of the load queue and no register. */
	[WINDOW_LOAD] = { 6, { "mov %g, [rsp+r14*8+%o-8]" } },
	[WINDOW_STORE] = { 8, { "mov [rsp+%o], r14" } },
	[WINDOW_WAIT] = { 6, { "lea %g, [%m+r14]" } },
	[WINDOW_WAIT_LOAD] = { 6, { "mov %g, [%m+8]" } },
	[WINDOW_WAIT_VECTOR] = { 8, { "paddq xmm%v, xmm9" } },
};

static const char jump_always[] = "jmp", jump_never[] = "jc", jump_call[] = "call", target[] = "r8",
		  through_target[] = "jmp r8", link_into[] = "r13", through_link[] = "jmp r13",
		  miss_plain[] = "mov %s, [%s]", miss_worked[] = "mov %s, [%s+r15]",
		  prefetch_line[] = "prefetcht0 [%s]", work_begins[] = "xor r15d, r15d",
		  work_goes_on[] = "imul r15, r15", into_vector[] = "movq xmm9, %s";

static const char *const saved[] = { "rbx", "rbp", "r12", "r13", "r14", "r15" };

static void write_entry(struct assembly *as)
{
	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++)
		assemble(as, "push %s", saved[i]);
	assemble(as, "push rdi");
	assemble(as, "sub rsp, %d", 8 * WINDOW_SCRATCH);
	for (int i = 0; i < WINDOW_SCRATCH; i++) {
		assemble(as, "mov rax, [rdi+%d]", SCRATCH_AT(i));
		assemble(as, "mov [rsp+%d], rax", 8 * i);
	}
	for (int i = 0; i < WINDOW_GENERAL; i++)
		assemble(as, "mov %s, [rdi+%d]", general[i], GENERAL_AT(i));
	for (int i = 0; i < WINDOW_VECTORS; i++)
		assemble(as, "movdqu xmm%d, [rdi+%d]", i, VECTOR_AT(i));
	assemble(as, "mov rbp, [rdi+%d]", TURNS_AT);
	assemble(as, "mov r14d, 1");
	assemble(as, "movq xmm8, r14");
	assemble(as, "xor r15d, r15d");
	for (int i = 0; i < WINDOW_CHAINS; i++) /* the last register in chase[] is rdi, so rdi can
						   hold the address of the state until then */
		assemble(as, "mov %s, [rdi+%d]", chase[i], CHAIN_AT(i));
	assemble(as, "clc");
}

/* The generated code does not change the carry flag, because fillers with branches test this flag.
 */
static void write_turn(struct assembly *as, int top)
{
	assemble(as, "dec rbp");
	assemble_jump(as, "jnz", top);
}

static void write_exit(struct assembly *as)
{
	assemble(as, "mov r15, [rsp+%d]", 8 * WINDOW_SCRATCH);
	for (int i = 0; i < WINDOW_CHAINS; i++)
		assemble(as, "mov [r15+%d], %s", CHAIN_AT(i), chase[i]);
	for (int i = 0; i < WINDOW_GENERAL; i++)
		assemble(as, "mov [r15+%d], %s", GENERAL_AT(i), general[i]);
	for (int i = 0; i < WINDOW_VECTORS; i++)
		assemble(as, "movdqu [r15+%d], xmm%d", VECTOR_AT(i), i);
	for (int i = 0; i < WINDOW_SCRATCH; i++) {
		assemble(as, "mov rax, [rsp+%d]", 8 * i);
		assemble(as, "mov [r15+%d], rax", SCRATCH_AT(i));
	}
	assemble(as, "add rsp, %d", 8 * WINDOW_SCRATCH + 8);
	for (size_t i = sizeof(saved) / sizeof(*saved); i-- > 0;)
		assemble(as, "pop %s", saved[i]);
	assemble(as, "ret");
}

#else

enum { FILLER_BYTES = 32, WORK_BYTES = 4, MISS_BYTES = 48, CONSTANT = 1000 };

static const char *const chase[WINDOW_CHAINS] = { "x2", "x3", "x4", "x5", "x6", "x7" };
static const char *const general[WINDOW_GENERAL] = { "x8", "x9", "x10", "x11", "x12", "x13" };

/* write_entry() sets x16 to the address of the array scratch. */
static const struct window_lines filler_lines[WINDOW_KINDS] = {
	[WINDOW_NOP] = { 1, { "nop" } },
	[WINDOW_ADD] = { 6, { "add %g, %g, x14" } },
	[WINDOW_VECTOR] = { 8, { "add v%v.2d, v%v.2d, v16.2d" } },
	[WINDOW_BOTH] = { 12, { "add %g, %g, x14", "add v%v.2d, v%v.2d, v16.2d" } },
	[WINDOW_ZERO] = { 6, { "mov %g, #0" } },
	[WINDOW_CONSTANT] = { 6, { "mov %g, #1000" } },
	[WINDOW_LOAD] = { 6, { "ldr %g, [x16, #%o]" } },
	[WINDOW_STORE] = { 8, { "str x14, [x16, #%o]" } },
	[WINDOW_WAIT] = { 6, { "add %g, %m, x14" } },
	[WINDOW_WAIT_LOAD] = { 6, { "ldr %g, [%m, #8]" } },
	[WINDOW_WAIT_VECTOR] = { 8, { "add v%v.2d, v%v.2d, v17.2d" } },
};

static const char jump_always[] = "b", jump_never[] = "b.hs", jump_call[] = "bl", target[] = "x8",
		  through_target[] = "br x8", link_into[] = "x13", through_link[] = "br x13",
		  miss_plain[] = "ldr %s, [%s]", miss_worked[] = "ldr %s, [%s, x15]",
		  prefetch_line[] = "prfm pldl1keep, [%s]", work_begins[] = "mov x15, #0",
		  work_goes_on[] = "mul x15, x15, x15", into_vector[] = "fmov d17, %s";

static void write_entry(struct assembly *as)
{
	assemble(as, "stp x29, x30, [sp, #-16]!"); /* calls among the fillers change x30 */
	for (int i = 0; i < WINDOW_CHAINS; i++)
		assemble(as, "ldr %s, [x0, #%d]", chase[i], CHAIN_AT(i));
	for (int i = 0; i < WINDOW_GENERAL; i++)
		assemble(as, "ldr %s, [x0, #%d]", general[i], GENERAL_AT(i));
	assemble(as, "add x16, x0, #%d", VECTOR_AT(0));
	for (int i = 0; i < WINDOW_VECTORS; i++)
		assemble(as, "ldr q%d, [x16], #16", i);
	assemble(as, "add x16, x0, #%d", SCRATCH_AT(0));
	assemble(as, "ldr x1, [x0, #%d]", TURNS_AT);
	assemble(as, "mov x14, #1");
	assemble(as, "fmov d16, x14");
	assemble(as, "mov x15, #0");
	assemble(as, "adds x15, x15, x15"); /* clears the carry flag */
}

/* The generated code does not change the carry flag, because fillers with branches test this flag.
 */
static void write_turn(struct assembly *as, int top)
{
	assemble(as, "sub x1, x1, #1");
	assemble_jump(as, "cbnz x1", top);
}

static void write_exit(struct assembly *as)
{
	for (int i = 0; i < WINDOW_CHAINS; i++)
		assemble(as, "str %s, [x0, #%d]", chase[i], CHAIN_AT(i));
	for (int i = 0; i < WINDOW_GENERAL; i++)
		assemble(as, "str %s, [x0, #%d]", general[i], GENERAL_AT(i));
	assemble(as, "add x16, x0, #%d", VECTOR_AT(0));
	for (int i = 0; i < WINDOW_VECTORS; i++)
		assemble(as, "str q%d, [x16], #16", i);
	assemble(as, "ldp x29, x30, [sp], #16");
	assemble(as, "ret");
}

#endif

/* ---- The following functions flush lines from all caches. After the flush, loads of nodes miss
 * even in a large last-level cache */

#if defined(__x86_64__)

/* Returns whether the processor has clflushopt. The processor overlaps the flushes of clflushopt,
 * so clflushopt is ten times as fast as clflush. */
static inline bool flush_overlaps(void)
{
	static atomic_int known; /* the result of cpuid, because cpuid takes microseconds in a
				    virtual machine; 0: not known yet */
	unsigned a, b, c, d;

	if (!atomic_load_explicit(&known, memory_order_relaxed))
		atomic_store_explicit(&known,
			__get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 23 & 1) ? 1 : -1,
			memory_order_relaxed);
	return atomic_load_explicit(&known, memory_order_relaxed) > 0;
}
#endif

/* Flushes one cache line in every `step` bytes from `at` up to `end`, and waits until all flushes
 * are complete. */
static inline void flush_lines(const unsigned char *at, const unsigned char *end, size_t step)
{
#if defined(__x86_64__)
	if (flush_overlaps())
		for (; at < end; at += step)
			__asm__ volatile("clflushopt %0" : : "m"(*at) : "memory");
	else
		for (; at < end; at += step)
			__asm__ volatile("clflush %0" : : "m"(*at) : "memory");
	__asm__ volatile("mfence" : : : "memory");
#else
	for (; at < end; at += step)
		__asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
#endif
}
