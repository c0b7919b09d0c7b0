#include "check.h"

#include "base/data.h"
#include "kernels/window.h"
#include "model/windows/buffers.h"

TEST(the_shipped_table_is_read_whole)
{
	struct buffers buffers;
	const char *text = data_built_in("windows");
	int rests = 0, published = 0;

	assert_non_null(text);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		rests += strncmp(line, "rest ", 5) == 0;
		published += strncmp(line, "published ", 10) == 0;
		assert_true(*line == '#' || *line == '\n' || strncmp(line, "rest ", 5) == 0 ||
			    strncmp(line, "published ", 10) == 0);
	}
	buffers_load(&buffers);
	assert_int_equal(buffers.rest_count, rests);
	assert_int_equal(buffers.published.count, published);
	assert_true(rests >= 5 && published > 20);
	/* Of buffers that some filler fills. */
	for (int i = 0; i < published + rests; i++) {
		const char *buffer = i < published ? buffers.published.row[i].name
						   : buffers.rest[i - published].buffer;
		bool filled = strcmp(window_flags.buffer, buffer) == 0;

		for (int k = 0; k < WINDOW_KINDS; k++)
			filled |= strcmp(window_fillers[k].buffer, buffer) == 0;
		assert_true(filled);
		if (i < published)
			check_contains(buffers.published.row[i].source, "Downs");
	}
}

TEST(others_are_listed_as_far_as_there_is_room)
{
	struct buffers buffers;
	char words[BUFFERS_WORDS], few[40];
	const char *source;

	buffers_load(&buffers);
	assert_true(literature_words(&buffers.published, "rob", words, sizeof(words), &source));
	assert_string_equal(words, "Sandy Bridge 168, Ivy Bridge 168, Haswell 192, Broadwell 192, "
				   "Zen 192, Skylake 224, "
				   "Zen 2 224, Sunny Cove 352 (reported)");
	assert_string_equal(source, "Downs, Performance Speed Limits");
	assert_true(literature_words(&buffers.published, "rob", few, sizeof(few), NULL));
	assert_string_equal(few, "Zen 2 224, Sunny Cove 352 (reported)");
	assert_false(
		literature_words(&buffers.published, "store-queue", words, sizeof(words), &source));
	assert_string_equal(words, "");
	assert_null(source);
}

TEST(bandwidths_are_published_by_level)
{
	struct literature literature;
	const char *text = data_built_in("bandwidths");
	char words[200];
	int rows = 0;

	assert_non_null(text);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		rows += *line != '#' && *line != '\n';
	literature_load(&literature, "bandwidths");
	assert_int_equal(literature.count, rows);
	for (int i = 0; i < literature.count; i++)
		check_contains(literature.row[i].source, "Downs");
	assert_true(literature_words(&literature, "L2", words, sizeof(words), NULL));
	assert_string_equal(words, "Cannon Lake 0.75, Skylake server 1, Skylake 1, Haswell 0.5");
	assert_true(literature_words(&literature, "L3", words, sizeof(words), NULL));
	assert_false(literature_words(&literature, "L1d", words, sizeof(words), NULL));
	assert_string_equal(words, "");
}

TEST(a_core_model_has_entries)
{
	struct uarch *uarch;

	check_ok(uarch_load("skylake", "x86_64", &uarch));
	assert_true(buffers_size(uarch, "rob") == 224);
	assert_true(buffers_size(uarch, "store-queue") == 56);
	assert_true(buffers_size(uarch, "calls") == 14);
	assert_true(isnan(buffers_size(uarch, "load-scheduler")));
	assert_true(isnan(buffers_size(NULL, "rob")));
	uarch_free(uarch);
}

static struct knee sharp(double x, double lo, double hi)
{
	return (struct knee){ .kind = KNEE_SHARP,
		.x = x,
		.lo = lo,
		.hi = hi,
		.from = lo,
		.to = hi + 1,
		.noise = 0.02 };
}

static const struct window_filler nop = { "nop", "rob", "reorder buffer", 1, 2, "nops", "" };
static const struct window_filler add = { "add", "registers", "integer registers", 1, 0,
	"additions", "" };
static const struct window_filler jal = { "jal", "branches", "branches in flight", 2, 1,
	"calls by jumps", "" };

/* wanted: a part of the words that names the figures; empty: there is nothing to say. */
static void check_difference(
	struct knee knee, const struct window_filler *filler, double entries, const char *wanted)
{
	struct buffers buffers;
	char words[BUFFERS_WORDS];

