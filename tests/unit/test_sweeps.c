/* Named sweeps: reading them, turning their words, and what is drawn of them. */
#include "check.h"
#include "table.h"

#include <math.h>

#include "base/data.h"
#include "experiment/sweep/sweep.h"

static const char small[] = "# two rows\n"
			    "sweep over-n\n"
			    "title Time over n\n"
			    "kernel matmul form=naive,blocked n=8,16 block=32,64,advised\n"
			    "x n log\n"
			    "lines form block\n"
			    "y speedup\n"
			    "baseline form=naive\n"
			    "source A document\n"
			    "published speedup over 2 form=blocked n=16 | so it says\n"
			    "\n"
			    "sweep hill\n"
			    "title A hill\n"
			    "kernel mountain size=16k..64k*2 stride=1,2\n"
			    "x size\n";

static struct sweeps sweeps; /* of the present test */

static int tear_down(void **state)
{
	sweeps_free(&sweeps);
	return 0;
}

static struct named_sweep *first(void)
{
	check_ok(sweeps_read(small, "here", false, &sweeps));
	assert_int_equal(sweeps.count, 2);
	return &sweeps.sweep[0];
}

TEST(rows_are_read)
{
	const struct named_sweep *sweep = first();

	assert_string_equal(sweep->name, "over-n");
	assert_string_equal(sweep->kernel->name, "matmul");
	assert_int_equal(sweep->word_count, 3);
	assert_string_equal(sweep->word[1], "n=8,16");
	assert_string_equal(sweep->kernel->knobs[sweep->x].name, "n");
	assert_true(sweep->log_x && !sweep->log_y);
	assert_int_equal(sweep->line_count, 2);
	assert_int_equal(sweep->figure, SWEEPS_SPEEDUP);
	assert_int_equal(sweep->published_count, 1);
	assert_true(sweep->published[0].over);
	check_near(sweep->published[0].value, 2, 0);
	assert_string_equal(sweep->published[0].words, "so it says");
	assert_ptr_equal(sweeps_find(&sweeps, "hill"), &sweeps.sweep[1]);
	assert_null(sweeps_find(&sweeps, "hil"));
	assert_int_equal(sweeps.sweep[1].base, -1);
}

/* The text is refused at that line, in a message that names the word. */
static void check_refused(const char *text, int line, const char *word)
{
	struct status status = sweeps_read(text, "here", false, &sweeps);
	char place[16];

	assert_int_equal(status.code, STATUS_FAILED);
	snprintf(place, sizeof(place), "here:%d: ", line);
	check_parts(status.text, place, word);
	assert_int_equal(sweeps.count, 0);
}

/* A sweep's table has columns for its quantity, for those with published values, and for more. */
TEST(more_columns_are_asked_for)
{
	const struct named_sweep *sweep;

	check_ok(sweeps_load(&sweeps));
	sweep = sweeps_find(&sweeps, "tree-array");
	assert_true(sweeps_asks(sweep, SWEEPS_SECONDS));
	assert_true(sweeps_asks(sweep, SWEEPS_SPEEDUP));
	assert_true(sweeps_asks(sweep, SWEEPS_CPI));
	assert_true(sweeps_asks(sweep, SWEEPS_INSTRUCTIONS));
	assert_false(sweeps_asks(sweep, SWEEPS_TRAFFIC));
}

TEST(mistakes_are_named_with_their_line)
{
	struct table table;

	table_open(&table, "sweeps", "refused");
	while (table_next(&table, 3))
		check_refused(table_unescape(table.field[2]), atoi(table.field[0]), table.field[1]);
}

/* ---- claims ---- */

/* Rows of a sweep over form and n, with these cycles per element and instructions. */
static struct sweeps_row claim_row(
	const char *form, const char *n, double cpe, double spread, double instructions)
{
	struct sweeps_row row = { .limit = LIMIT_COUNT, .bound = NAN };
	char word[32];

	setting_init(&row.setting, kernel_find("matmul"));
	snprintf(word, sizeof(word), "form=%s", form);
	check_ok(setting_assign(&row.setting, word, MEMORY_LIMITS_UNKNOWN));
	snprintf(word, sizeof(word), "n=%s", n);
	check_ok(setting_assign(&row.setting, word, MEMORY_LIMITS_UNKNOWN));
	row.sample = (struct sample){ .valid = true,
		.cpe = cpe,
		.cpe_lo = cpe - spread,
		.cpe_hi = cpe + spread,
		.ns = cpe / 4,
		.gbps = NAN,
		.bytes_per_cycle = NAN,
		.trials = 100 };
	sample_ratios_none(&row.sample_ratios);
	row.sample_ratios.instructions = instructions;
	sample_ratios_renew(&row.sample, &row.sample_ratios);
	return row;
}

