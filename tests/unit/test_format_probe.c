/* A probe of a machine made up, in every format. */
#include "csv.h"
#include "probe_fakes.h"

#include "fakes.h"
#include "written.h"

#include <limits.h>

#include "experiment/probe/probe.h"
#include "explorer/turns.h"

static uint64_t max_size; /* as asked for */
static bool alone;	  /* chains beside another tell nothing */
static bool contended;	  /* reads of the second cache */

/* The whole of it, or so many requests. */
static struct probe *probed(unsigned most)
{
	const struct probe_options options = { .seed = 3, .max_size = max_size };
	struct status status;
	struct request request;
	struct probe *probe;
	struct turns *turns;
	double now = 0;

	machine = (struct machine){ .cache_count = 3,
		.cache = { { 1, 48 << 10, 64 }, { 2, 2 << 20, 64 }, { 3, 64 << 20, 64 } },
		.memory_limit = UINT64_C(8) << 30,
		.huge_pages = true,
		.processors = 2,
		.processor.dtlb = { 96, 2048 },
		.cpu = 3,
		.name = "Test CPU, model 1" };
	probe = probe_new(&machine, &options, &status);
	check_ok(status);
	turns = turns_new(&(struct campaign){ &campaign_probe, probe });
	for (unsigned i = 0; i < most && turns_next(turns, now, &request); i++) {
		struct result result = fake_result(&request,
			alone && request.v[CHASE_CHAINS] > 1 && request.kernel == &kernel_chase
				? 0
				: 40,
			cycles_of(&request));

		set_words(result.facts.pages, "4k");
		/* One that takes turns between two. */
		for (unsigned k = 0; request.v[CHASE_SIZE] == 4096 && k < 16; k++)
			result.trials.trial[k].cpe *= 2;
		now += 0.01;
		turns_accept(turns, now, &result);
	}
	turns_free(turns);
	return probe;
}

static char *write_probe(const char *format, unsigned most, bool points)
{
	struct probe *probe = probed(most);

	prepare(format, &subject_probe);
	report.seed = 3;
	report.points = points;
	if (contended) /* made up, in place */
		((struct probe_report *)probe_report(probe))
			->band[1]
			.point[PROBE_READ]
			.sample.contended = true;
	report_whole(&report, probe_report(probe));
	assert_int_equal(fclose(report.out), 0);
	probe_free(probe);
	return written;
}

TEST(json_has_a_record_for_everything)
{
	static const char *const wanted[] = { "probe", "sample", "plateau", "knee", "level", "band",
		"finding" };
	char *text = write_probe("json", 100000, false), *rest;
	unsigned seen[7] = { 0 }, id = 0;
	unsigned sample_of_band = 0;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *object = parse(line);
		const char *record;

		assert_int_equal(json_integer_value(json_object_get(object, "id")), ++id);
		assert_string_equal(json_string_value(json_object_get(object, "host")), "node7");
		record = json_string_value(json_object_get(object, "record"));
		for (size_t i = 0; i < 7; i++)
			seen[i] += strcmp(record, wanted[i]) == 0;
		if (strcmp(record, "probe") == 0) {
			check_members(
				object, "{'complete': true, 'max_size': 268435456, 'seed': 3}");
			assert_int_equal(json_array_size(json_object_get(object, "parts")), 5);
			assert_int_equal(json_array_size(json_object_get(object, "pages")), 2);
		} else if (strcmp(record, "sample") == 0) {
			assert_true(*string_at(object, "part"));
			assert_true(json_is_integer(json_object_get(object, "x")));
			sample_of_band = id;
		} else if (strcmp(record, "band") == 0) {
			assert_int_equal(number_at(object, "sample"), sample_of_band);
			assert_true(number_at(object, "lines_per_cycle") > 0);
		} else if (strcmp(record, "level") == 0 && number_at(object, "number") == 1 &&
			   strcmp(string_at(object, "kind"), "cache") == 0) {
			/* A cache has no entries. */
			check_members(object, "{'bytes': 49152, 'stated': 49152, 'entries': null}");
		}
		json_decref(object);
	}
	for (size_t i = 0; i < 7; i++)
		assert_true(seen[i] > 0);
	assert_int_equal(seen[0], 1);
}

