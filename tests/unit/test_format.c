#include "csv.h"
#include "fakes.h"
#include "json_lines.h"

#include "cli/finding.h"
#include "cli/format.h"

static struct machine machine;

/* What a format writes while a test makes records. */
struct capture {
	const struct format *format;
	struct report report;
	char *text;
	size_t length;
};

static void capture_begin(struct capture *capture, const char *format, enum report_kind kind)
{
	memset(capture, 0, sizeof(*capture));
	capture->format = format_find(format);
	assert_non_null(capture->format);
	report_init(&capture->report, NULL, kind);
	capture->report.out = open_memstream(&capture->text, &capture->length);
	assert_non_null(capture->report.out);
	snprintf(capture->report.host, sizeof(capture->report.host), "node7");
	snprintf(machine.name, sizeof(machine.name), "Test CPU, model 1");
	capture->report.machine = &machine;
	capture->report.seed = 1;
	setting_init(&capture->report.setting, &kernel_fold);
	if (capture->format->begin)
		capture->format->begin(&capture->report);
}

static const char *capture_end(struct capture *capture)
{
	if (capture->format->end)
		capture->format->end(&capture->report);
	assert_int_equal(fclose(capture->report.out), 0);
	return capture->text;
}

static struct sample a_sample(void)
{
	return (struct sample){ .valid = true,
		.cpe = 0.7521234567,
		.cpe_lo = 0.75,
		.cpe_hi = 0.756,
		.trials = 151,
		.dropped = 23,
		.quiet = 0.87,
		.ghz = 4.12,
		.ns = 0.183,
		.gbps = 43.7,
		.bytes_per_cycle = 10.625,
		.cycles_from = SOURCE_REFERENCE,
		.modes = 1 };
}

static struct run_facts some_facts(void)
{
	return (struct run_facts){
		.cpu = 3, .bound = true, .cycles_from = SOURCE_REFERENCE, .pages = "4k"
	};
}

TEST(json_has_every_figure_of_a_sample)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;
	json_t *object, *knobs;

	capture_begin(&capture, "json", REPORT_RUN);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture_end(&capture);
	assert_int_equal(capture.text[capture.length - 1], '\n');
	object = parse(strtok(capture.text, "\n"));
	assert_int_equal(json_integer_value(json_object_get(object, "v")), 1);
	assert_string_equal(string_at(object, "record"), "sample");
	assert_int_equal(json_integer_value(json_object_get(object, "id")), 1);
	assert_string_equal(string_at(object, "host"), "node7");
	assert_string_equal(string_at(object, "machine"), "Test CPU, model 1");
	assert_string_equal(string_at(object, "kernel"), "fold");
	knobs = json_object_get(object, "knobs");
	assert_int_equal(json_object_size(knobs), 5);
	assert_string_equal(string_at(knobs, "op"), "add");
	assert_int_equal(json_integer_value(json_object_get(knobs, "size")), 32768);
	check_near(json_real_value(json_object_get(object, "cpe")), 0.752123, 1e-12);
	check_near(json_real_value(json_object_get(object, "cpe_hi")), 0.756, 1e-12);
	assert_int_equal(json_integer_value(json_object_get(object, "trials")), 151);
	assert_int_equal(json_integer_value(json_object_get(object, "dropped")), 23);
	check_near(json_real_value(json_object_get(object, "quiet")), 0.87, 1e-12);
	assert_string_equal(string_at(object, "cycles_from"), "reference");
	check_near(json_real_value(json_object_get(object, "gbps")), 43.7, 1e-12);
	assert_int_equal(json_integer_value(json_object_get(object, "cpu")), 3);
	assert_string_equal(string_at(object, "pages"), "4k");
	assert_null(json_object_get(object, "contended"));
	assert_null(json_object_get(object, "modes"));
	assert_null(json_object_get(object, "bound"));
	json_decref(object);
	object = parse(strtok(NULL, "\n"));
	assert_int_equal(json_integer_value(json_object_get(object, "id")), 2);
	json_decref(object);
	free(capture.text);
}

