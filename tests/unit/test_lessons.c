/* The shipped lessons on made-up machines: whatever a machine measures, each question has exactly
 * one right answer, and each text fits a terminal of 80x24. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "lesson/lesson_check.h"

enum { MACHINES = 40 };

static struct uarch uarch = { .width = 6 };
static struct limits limits = { .uarch = &uarch,
	.elements = 8,
	.instructions = 11,
	.limit_count = 3,
	.limit = { { .kind = LIMIT_LOADS, .known = true, .hard = true, .cpe = 0.75 },
		{ .kind = LIMIT_PORTS, .known = true, .hard = true, .cpe = 0.5 },
		{ .kind = LIMIT_WIDTH, .known = true, .hard = true, .cpe = 0.3 } },
	.bound = 0.75,
	.predicted = 0.75 };

/* A random number from 0 to 1 that depends on a machine and a setting. */
static double random_share(uint64_t seed, const struct setting *setting)
{
	struct random random = { .state = seed };

	for (const char *c = setting->kernel->name; *c; c++)
		random.state = random_next(&random) ^ (uint64_t)*c;
	for (int i = 0; i < setting->kernel->knob_count; i++)
		random.state = random_next(&random) ^ (uint64_t)setting->v[i];
	return (double)(random_next(&random) >> 11) / 0x1p53;
}

/* Any setting takes any time from 0.2 to 900 cycles. Latency rises with the size, so that its curve
 * has a knee. */
static struct status measure(void *context, const struct setting *setting, struct sample *sample,
	const struct limits **found)
{
	uint64_t seed = *(const uint64_t *)context;
	struct setting first = *setting;
	double cpe = 0.2 * pow(4500, random_share(seed, setting));

	if (strcmp(setting->kernel->name, "latency") == 0) {
		first.v[0] = 0;
		cpe = (2 + random_share(seed, &first)) *
		      pow((double)setting->v[0] / 8192, 0.1 + 0.5 * (double)(seed % 3));
	}
	*sample = (struct sample){ .valid = true,
		.cpe = cpe,
		.cpe_lo = cpe,
		.cpe_hi = cpe,
		.ghz = 2 + 3 * random_share(seed + 1, &first),
		.ns = cpe / 4,
		.gbps = 8 / cpe };
	limits.binding = (int)(seed % 3);
	*found = &limits;
	return status_ok();
}

static struct cache_sizes caches(void *context)
{
	(void)context;
	return (struct cache_sizes){ .level = { { .bytes = 32 << 10 }, { .bytes = 1 << 20 },
					     { .bytes = 32 << 20 } },
		.line = 64 };
}

TEST(every_question_has_one_right_answer_whatever_a_machine_measures)
{
	static struct machine machine = { .tick_hz = 3e9,
		.huge_pages = true,
		.cache_count = 3,
		.cache = { { 1, 32 << 10, 64 }, { 2, 1 << 20, 64 }, { 3, 32 << 20, 64 } } };
	uint64_t seed;
	const struct lesson_source source = { .context = &seed,
		.machine = &machine,
		.measure = measure,
		.caches = caches,
		.repeats = 1 };
	int count, questions = 0;
	struct lesson **lessons = lessons_all(&count);

	assert_true(count >= 10);
	for (int i = 0; i < count; i++) {
		for (seed = 1; seed <= MACHINES; seed++) {
			struct lesson_mistakes mistakes = { 0 };
			struct lesson_checked checked =
				lesson_check(lessons[i], &source, &mistakes);

			if (mistakes.count)
				fail_msg("%s:%d:%d: %s (machine %d)", lessons[i]->origin,
					mistakes.mistake->line, mistakes.mistake->column,
					mistakes.mistake->words, (int)seed);
			assert_int_equal(checked.steps, lessons[i]->step_count);
			assert_int_equal(checked.elsewhere, 0);
			questions += checked.questions;
			lesson_mistakes_free(&mistakes);
		}
		lesson_free(lessons[i]);
	}
	free(lessons);
	assert_true(questions >= 45 * MACHINES);
}

