/* Windows of a core made up, in every format. */
#include "csv.h"
#include "windows_fakes.h"
#include "written.h"

/* Those fillers, or so many requests. */
static char *write_windows(
	const char *format, uint64_t fillers, unsigned most, bool points, bool core)
{
	struct windows_options options = { .seed = 3, .fillers = fillers };
	struct windows *windows;

	machine = (struct machine){ .memory_limit = UINT64_C(8) << 30,
		.processors = 2,
		.cpu = 3,
		.virtualised = true,
		.name = "Test CPU, model 1" };
	setting_init(&options.setting, &kernel_window);
	options.setting.v[WINDOW_SIZE] = 32 << 20;
	windows = windows_played(&machine, options, core ? "golden-cove" : NULL, most);
	prepare(format, points ? &subject_points : &subject_windows);
	report.seed = 3;
	report.points = points;
	report_whole(&report, windows_report(windows));
	assert_int_equal(fclose(report.out), 0);
	windows_free(windows);
	return written;
}

TEST(text_says_it_in_80_columns)
{
	char *text = write_windows("text", 0, 10000, false, true), *rest;

	check_parts(text, "Test CPU, model 1, virtual machine, core 3 at 4.00 GHz, size=32m;",
		"core's file: Intel Golden Cove",
		"nop         reorder buffer     506                     sharp   ", "512\n", "soft",
		"none up to 1024", "nop: 506 nops + 2 for the loop = 508 of 512 entries",
		"vector: filler=vector needs what this processor lacks",
		"add: not sharp: it rises from 2", "reorder buffer elsewhere: Sandy Bridge 168,",
		"Downs",
		"Cycles: an iteration, before and after the knee (reference clock); "
		"points\n  usually scatter by ");
	assert_null(strstr(text, "Not complete"));
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_true(strlen(line) <= 80);
		assert_true(line[strlen(line) - 1] != ' ');
	}
}

TEST(text_of_what_is_not_complete_says_so)
{
	char *text = write_windows("text", 1u << FILL_NOP | 1u << FILL_STORE, 12, false, false);

	check_parts(text, "Not complete: ", "core's file: there is none of this one",
		"store       store queue        -");
	text = write_windows("text", 1u << FILL_LOAD, 10000, true, true);
	check_parts(text, "load           fillers      cycles  quartiles (reference clock)\n",
		"                   190       631.7  631.");
}

TEST(json_has_a_record_for_every_filler)
{
	char *text = write_windows("json", 0, 10000, true, true), *rest;
	unsigned id = 0, windows = 0, points = 0;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *object = parse(line);
		const char *record, *filler;

		assert_int_equal(json_integer_value(json_object_get(object, "id")), ++id);
		record = json_string_value(json_object_get(object, "record"));
		filler = json_string_value(json_object_get(object, "filler"));
		if (id == 1) {
			assert_string_equal(record, "windows");
			check_members(object, "{'complete': true, 'uarch': 'golden-cove'}");
		} else if (strcmp(record, "window") == 0) {
			windows++;
			if (strcmp(filler, "nop") == 0) {
				check_members(object, "{'knee': 506, 'entries': 512, 'buffer': "
						      "'rob', 'kind': 'sharp'}");
				check_contains(json_string_value(json_object_get(object, "words")),
					"508 of 512");
				check_contains(
					json_string_value(json_object_get(object, "published")),
					"Zen 2 224");
			}
			if (strcmp(filler, "other") == 0) {
				/* What is not there is left out. */
				check_members(
					object, "{'knee': null, 'entries': null, 'buffer': null}");
			}
			if (strcmp(filler, "vector") == 0)
				assert_string_equal(
					json_string_value(json_object_get(object, "state")),
					"failed");
		} else {
			assert_string_equal(record, "point");
			points++;
		}
		json_decref(object);
	}
	assert_int_equal(windows, FILL_KINDS);
	assert_true(points > 80);
}

TEST(csv_has_as_many_fields_as_names)
{
	for (int points = 0; points < 2; points++) {
		char *text = write_windows("csv", 0, 10000, points, true), *rest;
		size_t lines = 0;
		int width = csv_width(text);

		for (char *line = strtok_r(text, "\n", &rest); line;
			line = strtok_r(NULL, "\n", &rest), lines++)
			assert_int_equal(csv_width(line), width);
		assert_true(points ? lines > 80 : lines == FILL_KINDS + 1);
	}
}

RUN_TESTS()