/* The line that a claim gets for the rows: naive 2, 4 and 8 cycles at n = 8, 16 and 24;
 * blocked 2.2, 2 and 2. */
static void check_claim(const char *claim, const char *const *parts)
{
	const struct sweeps_row rows[] = { claim_row("naive", "8", 2, 0.05, 3),
		claim_row("naive", "16", 4, 0.05, 3), claim_row("naive", "24", 8, 0.05, 3),
		claim_row("blocked", "8", 2.2, 0.05, 6), claim_row("blocked", "16", 2, 0.05, 6),
		claim_row("blocked", "24", 7.9, 0.5, 6) };
	struct text text = { 0 }, lines = { 0 };

	text_addf(&text,
		"sweep a\ntitle A\nkernel matmul form=naive,blocked n=8,16,24\nx n\nclaim "
		"%s | so it says\n",
		claim);
	check_ok(sweeps_read(text_string(&text), "here", false, &sweeps));
	sweeps_claims(&sweeps.sweep[0], rows, 6, &lines);
	for (; *parts; parts++)
		check_contains(text_string(&lines), *parts);
	sweeps_free(&sweeps);
	text_free(&text);
	text_free(&lines);
}
#define claims(claim, ...) check_claim(claim, (const char *const[]){ __VA_ARGS__, NULL })

TEST(claims_are_judged_by_values_and_their_spread)
{
	claims("cpe form=blocked < form=naive at n=16",
		"claim holds here: so it says: at n=16 form=blocked cpe 2.000 (1.950 to 2.050), "
		"form=naive 4.000 (3.950 to 4.050), 0.500 times");
	/* One place suffices to refute it; it is named, with the cause. */
	claims("cpe form=blocked < form=naive to n=16",
		"claim does not hold here: so it says (it holds at 1 of 2 places): at n=8",
		"1.100 times; form=naive is faster because it runs 3.000 instructions an element, "
		"form=blocked 6.000");
	/* What lies within the spread decides nothing. */
	claims("cpe form=blocked < form=naive from n=16",
		"claim is within the spread here: so it says (it holds at 1 of 2 places): at n=24");
	claims("cpe form=naive n=24 > 3 form=naive n=8", "claim holds here", "4.000 times");
	claims("cpe form=naive n=24 > 5 form=naive n=8", "claim does not hold here");
	claims("cpe form=naive n=16 = 2 form=naive n=8", "claim holds here");
	claims("cpe form=naive n=16 = 2.5 form=naive n=8", "claim does not hold here");
	claims("cpe form=blocked = form=naive at n=8", "claim holds here");
	/* A small effect is refuted by none. */
	claims("cpe form=blocked n=16 = 0.9 form=blocked n=8", "claim holds here");
	claims("cpe form=naive n=8 = 0.85 form=blocked n=16", "claim does not hold here");
	claims("instructions form=blocked = 2 form=naive",
		"claim holds here: so it says (at 3 of 3", "2.000 to 2.000 times the instructions");
}

TEST(mistakes_in_claims_are_named)
{
#define CLAIM "sweep a\nkernel matmul n=8\nclaim "
	check_refused(CLAIM "cpe n=8 < n=16\n", 3, "TEXT");
	check_refused(CLAIM "cpe n=8 <= n=16 | words\n", 3, "expected <, = or >");
	check_refused(CLAIM "cpe < n=16 | words\n", 3, "expected KNOB=VALUE");
	check_refused(CLAIM "cpe n=8 > 2 | words\n", 3, "expected KNOB=VALUE");
	check_refused(CLAIM "cpe n=8 > 2 n=16 with form=naive | words\n", 3, "\"with\"");
	check_refused(CLAIM "speed n=8 > 2 n=16 | words\n", 3, "\"speed\"");
	check_refused(CLAIM "cpe m=8 > 2 n=16 | words\n", 3, "\"m\"");
	check_refused("sweep a\nclaim cpe n=8 < n=16 | words\n", 2, "before the kernel");
}

