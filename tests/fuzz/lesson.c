/* Any text as a lesson: each mistake has a place in the text, and what could be read is judged and
 * filled without a value out of bounds. No text of a lesson has a control character. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "lesson/expression.h"
#include "lesson/lesson_judge.h"

static const char first[] =
	"title Two\nminutes 5\nafter a b\nsource B\n\nstep One\n  Text {A.cpe} and\n\n  {{more\n   "
	"   kept\n"
	"setting combine op=mul type=f64 unroll=8 acc=2\npin combine acc=1\npanel ports\ndo view "
	"code\n"
	"needs l3 avx2\nelse No.\nhide limits clock\nask choice\n  How?\noption not when speedup < "
	"1.2\n"
	"option twice when cpe about A.cpe / 2 or (binding = ports and limit.latency >= 3)\noption "
	"more "
	"otherwise\nhint Draw.\nexplain It takes {cpe}: {1 / ratio}, {l1.size - 4k}.\n";
static const char second[] =
	"title T\nminutes 9\nstep A\n  x\nsetting latency size=64k\nask knee "
	"size 8k..1m within 2x\nexplain "
	"{knee}\nstep B\n  y\nask number cpe * 2 + limit within 20%\nshow limits\nexplain "
	"{limit.ports}\nstep C\n\tz "
	"\303\251\nask limit\nexplain {A.cpe}\nstep D\n  u\nunless "
	"virtual\nelse E\nask faster\nexplain "
	"F\nstep E\n  v\nask text\nexplain G\n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(first), FUZZ_TEXT(second), { NULL, 0 } };
const size_t fuzz_longest = 1500;
const uint64_t fuzz_runs = 10000;

static struct sample now = { .valid = true, .cpe = 0.75, .cpe_lo = 0.7, .cpe_hi = 0.8, .ghz = 4 },
		     a = { .valid = true, .cpe = 3 };
static struct limits limits = { .limit_count = 2,
	.limit = { { .kind = LIMIT_LATENCY, .known = true, .hard = true, .cpe = 0.75 },
		{ .kind = LIMIT_PORTS, .known = true, .hard = true, .cpe = 0.5 } },
	.binding = 0,
	.bound = 0.75 };
static struct cache_sizes caches = { .level = { { .bytes = 49152 } }, .line = 64 };
static const struct lesson_point curve[] = { { 1, 4 }, { 2, 4 }, { 4, 8 }, { 8, 9 } };

static void demand(bool good)
{
	if (!good)
		abort();
}

static void check_clean(const char *words)
{
	for (; words && *words; words++)
		demand(*words == '\n' || *words == '\t' ||
			((unsigned char)*words >= ' ' && *words != 0x7f));
}

static void try_step(const struct lesson_step *step, const struct lesson_values *values)
{
	static const char *const guesses[] = { "3", "b", "48k", "", "0.75", "latency" };
	struct lesson_guess guess = { .skipped = true };
	struct lesson_judgement judgement;
	struct text text = { 0 };

	check_clean(step->title);
	check_clean(step->text.words);
	check_clean(step->explain.words);
	lesson_fill(&step->text, values, &text);
	lesson_fill(&step->explain, values, &text);
	check_clean(text_string(&text));
	demand(lesson_lines(text_string(&text), 78) <= (int)text.length);
	text_free(&text);
	demand(step->question.ask != ASK_NOTHING || lesson_hides(step) == 0);
	lesson_judge(step, values, &guess, &judgement);
	for (size_t i = 0; i < sizeof(guesses) / sizeof(*guesses); i++) {
		struct status status = lesson_guess_read(step, values, guesses[i], &guess);

		if (!status_is_ok(&status))
			continue;
		lesson_judge(step, values, &guess, &judgement);
		demand(judgement.right < LESSON_OPTIONS);
		check_clean(judgement.words);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lesson_values values = { .now = &now,
		.a = &a,
		.limits = &limits,
		.a_limits = &limits,
		.caches = &caches,
		.curve = curve,
		.curve_count = 4 };
	struct lesson_mistakes mistakes = { 0 };
	char *text = malloc(size + 1);
	struct lesson *lesson;
	int lines = 1;

	memcpy(text, data, size);
	text[size] = '\0';
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	lesson = lesson_read(text, "name", "FILE", &mistakes);
	for (int i = 0; i < mistakes.count; i++) {
		demand(mistakes.mistake[i].line >= 1 && mistakes.mistake[i].line <= lines);
		demand(mistakes.mistake[i].column >= 1);
		check_clean(mistakes.mistake[i].words);
	}
	for (int i = 0; i < lesson->step_count; i++)
		try_step(&lesson->step[i], &values);
	lesson_free(lesson);
	lesson_mistakes_free(&mistakes);
	free(text);
	return 0;
}
