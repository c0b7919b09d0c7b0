#include "model/program/function_loops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/graph/streams.h"

/* ---- Source lines */

/* The source lines of all instructions of a function. */
struct function_lines {
	uint64_t *address;
	struct source_line *line;
	size_t count;
	bool known;
};

static int by_address(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Returns the source line of each instruction of a loop. */
static struct source_line *lines_of_loop(const struct loop *loop, const struct function_lines *all)
{
	struct source_line *lines = memory_new((size_t)loop->insn_count, sizeof(*lines));

	for (int i = 0; i < loop->insn_count; i++) {
		const uint64_t *at = bsearch(&loop->insn[i].address, all->address, all->count,
			sizeof(*all->address), by_address);

		if (at)
			lines[i] = all->line[at - all->address];
	}
	return lines;
}

/* Inlined functions may bring source lines of other files into the loop. The loop's last
 * instruction is the branch that closes the loop, so its source file counts as the loop's file. If
 * that is a file of a library, the file of the last instruction from no library counts. */
static const struct source_line *own_line(const struct source_line *lines, int count)
{
	for (int i = count - 1; i >= 0; i--)
		if (lines[i].file && !lines[i].library)
			return &lines[i];
	return &lines[count - 1];
}

static void add_source(const struct source_line *lines, const struct loop *loop, struct text *text)
{
	const struct source_line *own = own_line(lines, loop->insn_count);
	int first = 0, last = 0;

	for (int i = 0; own->file && i < loop->insn_count; i++) {
		const struct source_line *line = &lines[i];

		if (!line->file || strcmp(line->file, own->file) != 0)
			continue;
		if (first == 0 || line->line < first)
			first = line->line;
		if (line->line > last)
			last = line->line;
	}
	if (first)
		text_addf(text, "%s:%d", own->file, first);
	if (last > first)
		text_addf(text, "-%d", last);
}

/* ---- The place of each loop */

static void describe(const struct program_loop *place, const struct loop *loop, bool filled,
	struct function_loop *each)
{
	int calls = filled ? function_loops_calls(loop) : 0, forks = filled ? loop->forks : 0;
	struct streams streams = { 0 };

	if (filled)
		streams_find(loop, &streams);
	streams_describe(&streams, &each->data);
	each->bytes = streams_bytes(&streams, &each->bytes_of);

	text_addf(&each->place, "%#" PRIx64 " to %#" PRIx64, place->begin, place->end);
	if (place->depth > 1)
		text_addf(&each->place, ", inside %d loop%s", place->depth - 1,
			place->depth > 2 ? "s" : "");
	if (each->source.length)
		text_addf(&each->place, ", %s", text_string(&each->source));
	text_add(&each->remark, text_string(&each->place));
	if (each->data.length)
		text_addf(&each->remark, "; an iteration %s", text_string(&each->data));
	if (calls)
		text_addf(&each->remark, "; %d call%s, whose instructions are not counted", calls,
			calls == 1 ? "" : "s");
	if (forks)
		text_addf(&each->remark, "; %d branch%s inside it %s assumed not taken", forks,
			forks == 1 ? "" : "es", forks == 1 ? "is" : "are");
}

static void fill_loops(struct program *program, struct function_loops *found)
{
	struct function_lines all = { NULL };
	/* An explanation owns the memory of a loop. */
	struct explanation *scratch = explanation_new();

	found->each = memory_new((size_t)found->loops.count + 1, sizeof(*found->each));
	all.address = program_loops_addresses(&found->loops, &all.count);
	all.line = memory_new(all.count + 1, sizeof(*all.line));
	all.known = program_lines(program, all.address, all.count, false, all.line);
	for (int i = 0; i < found->loops.count; i++) {
		struct function_loop *each = &found->each[i];
		struct status status = program_loop_fill(&found->loops, i, &scratch->loop);
		bool filled = status_is_ok(&status);

		if (filled && all.known) {
			each->lines = lines_of_loop(&scratch->loop, &all);
			add_source(each->lines, &scratch->loop, &each->source);
		}
		describe(&found->loops.loop[i], &scratch->loop, filled, each);
	}
	explanation_free(scratch);
	free(all.address);
	free(all.line);
}

/* ---- The kernel */

/* The message about a function without loops. */
static struct status no_loop(struct program *program, const struct function_loops *found)
{
	const struct program_function *called[4];
	size_t count = program_loops_called(program, &found->loops, called, 4);
	struct text list = { 0 };
	struct status status;

	for (size_t i = 0; i < count; i++) {
		text_add(&list, i == 0 ? "; it calls functions that have loops: " : ", ");
		program_add_name(called[i], &list);
	}
	status = status_failed("%.100s has no loop%s%.160s", text_string(&found->name),
		found->loops.cut ? " in its known code: the target of a jump is unknown" : "",
		text_string(&list));
	text_free(&list);
	return status;
}

static void fill_kernel(struct function_loops *found, const char *file)
{
	text_addf(&found->title,
		"function of %s: %" PRIu64 " bytes at %#" PRIx64 ", %d innermost loop%s%s", file,
		found->function.size, found->function.address, found->loops.count,
		found->loops.count == 1 ? "" : "s",
		found->loops.cut ? "; the target of a jump is unknown, so loops may be missing"
				 : "");
	found->knob = (struct knob){ .name = "loop",
		.help = "the innermost loop to explain: deepest nesting first",
		.min = 1,
		.max = found->loops.count,
		.initial = 1,
		.role = KNOB_DATA };
	found->kernel = (struct kernel){ .name = text_string(&found->name),
		.title = text_string(&found->title),
		.look_for = "The values are predicted, not measured: slexplore does not run the "
			    "program. The knob loop chooses the loop.",
		.document = "The addresses of a program's data are unknown. The limits hold for "
			    "data in the first-level cache.",
		.element = "iteration",
		.knobs = &found->knob,
		.knob_count = 1,
		.function = found };
}

struct status function_loops_open(struct program *program, const struct program_function *function,
	const char *file, struct function_loops **found)
{
	struct function_loops *new = memory_new(1, sizeof(*new));
	struct status status = status_ok();

	new->function = *function;
	program_add_name(function, &new->name);
	program_loops_find(program, function, &new->loops);
	fill_loops(program, new);
	if (new->loops.count == 0)
		status = no_loop(program, new);
	if (!status_is_ok(&status)) {
		function_loops_free(new);
		return status;
	}
	fill_kernel(new, file);
	*found = new;
	return status;
}

void function_loops_free(struct function_loops *found)
{
	if (!found)
		return;
	for (int i = 0; i < found->loops.count; i++) {
		free(found->each[i].lines);
		text_free(&found->each[i].source);
		text_free(&found->each[i].place);
		text_free(&found->each[i].data);
		text_free(&found->each[i].remark);
	}
	free(found->each);
	program_loops_free(&found->loops);
	text_free(&found->name);
	text_free(&found->title);
	free(found);
}

int function_loops_chosen(const struct function_loops *found, const int64_t *v)
{
	return v[0] >= 1 && v[0] <= found->loops.count ? (int)v[0] - 1 : 0;
}

const char *function_loops_remark(const struct function_loops *found, const int64_t *v)
{
	return text_string(&found->each[function_loops_chosen(found, v)].remark);
}

/* ---- Explaining */

void function_loops_explain(const struct function_loops *found, int loop,
	const struct explain_question *question, struct explanation *explanation)
{
	struct status status = program_loop_fill(&found->loops, loop, &explanation->loop);

	if (status_is_ok(&status)) {
		explain_program_loop(question, loop + 1, explanation);
		explanation->lines = found->each[loop].lines;
	} else {
		*explanation = (struct explanation){ .kernel = question->kernel,
			.status = status_failed("the limits of the loop at address %#" PRIx64
						" are not computed: %s",
				found->loops.loop[loop].begin, status.text),
			.foreign = question->foreign,
			.loop = explanation->loop,
			.limits = explanation->limits };
		loop_clear(&explanation->loop);
		limits_clear(&explanation->limits);
	}
	if (question->v)
		memcpy(explanation->v, question->v, sizeof(explanation->v));
}

int function_loops_calls(const struct loop *loop)
{
	int calls = 0;

	for (int i = 0; i < loop->path_count; i++)
		calls += loop->insn[loop->path[i].insn].flow == FLOW_CALL;
	return calls;
}