TEST(short_times_keep_their_digits)
{
	assert_string_equal(sweeps_number(SWEEPS_SECONDS, 0.000512345).text, "0.000512");
	assert_string_equal(sweeps_number(SWEEPS_SECONDS, 2.74).text, "2.740");
	assert_string_equal(sweeps_number(SWEEPS_CPI, 0.25).text, "0.250");
}

TEST(claims_without_rows_say_nothing)
{
	const struct sweeps_row row = claim_row("naive", "8", 2, 0.05, 3);
	struct text lines = { 0 };

	check_ok(sweeps_read("sweep a\ntitle A\nkernel matmul form=naive n=8\nx n\nclaim cpe "
			     "form=blocked < form=naive | words\n",
		"here", false, &sweeps));
	sweeps_claims(&sweeps.sweep[0], &row, 1, &lines);
	assert_string_equal(text_string(&lines), "");
}

/* Every claim of the shipped file is about values that its sweep measures. */
TEST(shipped_claims_find_their_rows)
{
	int claims = 0;

	check_ok(sweeps_load(&sweeps));
	for (int i = 0; i < sweeps.count; i++) {
		const struct named_sweep *named = &sweeps.sweep[i];
		struct sweep *sweep = sweep_new(named->kernel, &(struct sweep_options){ 0 });
		struct setting settings[2048];
		struct sweeps_row rows[2048] = { 0 };
		struct status status;
		size_t count;

		check_ok(sweeps_assign(named, sweep));
		status = sweep_begin(sweep, MEMORY_LIMITS_UNKNOWN);
		/* A kernel may need instructions that this processor lacks. */
		count = status_is_ok(&status) ? sweep_settings(sweep, settings, 2048) : 0;
		for (size_t k = 0; k < count; k++) {
			rows[k] = claim_row("naive", "8", 2, 0.05, 3);
			rows[k].setting = settings[k];
			rows[k].facts.ring = 1;
			rows[k].sample.gbps = rows[k].sample_ratios.lines =
				rows[k].sample_ratios.peak = 1;
		}
		for (int k = 0; k < named->claim_count && count; k++) {
			struct named_sweep one = *named;
			struct text lines = { 0 };

			one.claim[0] = named->claim[k];
			one.claim_count = 1;
			sweeps_claims(&one, rows, count, &lines);
			if (!lines.length && sweep_progress(sweep).excluded == 0)
				fail_msg("%s: no rows for \"%s\"", named->name,
					named->claim[k].words);
			claims++;
			text_free(&lines);
		}
		sweep_free(sweep);
	}
	assert_true(claims > 40);
}

TEST(rows_of_other_programs_are_passed_over)
{
	static const char text[] = "sweep a\ntitle A\nkernel nothing n=1\nx m\nbaseline "
				   "m=2\n\nsweep b\ntitle B\nkernel mountain size=4k,8k\nx size\n";

	check_ok(sweeps_read(text, "here", true, &sweeps));
	assert_int_equal(sweeps.count, 1);
	assert_string_equal(sweeps.sweep[0].name, "b");
	sweeps_free(&sweeps);
	check_ok(sweeps_read("sweep a\ntitle A\nkernel nothing n=1\nx m\n", "here", true, &sweeps));
	assert_int_equal(sweeps.count, 0);
}

/* A kernel alone has its usual sweep, and so has one with other knobs; its own knobs ask for
 * something else. */
TEST(the_usual_sweep_is_the_kernels)
{
	static char with_size[] = "size=1m", with_other[] = "op=*";
	char *const words[] = { with_other, with_size };
	const struct kernel *mountain = kernel_find("mountain");

	first();
	assert_null(sweeps_usual(&sweeps, mountain, NULL, 0));
	sweeps.sweep[1].usual = true;
	assert_ptr_equal(sweeps_usual(&sweeps, mountain, NULL, 0), &sweeps.sweep[1]);
	assert_ptr_equal(sweeps_usual(&sweeps, mountain, words, 1), &sweeps.sweep[1]);
	assert_null(sweeps_usual(&sweeps, mountain, words, 2));
	assert_null(sweeps_usual(&sweeps, kernel_find("combine"), NULL, 0));
	sweeps_free(&sweeps);
	/* The shipped one. */
	check_ok(sweeps_load(&sweeps));
	assert_string_equal(sweeps_usual(&sweeps, mountain, NULL, 0)->name, "memory-mountain");
	assert_null(sweeps_usual(&sweeps, kernel_find("matmul"), NULL, 0));
	sweeps_free(&sweeps);
	check_refused(
		"sweep a\ntitle A\nkernel mountain size=16k\nusual yes\nx size\n", 4, "\"yes\"");
}