TEST(json_leaves_out_what_is_unavailable)
{
	struct sample sample = a_sample();
	struct run_facts facts = { .cpu = -1 };
	struct capture capture;
	json_t *object;

	sample.quiet = sample.gbps = sample.bytes_per_cycle = NAN;
	sample.contended = true;
	sample.modes = 2;
	sample.mode_low = 0.7;
	sample.mode_high = 0.9;
	sample.mode_share_low = 0.4;
	capture_begin(&capture, "json", REPORT_RUN);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	object = parse(capture_end(&capture));
	assert_null(json_object_get(object, "quiet"));
	assert_null(json_object_get(object, "gbps"));
	assert_null(json_object_get(object, "bytes_per_cycle"));
	assert_null(json_object_get(object, "cpu"));
	assert_null(json_object_get(object, "pages"));
	assert_true(json_is_true(json_object_get(object, "contended")));
	assert_true(json_is_false(json_object_get(object, "bound")));
	assert_int_equal(json_integer_value(json_object_get(object, "modes")), 2);
	check_near(json_real_value(json_object_get(object, "mode_share_low")), 0.4, 1e-12);
	json_decref(object);
	free(capture.text);
}

/* As many knobs as a kernel may have, with longer names than any has. */
static const char *const long_choices[] = { "a-choice-of-words", NULL };
static struct knob long_knobs[KNOBS_MAX];
static char long_names[KNOBS_MAX][32];

static struct kernel long_kernel(void)
{
	for (int i = 0; i < KNOBS_MAX; i++) {
		snprintf(long_names[i], sizeof(long_names[i]), "a-long-knob-%d", i);
		long_knobs[i] = (struct knob){ .name = long_names[i],
			.help = "help",
			.kind = KNOB_CHOICE,
			.choices = long_choices };
	}
	return (struct kernel){ .name = "a-kernel-with-a-name-of-length",
		.element = "thing",
		.knobs = long_knobs,
		.title = "title",
		.document = "doc",
		.look_for = "look",
		.knob_count = KNOBS_MAX };
}

static void check_lines(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		char *line = strndup(text, length);

		assert_true(length + 1 <= FORMAT_LINE_MAX);
		assert_int_equal(text[length], '\n');
		json_decref(parse(line));
		free(line);
		text += length + 1;
	}
}

/* The record at an index, with what its "more" lines add. */
static json_t *joined(const char *text, int index)
{
	json_t *whole = NULL;

	for (index++; *text; text += strcspn(text, "\n") + 1) {
		char *line = strndup(text, strcspn(text, "\n"));
		json_t *object = parse(line);

		free(line);
		if (strcmp(string_at(object, "record"), "more") != 0)
			index--;
		if (index == 0 && !whole)
			whole = json_incref(object);
		else if (index == 0)
			record_join(whole, object);
		json_decref(object);
	}
	assert_non_null(whole);
	return whole;
}

TEST(json_lines_stay_below_a_thousand_bytes)
{
	const struct kernel kernel = long_kernel();
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct check check = { .name = "clock", .state = CHECK_BAD, .value = NAN };
	struct capture capture;
	json_t *object;

	sample.cpe = sample.ns = 1.23456e-10;
	sample.contended = true;
	sample.modes = 2;
	capture_begin(&capture, "json", REPORT_RUN);
	/* Every byte needs an escape of two in JSON. */
	memset(capture.report.host, '"', sizeof(capture.report.host) - 1);
	memset(machine.name, '\\', sizeof(machine.name) - 1);
	setting_init(&capture.report.setting, &kernel);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	memset(check.finding, '"', sizeof(check.finding) - 1);
	memset(check.advice, '"', sizeof(check.advice) - 1);
	capture.format->check(&capture.report, &check);
	capture_end(&capture);
	check_lines(capture.text);
	/* Nothing is lost: each line is joined with its "more" lines. */
	object = joined(capture.text, 0);
	assert_int_equal(json_object_size(json_object_get(object, "knobs")), KNOBS_MAX);
	assert_string_equal(string_at(object, "kernel"), kernel.name);
	assert_string_equal(string_at(object, "host"), capture.report.host);
	assert_string_equal(string_at(object, "machine"), machine.name);
	assert_non_null(json_object_get(object, "cpe"));
	assert_non_null(json_object_get(object, "seed"));
	assert_non_null(json_object_get(object, "mode_share_low"));
	json_decref(object);
	object = joined(capture.text, 1);
	assert_string_equal(string_at(object, "finding"), check.finding);
	assert_string_equal(string_at(object, "advice"), check.advice);
	json_decref(object);
	free(capture.text);
}