TEST(the_shipped_lessons_have_no_mistake_and_name_lessons_that_exist)
{
	int count;
	struct lesson **lessons = lessons_all(&count);

	for (int i = 0; i < count; i++) {
		struct lesson_mistakes mistakes = { 0 };
		struct lesson *lesson;

		check_ok(lesson_open(lessons[i]->name, &lesson, &mistakes));
		if (mistakes.count)
			fail_msg("%s:%d:%d: %s", lesson->origin, mistakes.mistake->line,
				mistakes.mistake->column, mistakes.mistake->words);
		assert_true(lesson->minutes >= 5 && lesson->minutes <= 20);
		assert_non_null(lesson->source);
		/* A lesson comes after those that it names. */
		for (int j = 0; j < lesson->after_count; j++) {
			int before = 0;

			while (before < i &&
				strcmp(lessons[before]->name, lesson->after[j].words) != 0)
				before++;
			if (before == i)
				fail_msg(
					"%s comes before %s", lesson->name, lesson->after[j].words);
		}
		lesson_free(lesson);
	}
	for (int i = 0; i < count; i++)
		lesson_free(lessons[i]);
	free(lessons);
}

/* Whether some option of a question names a bound. "2" is also in "twice". */
static bool names_bound(const struct lesson_question *question, const char *bound)
{
	for (int i = 0; i < question->option_count; i++) {
		const char *words = question->option[i].text.words;

		if (strstr(words, bound) || (strcmp(bound, "2") == 0 && strstr(words, "twice")))
			return true;
	}
	return false;
}

/* A student who sees "1.82 times" knows which option that is: options name their bounds, except
 * bounds around 1 ("as long", "slower") and times that nobody can know before (hundreds of cycles).
 */
TEST(options_name_the_bounds_between_them)
{
	int count, bounds = 0;
	struct lesson **lessons = lessons_all(&count);

	for (int i = 0; i < count; i++) {
		for (int j = 0; j < lessons[i]->step_count; j++) {
			const struct lesson_question *question = &lessons[i]->step[j].question;

			for (int k = 0; k < question->option_count; k++)
				for (const char *at = question->option[k].when;
					(at = strpbrk(at, "<>"));) {
					struct words bound;

					at += strspn(at, "<>= ");
					bound = words_of(
						"%.*s", (int)strspn(at, "0123456789."), at);
					if (!bound.text[0] || fabs(atof(bound.text) - 1) < 0.15 ||
						atof(bound.text) >= 100)
						continue;
					bounds++;
					if (!names_bound(question, bound.text))
						fail_msg("%s: no option names %s",
							lessons[i]->step[j].title, bound.text);
				}
		}
		lesson_free(lessons[i]);
	}
	free(lessons);
	assert_true(bounds > 40);
}

/* Both tables may be equally fast, and the explanation is then another one. */
TEST(hash_tables_are_explained_for_each_answer)
{
	struct lesson_mistakes mistakes = { 0 };
	struct sample now = { .valid = true, .cpe = 100 }, a = now;
	const struct lesson_values values = { .now = &now, .a = &a };
	static const double ratios[] = { 0.5, 1, 2 };
	struct text explained[3] = { 0 };
	struct lesson *lesson;

	check_ok(lesson_open("windows", &lesson, &mistakes));
	for (int i = 0; i < 3; i++) {
		now.cpe = 100 * ratios[i];
		assert_true(lesson_fill(
			&lesson->step[lesson->step_count - 1].explain, &values, &explained[i]));
	}
	assert_null(strstr(text_string(&explained[0]), "Here, "));
	check_contains(text_string(&explained[1]), "costs little");
	check_contains(text_string(&explained[2]), "A is no slower");
	for (int i = 0; i < 3; i++)
		text_free(&explained[i]);
	lesson_free(lesson);
}

/* A long circle of lessons does not slow down the list of lessons. */
TEST(lessons_that_name_each_other_in_a_long_circle_are_listed)
{
	enum { LESSONS = 3000 };
	char folder[] = "/tmp/test-lessons-XXXXXX", path[64];
	int count, circle = 0;
	struct lesson **lessons;
	clock_t begun = clock();

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/lessons", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 0; i < LESSONS; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/lessons/l%04d.lesson", folder, i);
		file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "title %d\nminutes 5\nafter l%04d\nstep One\n  Text.\n", i,
			(i + 1) % LESSONS);
		fclose(file);
	}
	setenv("SLEXPLORE_DATA", folder, 1);
	lessons = lessons_all(&count);
	unsetenv("SLEXPLORE_DATA");
	for (int i = 0; i < count; i++) {
		circle += lessons[i]->name[0] == 'l' && lessons[i]->after_count == 1;
		lesson_free(lessons[i]);
	}
	free(lessons);
	assert_true(circle >= LESSONS);
	for (int i = 0; i < LESSONS; i++) {
		snprintf(path, sizeof(path), "%s/lessons/l%04d.lesson", folder, i);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/lessons", folder);
	rmdir(path);
	rmdir(folder);
	assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 15);
}

RUN_TESTS()