TEST(words_are_replaced)
{
	struct named_sweep *sweep = first();
	unsigned given = 0;

	check_ok(sweeps_override(sweep, "n=100", &given));
	check_ok(sweeps_override(sweep, "pad=1", &given));
	assert_int_equal(sweep->word_count, 4);
	assert_string_equal(sweep->word[1], "n=100");
	assert_string_equal(sweep->word[3], "pad=1");
	check_contains(sweeps_override(sweep, "n=200", &given).text, "n is given twice");
	check_contains(sweeps_override(sweep, "m=200", &given).text, "no knob \"m\"");
	assert_int_equal(sweeps_override(sweep, "nothing", &given).code, STATUS_USAGE);
}

TEST(the_baseline_comes_first)
{
	struct named_sweep *sweep = first();
	unsigned given = 0;
	char *word;

	assert_true(sweeps_settle(sweep));
	check_ok(sweeps_override(sweep, "form=blocked,naive,reordered", &given));
	/* Wherever its knob stands. */
	word = sweep->word[0];
	sweep->word[0] = sweep->word[1];
	sweep->word[1] = word;
	assert_true(sweeps_settle(sweep));
	assert_string_equal(sweep->word[0], "form=naive,blocked,reordered");
	assert_string_equal(sweep->word[1], "n=8,16");
	given = 0;
	check_ok(sweeps_override(sweep, "form=blocked", &given));
	assert_false(sweeps_settle(sweep));
}

TEST(what_is_advised_takes_its_place)
{
	struct named_sweep *sweep = first();
	unsigned given = 0;

	sweeps_advise(sweep, 48);
	assert_string_equal(sweep->word[2], "block=32,48,64");
	check_ok(sweeps_override(sweep, "block=32,64,advised", &given));
	sweeps_advise(sweep, 64);
	assert_string_equal(sweep->word[2], "block=32,64");
	given = 0;
	check_ok(sweeps_override(sweep, "block=advised,32", &given));
	sweeps_advise(sweep, 100);
	assert_string_equal(sweep->word[2], "block=32,100");
	given = 0;
	check_ok(sweeps_override(sweep, "block=32,advised", &given));
	sweeps_advise(sweep, 0);
	assert_string_equal(sweep->word[2], "block=32");
}

TEST(values_of_a_row)
{
	const struct sample sample = { .valid = true,
		.cpe = 2,
		.ns = 0.5,
		.gbps = 16,
		.bytes_per_cycle = 4 },
			    base = { .valid = true, .cpe = 5 }, none = { 0 };
	const struct run_facts facts = { .ring = 1000000000 };
	/* A line of 64 bytes in half a nanosecond, of 256 at most; and no line. */
	struct sample_ratios unknown, ratios, no_lines;
	const struct {
		enum sweeps_figure figure;
		const struct sample *sample, *base;
		const struct sample_ratios *ratios;
		double value;
	} rows[] = {
		{ SWEEPS_CPE, &sample, NULL, NULL, 2 },
		{ SWEEPS_NS, &sample, NULL, NULL, 0.5 },
		{ SWEEPS_SECONDS, &sample, NULL, NULL, 0.5 },
		{ SWEEPS_GBPS, &sample, NULL, NULL, 16 },
		{ SWEEPS_BYTES_PER_CYCLE, &sample, NULL, NULL, 4 },
		{ SWEEPS_SPEEDUP, &sample, &base, NULL, 2.5 },
		{ SWEEPS_SPEEDUP, &sample, NULL, NULL, NAN },
		{ SWEEPS_SPEEDUP, &sample, &none, NULL, NAN },
		{ SWEEPS_CPI, &sample, NULL, NULL, NAN },
		{ SWEEPS_TRAFFIC, &sample, NULL, &unknown, NAN },
		{ SWEEPS_INSTRUCTIONS, &sample, NULL, &ratios, 8 },
		{ SWEEPS_INSTRUCTIONS_TOTAL, &sample, NULL, &ratios, 8000 },
		{ SWEEPS_CPI, &sample, NULL, &ratios, 0.25 },
		{ SWEEPS_TRAFFIC, &sample, NULL, &ratios, 50 },
		{ SWEEPS_TRAFFIC, &sample, NULL, &no_lines, 0 },
		{ SWEEPS_CPE, &none, NULL, NULL, NAN },
	};

	sample_ratios_none(&unknown);
	ratios = unknown;
	ratios.instructions = 8;
	ratios.lines = 1;
	ratios.lines_from = SOURCE_MODEL;
	ratios.peak = 256;
	no_lines = ratios;
	no_lines.lines = 0;
	no_lines.peak = NAN;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double value = sweeps_value(
			rows[i].figure, rows[i].sample, &facts, rows[i].ratios, rows[i].base);

		if (isnan(rows[i].value))
			assert_true(isnan(value));
		else
			check_near(value, rows[i].value, 1e-9);
	}
}