TEST(json_stays_valid_with_odd_bytes)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;
	json_t *object;

	capture_begin(&capture, "json", REPORT_RUN);
	snprintf(capture.report.host, sizeof(capture.report.host), "n\xc3\xa9\xff\x1b[2J\xe2\x82");
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	object = parse(capture_end(&capture));
	assert_string_equal(string_at(object, "host"), "n\xc3\xa9??[2J??");
	json_decref(object);
	free(capture.text);
}

TEST(json_lists_a_kernel_and_its_knobs)
{
	const struct kernel kernel = long_kernel();
	struct capture capture;

	capture_begin(&capture, "json", REPORT_KERNELS);
	capture.format->kernel(&capture.report, &kernel);
	capture_end(&capture);
	check_lines(capture.text);
	check_contains(capture.text, "\"record\":\"kernel\"");
	check_contains(capture.text, "\"knob\":\"a-long-knob-11\"");
	free(capture.text);
}

TEST(csv_has_every_field_of_a_sample)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;
	const char *text;

	capture_begin(&capture, "csv", REPORT_SWEEP);
	snprintf(machine.name, sizeof(machine.name), "A \"B\", C");
	sample.gbps = NAN;
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	text = capture_end(&capture);
	check_contains(text, "id,host,machine,cpu,bound,kernel,op,unroll,acc,size,stride,cpe,");
	check_contains(text, "\n1,node7,\"A \"\"B\"\", C\",3,true,fold,add,4,1,32768,1,0.752123,");
	for (const struct field *field = sample_fields; field->name; field++)
		if (field->group == FIELDS_PLACE || field->group == FIELDS_VALUE)
			assert_true(csv_column(text, field->name) >= 0);
	assert_int_equal(csv_width(strchr(text, '\n') + 1), csv_width(text));
	assert_string_equal(csv_at(text, 1, "trials"), "151");
	assert_string_equal(csv_at(text, 1, "contended"), "false");
	assert_string_equal(csv_at(text, 1, "cycles_from"), "reference");
	assert_string_equal(csv_at(text, 1, "gbps"), "");
	assert_string_equal(csv_at(text, 1, "bytes_per_cycle"), "10.625");
	assert_string_equal(csv_at(text, 1, "modes"), "1");
	assert_string_equal(csv_at(text, 1, "mode_low"), "");
	assert_string_equal(csv_at(text, 1, "settled"), "true");
	assert_string_equal(csv_at(text, 1, "placements"), "1");
	assert_string_equal(csv_at(text, 1, "pages"), "4k");
	assert_string_equal(csv_at(text, 1, "node"), "");
	assert_string_equal(csv_at(text, 1, "seed"), "1");
	assert_string_equal(csv_at(text, 1, "limit"), "");
	assert_string_equal(csv_at(text, 1, "check"), "");
	free(capture.text);
}

/* A knob keeps its name: what the sample got has another. */
TEST(csv_names_no_two_columns_alike)
{
	struct kernel kernel = long_kernel();
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;
	const char *text;

	long_knobs[1].name = "pages";
	capture_begin(&capture, "csv", REPORT_RUN);
	free((fclose(capture.report.out), capture.text));
	capture.report.out = open_memstream(&capture.text, &capture.length);
	setting_init(&capture.report.setting, &kernel);
	capture.format->begin(&capture.report);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	text = capture_end(&capture);
	assert_string_equal(csv_at(text, 1, "pages"), "a-choice-of-words");
	assert_string_equal(csv_at(text, 1, "pages_got"), "4k");
	free(capture.text);
}

