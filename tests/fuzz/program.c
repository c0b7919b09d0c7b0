/* Any bytes as a program: nothing crashes or hangs, and functions, loops and lines are within their
 * bounds. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/program/program_loops.h"
#include "tests/unit/made_elf.h"

const size_t fuzz_longest = 10240;

/* A file as the tests make it, of each kind; main() begins after they are made. */
static struct made_elf seed[MADE_KINDS];

const struct fuzz_seed fuzz_seeds[] = {
	{ seed[MADE_LIBRARY].bytes, 2048 },
	{ seed[MADE_COMPRESSED].bytes, 2048 },
	{ seed[MADE_OBJECT].bytes, 2048 },
	{ seed[MADE_STRIPPED].bytes, 2048 },
	{ NULL, 0 },
};

static __attribute__((constructor)) void make_seeds(void)
{
	for (int kind = 0; kind < MADE_KINDS; kind++) {
		made_file(&seed[kind], (enum made_kind)kind, 0);
		if (seed[kind].size > 2048)
			abort();
	}
}

#define check(what) ((what) ? (void)0 : broken(__LINE__, #what))

static _Noreturn void broken(int line, const char *what)
{
	fprintf(stderr, "tests/fuzz/program.c:%d: not so: %s\n", line, what);
	abort();
}

static void check_loop(const struct program_loops *loops, int index, struct loop *loop)
{
	struct status status = program_loop_fill(loops, index, loop);

	check(loops->loop[index].depth >= 1);
	check(loops->loop[index].begin < loops->loop[index].end);
	check(loops->loop[index].header >= loops->loop[index].begin &&
		loops->loop[index].header < loops->loop[index].end);
	if (status.code != STATUS_OK)
		return;
	check(loop->insn_count >= 1 && loop->path_count >= 1);
	check(loop->path_count <= loop->insn_count);
	for (int i = 0; i < loop->path_count; i++)
		check(loop->path[i].insn < loop->insn_count);
	for (int i = 0; i < loop->insn_count; i++)
		check(program_loop_at(loops, loop->insn[i].address) >= 0);
}

static void check_functions(struct program *program)
{
	static struct loop loop;
	size_t count;
	const struct program_function *function = program_functions(program, &count);

	if (!loop.insn)
		loop_init(&loop, 32, 32);
	for (size_t i = 0; i < count; i++) {
		struct program_loops loops;
		struct source_line line;
		struct text name = { 0 };

		check(function[i].size > 0);
		check(i == 0 || function[i - 1].address < function[i].address);
		program_add_name(&function[i], &name);
		text_free(&name);
		program_lines(program, &function[i].address, 1, i % 2, &line);
		check(!line.file || line.line > 0);
		program_loops_find(program, &function[i], &loops);
		for (int k = 0; k < loops.count; k++)
			check_loop(&loops, k, &loop);
		program_loops_free(&loops);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const given[] = { "sum", "same", "shape::area", "0x1002", "made.c:22",
		"total", "seed.c:9", "seed.c:999" };
	struct program *program;
	struct program_place place;
	struct status status =
		program_open_descriptor(made_descriptor(data, size), "made.so", &program);

	check(memchr(status.text, 0, sizeof(status.text)));
	if (status.code != STATUS_OK) {
		check(status.code == STATUS_FAILED && !program);
		return 0;
	}
	check_functions(program);
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		status = program_find(program, given[i], &place);
		check(status.code == STATUS_OK || status.code == STATUS_USAGE);
	}
	program_close(program);
	return 0;
}