TEST(lines_titles_and_baselines)
{
	const struct named_sweep *sweep = first();
	struct setting setting, base;
	struct text text = { 0 };

	setting_init(&setting, sweep->kernel);
	check_ok(setting_assign(&setting, "form=blocked", MEMORY_LIMITS_UNKNOWN));
	check_ok(setting_assign(&setting, "block=32", MEMORY_LIMITS_UNKNOWN));
	check_ok(setting_assign(&setting, "acc=4", MEMORY_LIMITS_UNKNOWN));
	check_ok(setting_assign(&setting, "n=16", MEMORY_LIMITS_UNKNOWN));
	sweeps_line(sweep, &setting, &text);
	assert_string_equal(text_string(&text), "form=blocked block=32");
	text_clear(&text);
	sweeps_figure_title(sweep, sweep->figure, &text);
	assert_string_equal(text_string(&text), "speedup over form=naive");
	text_free(&text);
	/* The naive form has neither blocks nor several sums: the kernel fits what it is relative
	 * to. */
	assert_true(sweeps_baseline(sweep, &setting, &base));
	assert_int_equal(base.v[kernel_knob(sweep->kernel, "form")], 0);
	assert_int_equal(base.v[kernel_knob(sweep->kernel, "block")], 64);
	assert_int_equal(base.v[kernel_knob(sweep->kernel, "acc")], 0);
	assert_int_equal(base.v[kernel_knob(sweep->kernel, "n")], 16);
	assert_true(sweeps_published_of(sweep, &sweep->published[0], &setting));
	assert_false(sweeps_published_of(sweep, &sweep->published[0], &base));
	assert_false(sweeps_baseline(&sweeps.sweep[1], &setting, &base));
}

/* Begins a sweep. Returns false if this processor cannot run any of its settings. */
static bool begun(struct sweep *sweep)
{
	struct status status = sweep_begin(sweep, MEMORY_LIMITS_UNKNOWN);

	if (strstr(status.text, "this processor"))
		return false;
	check_ok(status);
	return true;
}

/* Each can be begun as it stands, has a name of its own, and something to be seen along x. */
TEST(every_shipped_sweep_is_sound)
{
	check_ok(sweeps_load(&sweeps));
	assert_true(sweeps.count >= 6);
	for (int i = 0; i < sweeps.count; i++) {
		struct named_sweep *named = &sweeps.sweep[i];
		const struct sweep_options options = { 0 };
		struct sweep *sweep = sweep_new(named->kernel, &options);
		const struct sweep_report *report = sweep_report(sweep);
		size_t seen = 0;

		assert_null(kernel_find(named->name));
		assert_true(*named->source != '\0');
		assert_true(sweeps_settle(named));
		sweeps_advise(named, 48);
		for (int k = 0; k < named->word_count; k++)
			check_ok(sweep_assign(sweep, named->word[k]));
		if (!begun(sweep)) {
			sweep_free(sweep);
			continue;
		}
		for (size_t k = 0; k < report->axis_count; k++) {
			bool line = false;

			for (int l = 0; l < named->line_count; l++)
				line |= named->line[l] == report->axes[k].knob;
			seen += report->axes[k].knob == named->x && report->axes[k].count > 1;
			/* What varies is along x or makes lines: nothing lies on top of something
			 * else. */
			assert_true(report->axes[k].count == 1 ||
				    report->axes[k].knob == named->x || line);
		}
		assert_int_equal(seen, 1);
		sweep_free(sweep);
	}
}

/* ---- the published order */