TEST(text_tells_one_sample_in_lines)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;

	capture_begin(&capture, "text", REPORT_RUN);
	capture.report.setting.v[FOLD_UNROLL] = capture.report.setting.v[FOLD_ACC] = 13;
	sample.contended = true;
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture_end(&capture);
	check_contains(capture.text, "fold op=add unroll=13 acc=13 size=32k stride=1\n");
	check_contains(capture.text,
		"CPE      0.752 cycles per element; quartiles 0.750 to 0.756; source: reference\n");
	check_contains(capture.text, "0.183 ns (timed) at 4.120 GHz (reference) on core 3\n");
	check_contains(capture.text, "43.70 GB/s (43700 MB/s; timed)");
	check_contains(
		capture.text, " bytes a cycle (10.57 to 10.66; 0.0941 cycles a byte; reference)\n");
	check_contains(capture.text, "151 used, 23 dropped; 87% quiet");
	check_contains(capture.text, "CONTENDED");
	check_contains(capture.text, "remark   spills\n");
	free(capture.text);

	capture_begin(&capture, "text", REPORT_RUN);
	sample.contended = false;
	sample.gbps = sample.quiet = NAN;
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture_end(&capture);
	assert_null(strstr(capture.text, "GB/s"));
	assert_null(strstr(capture.text, "quiet"));
	assert_null(strstr(capture.text, "nan"));
	assert_null(strstr(capture.text, "CONTENDED"));
	free(capture.text);
}

TEST(text_aligns_a_sweep)
{
	int64_t sizes[] = { 32768, 134217728 }, accs[] = { 2, 11 }, op[] = { 1 };
	const struct sweep_axis axes[] = { { FOLD_SIZE, 2, sizes }, { FOLD_OP, 1, op },
		{ FOLD_ACC, 2, accs } };
	const struct format *format = format_find("text");
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;
	size_t width = 0;
	char *line;

	capture_begin(&capture, "text", REPORT_RUN);
	capture.report.kind = REPORT_SWEEP;
	capture.report.axes = axes;
	capture.report.axis_count = 3;
	capture.report.setting.v[FOLD_OP] = 1;
	format->begin(&capture.report);
	for (int i = 0; i < 4; i++) {
		struct setting setting = capture.report.setting;

		setting.v[FOLD_SIZE] = sizes[i / 2];
		setting.v[FOLD_ACC] = accs[i % 2];
		sample.cpe *= 10;
		format->sample(&capture.report, &setting, &sample, &facts);
	}
	capture_end(&capture);
	line = strtok(capture.text, "\n");
	assert_string_equal(line, "fold op=mul unroll=4 stride=1   (CPE: cycles per element)");
	line = strtok(NULL, "\n");
	width = strlen(line);
	assert_memory_equal(line, "size acc     CPE", 16);
	line = strtok(NULL, "\n");
	assert_memory_equal(line, " 32k   2   7.521", 16);
	assert_int_equal(strlen(line), width);
	strtok(NULL, "\n");
	strtok(NULL, "\n");
	line = strtok(NULL, "\n");
	assert_memory_equal(line, "128m  11    7521", 16);
	assert_int_equal(strlen(line), width);
	assert_null(strtok(NULL, "\n"));
	free(capture.text);
}