	buffers_load(&buffers);
	buffers_difference(&buffers, &knee, filler, entries, words);
	if (*wanted)
		check_contains(words, wanted);
	else
		assert_string_equal(words, "");
}

TEST(the_difference_is_explained)
{
	struct knee soft = {
		.kind = KNEE_SOFT, .x = 230, .lo = 200, .hi = 260, .from = 200, .to = 260
	};
	struct knee none = { .kind = KNEE_NONE, .x = NAN, .lo = NAN, .hi = NAN };
	struct knee unclear = {
		.kind = KNEE_UNCLEAR, .x = 300, .lo = 200, .hi = 400, .noise = 0.23
	};

	check_difference(sharp(506, 506, 506), &nop, 512, "508 of 512 entries");
	check_difference(sharp(510, 510, 510), &nop, 512, "512 entries");
	check_difference(sharp(508, 507, 510), &nop, 512, "about 510 entries");
	check_difference(sharp(440, 440, 440), &nop, 512, "442 entries: 70 fewer");
	check_difference(sharp(530, 529, 530), &nop, 512, "532 entries: 20 more");
	check_difference(sharp(235, 235, 235), &nop, 320, "237 of 320 entries: another");
	check_difference(sharp(1255, 1255, 1255), &nop, 320, "several share an entry");
	check_difference(sharp(220, 220, 220), &add, 248, "220 of 248 entries");
	check_difference(sharp(62, 62, 62), &jal, 128, "125 of 128 entries");
	check_difference(sharp(510, 510, 510), NULL, 512, "510 fillers");
	check_difference(sharp(510, 510, 510), &nop, NAN, "");
	check_difference(soft, &add, 248, "248");
	check_difference(soft, &add, 180, "from 200 to 260 fillers");
	check_difference(soft, NULL, NAN, "from 200 to 260 fillers");
	/* 401 to 521 entries. */
	check_difference(soft, &jal, 512, "512");
	check_difference(soft, &jal, 248, "from 200 to 260 fillers");
	check_difference(none, &jal, 128, "128 entries");
	check_difference(none, &jal, NAN, "");
	none.work = true;
	check_difference(none, &jal, 128, "own work");
	check_difference(unclear, &nop, 512, "23 %");
	unclear.sparse = true;
	check_difference(unclear, &nop, 512, "few points");
}

TEST(knees_are_named_with_their_range)
{
	const struct {
		struct knee knee;
		const char *words;
	} rows[] = {
		{ sharp(506, 506, 506), "506" },
		{ sharp(506, 504, 507), "506 (504 to 507)" },
		{ { .kind = KNEE_SOFT, .x = 230, .lo = 200, .hi = 260, .from = 200, .to = 260 },
			"about 230 (200 to 260)" },
		{ { .kind = KNEE_NONE, .x = NAN, .lo = NAN, .hi = NAN }, "none up to 1024" },
		{ { .kind = KNEE_UNCLEAR, .x = 300, .lo = 200, .hi = 400 }, "200 to 400" },
		{ { .kind = KNEE_UNCLEAR, .x = 300, .lo = NAN, .hi = 400 }, "?" },
		{ { .lo = NAN }, "-" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(buffers_knee(&rows[i].knee, 1024).text, rows[i].words);
}

/* What others wrote by hand, and wrongly, changes nothing but itself. */
TEST(bad_rows_are_passed_over)
{
	char directory[] = "/tmp/slexplore-buffers-XXXXXX", path[64];
	struct buffers buffers;
	FILE *file;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/windows", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("rest rob | 3\nrest rob | x | of it\nrest rob | -1 | of it\nrest "
	      "much-too-long-a-name-for-a-buffer | 1 | of it\n"
	      "rest stack|1|of it\npublished rob | Core | | me\npublished rob | Core | 5 | me | "
	      "more\npublished rob | Core | 7 | me\n"
	      "something else\nrest",
		file);
	fclose(file);
	setenv("SLEXPLORE_DATA", directory, 1);
	buffers_load(&buffers);
	unsetenv("SLEXPLORE_DATA");
	remove(path);
	remove(directory);
	assert_int_equal(buffers.rest_count, 1);
	assert_string_equal(buffers.rest[0].buffer, "stack");
	assert_int_equal(buffers.published.count, 1);
	assert_string_equal(buffers.published.row[0].value, "7");
}

RUN_TESTS()