/* Add before mul as others published it, by speedups: three times as fast at 4k, twice at 8k. */
static const char ways[] =
	"sweep fold-ways\ntitle ways\nkernel combine op=add,mul size=4k,8k\nx size\nlines op\ny "
	"speedup\nbaseline op=mul\n"
	"published speedup 3 op=add size=4k\npublished speedup 2 op=add size=8k\n";

static struct sweeps_row row_of(int64_t op, int64_t size, double ns)
{
	struct sweeps_row row = { .sample = { .valid = true, .ns = ns, .cpe = 4 * ns },
		.facts = { .ring = 1000 },
		.limit = LIMIT_COUNT,
		.bound = NAN };

	setting_init(&row.setting, kernel_find("combine"));
	row.setting.v[kernel_knob(row.setting.kernel, "op")] = op;
	row.setting.v[kernel_knob(row.setting.kernel, "size")] = size;
	sample_ratios_none(&row.sample_ratios);
	return row;
}

static void check_order(
	const char *text, const struct sweeps_row *rows, size_t count, const char *expected)
{
	struct text lines = { 0 };

	check_ok(sweeps_read(text, "test", false, &sweeps));
	sweeps_order(&sweeps.sweep[0], rows, count, &lines);
	assert_string_equal(text_string(&lines), expected);
	text_free(&lines);
	sweeps_free(&sweeps);
}

TEST(the_published_order_is_said_to_be_that)
{
	struct sweeps_row rows[] = { row_of(1, 4096, 6), row_of(1, 8192, 6), row_of(0, 4096, 2),
		row_of(0, 8192, 2) };

	check_order(ways, rows, 4, "the order is the same as the published one\n");
	/* The rings of two ways may have different numbers of elements: speedups are of elements.
	 */
	rows[2].facts.ring = 4000;
	rows[3].facts.ring = 4000;
	check_order(ways, rows, 4, "the order is the same as the published one\n");
	/* Nothing to compare: other places, one way alone, no figure. */
	check_order(ways, rows, 2, "");
	rows[2] = row_of(0, 1 << 20, 2);
	rows[3].sample.valid = false;
	check_order(ways, rows, 4, "");
	check_order(ways, rows, 0, "");
}

TEST(another_order_is_told_with_its_reasons)
{
	struct sweeps_row rows[] = { row_of(1, 4096, 2), row_of(1, 8192, 6), row_of(0, 4096, 4.2),
		row_of(0, 8192, 2) };

	check_order(ways, rows, 4,
		"size=4k: published: add is faster than mul by 3.00 times; "
		"here mul is 2.10 times as fast\n");
	rows[0].sample_ratios.instructions = 0.9;
	rows[2].sample_ratios.instructions = 3;
	rows[0].sample_ratios.cpi = 0.4;
	rows[2].sample_ratios.cpi = 0.41;
	rows[2].sample_ratios.share = 0.83;
	check_order(ways, rows, 4,
		"size=4k: published: add is faster than mul by 3.00 times; here mul is 2.10 times "
		"as "
		"fast: it runs 0.900 "
		"instructions an element, add 3.000; add takes 83 % of what memory gives a core\n");
	rows[2].sample_ratios.instructions = 0.9;
	rows[2].sample_ratios.share = NAN;
	rows[0].limit = LIMIT_PORTS;
	rows[0].bound = 1;
	rows[2].limit = LIMIT_MEMORY_LATENCY;
	rows[2].bound = 7;
	check_order(ways, rows, 4,
		"size=4k: published: add is faster than mul by 3.00 times; here mul is 2.10 times "
		"as "
		"fast: its limit is "
		"ports, 1.000 cycles, add's memory-latency, 7.000\n");
	/* Alike is no other order. */
	rows[0].sample.ns = 4.1;
	check_order(ways, rows, 4, "the order is the same as the published one\n");
}

TEST(published_times_are_compared_as_times)
{
	static const char times[] = "sweep fold-times\ntitle times\nkernel combine op=add,mul\nx "
				    "size\nlines op\ny seconds\nbaseline op=mul\n"
				    "published seconds 2 op=add\npublished seconds 3 op=mul\n";
	struct sweeps_row rows[] = { row_of(0, 32768, 5), row_of(1, 32768, 2) };

	check_order(times, rows, 2,
		"published: add is faster than mul by 1.50 times; here mul is 2.50 times as "
		"fast\n");
}

RUN_TESTS(.each_tear_down = tear_down)