/* The widest figures that a sweep of two knobs meets, with both flags. */
TEST(text_fits_a_sweep_in_eighty_columns)
{
	int64_t unrolls[] = { 4, 16 }, accs[] = { 2, 11 };
	const struct sweep_axis axes[] = { { FOLD_UNROLL, 2, unrolls }, { FOLD_ACC, 2, accs } };
	const struct format *format = format_find("text");
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct capture capture;
	char *line;

	capture_begin(&capture, "text", REPORT_RUN);
	capture.report.kind = REPORT_SWEEP;
	capture.report.axes = axes;
	capture.report.axis_count = 2;
	format->begin(&capture.report);
	sample.cpe = sample.cpe_lo = sample.cpe_hi = 123.456;
	sample.gbps = sample.bytes_per_cycle = 1234.5;
	sample.quiet = 1;
	sample.contended = true;
	sample.modes = 2;
	format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	sample.contended = false;
	sample.modes = 1;
	format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture_end(&capture);
	strtok(capture.text, "\n");
	assert_in_range(strlen(strtok(NULL, "\n")), 40, 80);
	line = strtok(NULL, "\n");
	assert_in_range(strlen(line), 40, 80);
	assert_string_equal(line + strlen(line) - 3, " cm");
	line = strtok(NULL, "\n");
	assert_null(strpbrk(line, "cm"));
	check_contains(strtok(NULL, "\n"), "c: contended");
	check_contains(strtok(NULL, "\n"), "m: the trials fall into two modes");
	assert_null(strtok(NULL, "\n"));
	free(capture.text);
}

TEST(every_format_does_every_record)
{
	assert_null(format_find("xml"));
	assert_null(format_find("JSON"));
	for (const struct format *const *format = formats; *format; format++) {
		assert_ptr_equal(format_find((*format)->name), *format);
		assert_non_null((*format)->sample);
		assert_non_null((*format)->kernel);
		assert_non_null((*format)->check);
	}
}

static struct run_facts crowded_facts(void)
{
	struct run_facts facts = some_facts();

	facts.asked = PAGES_HUGE;
	snprintf(facts.pages_note, sizeof(facts.pages_note), "none of 64 MiB could be got");
	facts.nodes = 2;
	facts.node = 1;
	facts.cores = 4;
	facts.others_gbps = 60;
	return facts;
}

TEST(formats_tell_where_and_beside_whom)
{
	struct sample sample = a_sample();
	struct run_facts facts = crowded_facts();
	struct capture capture;
	json_t *object;

	sample.total_gbps = 103.7;
	capture_begin(&capture, "text", REPORT_RUN);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	facts.streams = 2;
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	facts.cores = 0;
	snprintf(facts.node_note, sizeof(facts.node_note), "node 0 has too little free: on node 1");
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	/* How much they moved may not be known. */
	facts.others_gbps = NAN;
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture_end(&capture);
	check_contains(capture.text, "\nbeside   all 4 cores 103.7 GB/s\npages    huge asked, 4k "
				     "got: none of 64 MiB could be got\n"
				     "memory   node 1\n");
	check_contains(capture.text, "\nbeside   4 cores, 2 streams: the others 60.00 GB/s\n");
	check_contains(capture.text, "\nbeside   2 streams 60.00 GB/s\n");
	check_contains(capture.text, "\nmemory   node 0 has too little free: on node 1\n");
	check_contains(capture.text, "\nbeside   2 streams\n");
	free(capture.text);

	capture_begin(&capture, "json", REPORT_RUN);
	facts = crowded_facts();
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	object = parse(capture_end(&capture));
	assert_string_equal(string_at(object, "pages"), "4k");
	assert_string_equal(string_at(object, "pages_note"), "none of 64 MiB could be got");
	assert_int_equal(json_integer_value(json_object_get(object, "node")), 1);
	assert_int_equal(json_integer_value(json_object_get(object, "cores")), 4);
	assert_null(json_object_get(object, "streams"));
	check_near(json_real_value(json_object_get(object, "gbps_total")), 103.7, 1e-12);
	json_decref(object);
	free(capture.text);

	capture_begin(&capture, "csv", REPORT_RUN);
	capture.format->sample(&capture.report, &capture.report.setting, &sample, &facts);
	capture_end(&capture);
	assert_string_equal(csv_at(capture.text, 1, "pages"), "4k");
	assert_string_equal(csv_at(capture.text, 1, "pages_note"), "none of 64 MiB could be got");
	assert_string_equal(csv_at(capture.text, 1, "node"), "1");
	assert_string_equal(csv_at(capture.text, 1, "cores"), "4");
	assert_string_equal(csv_at(capture.text, 1, "streams"), "0");
	assert_string_equal(csv_at(capture.text, 1, "gbps_total"), "103.7");
	free(capture.text);
}

RUN_TESTS()