TEST(csv_has_a_line_for_each_point)
{
	char *text = write_probe("csv", 100000, false), *rest;
	unsigned lines = 0, bands = 0;
	int wanted = 0;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (lines++ == 0)
			wanted = csv_width(line);
		assert_int_equal(csv_width(line), wanted);
		bands += strstr(line, ",bandwidth,L1d,") != NULL;
	}
	assert_true(lines > 150);
	assert_int_equal(bands, 3);
}

TEST(text_keeps_to_eighty_columns_and_says_it_all)
{
	char *text = write_probe("text", 100000, false), *rest;

	check_parts(text, "Test CPU, model 1", "(got:", "48 KiB", "L1 DTLB: 96 entries",
		"line: 64 bytes", "loads at once", "(timed, in ", "Lines a cycle elsewhere",
		"* The system says that L3 has 64 MiB.", "o 4k pages, x huge pages, * both");
	assert_null(strstr(text, "Not complete"));
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		assert_true(strlen(line) <= 80);
}

/* Where memory was slower while one load alone was timed, what the others gain is too much, and
 * said to be. */
TEST(text_doubts_more_gain_than_loads_at_once)
{
	struct probe *probe = probed(UINT_MAX);
	char words[160];

	for (int slower = 0; slower < 2; slower++) {
		struct probe_report *tampered =
			(struct probe_report *)(uintptr_t)probe_report(probe);

		assert_true(tampered->parallel.count > 3 && tampered->parallel.point[0].x == 1);
		if (slower) {
			tampered->parallel.point[0].sample.cpe *= 2;
			tampered->parallel.point[0].sample.ns *= 2;
		}
		assert_true(probe_parallel_words(&tampered->parallel, words, sizeof(words)));
		assert_true((strstr(words, "slowed down") != NULL) == (slower == 1));
		write_whole("text", &subject_probe, tampered);
		assert_true((strstr(written, "at most N times as fast") != NULL) == (slower == 1));
	}
	probe_free(probe);
}

TEST(text_says_what_is_not_complete)
{
	char *text = write_probe("text", 40, false);

	check_parts(text, "Not complete: ", "48 KiB");
	assert_null(strstr(text, "loads at once"));
}

TEST(text_lists_points_when_asked_to)
{
	char *text = write_probe("text", 100000, true);

	check_parts(text, "latency, huge pages", "pairs, bytes apart", " or ");
	assert_null(strstr(text, "* both"));
}

/* A working set that takes more octaves than the usual plot has room for is on it all the same. */
TEST(text_shows_the_whole_curve)
{
	char *text;

	max_size = UINT64_C(4) << 30;
	text = write_probe("text", 100000, false);
	assert_non_null(strstr(text, " 4g\n"));
	max_size = 0;
}

/* What could not be measured is no 0. */
TEST(text_has_no_figure_where_there_is_none)
{
	char *text, *row;

	alone = true;
	text = write_probe("text", 100000, false);
	row = strstr(text, "ns a load");
	assert_non_null(row);
	row[strcspn(row, "\n")] = '\0';
	assert_non_null(strstr(row, " -      -"));
	assert_null(strstr(row, "0.000"));
	alone = false;
}

TEST(text_marks_a_contended_bandwidth)
{
	char *text = write_probe("text", 100000, false), *row;

	assert_null(strchr(text, '?'));
	contended = true;
	text = write_probe("text", 100000, false);
	assert_non_null(strstr(text, "(?: contended or not settled"));
	row = strstr(strstr(text, "B/cycle lines"), "\nL2 ");
	assert_non_null(row);
	row[1 + strcspn(row + 1, "\n")] = '\0';
	assert_ptr_equal(strchr(row, '?'), strrchr(row, '?'));
	assert_non_null(strchr(row, '?'));
	contended = false;
}

RUN_TESTS()
