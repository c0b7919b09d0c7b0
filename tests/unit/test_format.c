#include "assembly.h"
#include "csv.h"
#include "fakes.h"
#include "written.h"

#include "base/data.h"
#include "cli/check.h"

static void begin(const char *format, const struct subject *subject)
{
	prepare(format, subject);
	set_words(machine.name, "Test CPU, model 1");
	setting_init(&report.setting, &kernel_fold);
	report_begin(&report);
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
	json_t *object, *knobs;

	begin("json", &subject_run);
	write_sample(&report.setting, &sample, &facts);
	write_sample(&report.setting, &sample, &facts);
	end();
	assert_int_equal(written[written_size - 1], '\n');
	object = parse(strtok(written, "\n"));
	check_members(object, "{'v': 1, 'record': 'sample', 'id': 1, 'host': 'node7', 'machine': "
			      "'Test CPU, model 1', 'kernel': 'fold'}");
	knobs = json_object_get(object, "knobs");
	assert_int_equal(json_object_size(knobs), 5);
	check_members(knobs, "{'op': 'add', 'size': 32768}");
	check_members(object, "{'cpe': 0.752123, 'cpe_hi': 0.756, 'trials': 151, 'dropped': 23, "
			      "'quiet': 0.87, 'cycles_from': 'reference', 'gbps': 43.7, 'cpu': 3, "
			      "'pages': '4k', 'contended': null, 'modes': null, 'bound': null}");
	json_decref(object);
	object = parse(strtok(NULL, "\n"));
	assert_int_equal(json_integer_value(json_object_get(object, "id")), 2);
	json_decref(object);
}

TEST(json_leaves_out_what_is_unavailable)
{
	struct sample sample = a_sample();
	struct run_facts facts = { .cpu = -1 };
	json_t *object;

	sample.quiet = sample.gbps = sample.bytes_per_cycle = NAN;
	sample.contended = true;
	sample.modes = 2;
	sample.mode_low = 0.7;
	sample.mode_high = 0.9;
	sample.mode_share_low = 0.4;
	begin("json", &subject_run);
	write_sample(&report.setting, &sample, &facts);
	object = parse(end());
	check_members(object,
		"{'quiet': null, 'gbps': null, 'bytes_per_cycle': null, 'cpu': null, 'pages': "
		"null, 'contended': true, 'bound': false, 'modes': 2, 'mode_share_low': 0.4}");
	json_decref(object);
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

		assert_true(length + 1 <= RECORD_MOST);
		assert_int_equal(text[length], '\n');
		json_decref(parse(line));
		free(line);
		text += length + 1;
	}
}

TEST(json_lines_stay_below_a_thousand_bytes)
{
	const struct kernel kernel = long_kernel();
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct check check = { .name = "clock", .state = CHECK_BAD, .value = NAN };
	json_t *object;

	sample.cpe = sample.ns = 1.23456e-10;
	sample.contended = true;
	sample.modes = 2;
	begin("json", &subject_run);
	/* Every byte needs an escape of two in JSON. */
	memset(report.host, '"', sizeof(report.host) - 1);
	memset(machine.name, '\\', sizeof(machine.name) - 1);
	setting_init(&report.setting, &kernel);
	write_sample(&report.setting, &sample, &facts);
	memset(check.finding, '"', sizeof(check.finding) - 1);
	memset(check.advice, '"', sizeof(check.advice) - 1);
	report_write(&report, &subject_check, &check);
	end();
	check_lines(written);
	/* Nothing is lost: each line is joined with its "more" lines. */
	object = record_at(0);
	assert_int_equal(json_object_size(json_object_get(object, "knobs")), KNOBS_MAX);
	assert_string_equal(string_at(object, "kernel"), kernel.name);
	assert_string_equal(string_at(object, "host"), report.host);
	assert_string_equal(string_at(object, "machine"), machine.name);
	assert_non_null(json_object_get(object, "cpe"));
	assert_non_null(json_object_get(object, "seed"));
	assert_non_null(json_object_get(object, "mode_share_low"));
	json_decref(object);
	object = record_at(1);
	assert_string_equal(string_at(object, "finding"), check.finding);
	assert_string_equal(string_at(object, "advice"), check.advice);
	json_decref(object);
}

TEST(json_stays_valid_with_odd_bytes)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	json_t *object;

	begin("json", &subject_run);
	set_words(report.host, "n\xc3\xa9\xff\x1b[2J\xe2\x82");
	write_sample(&report.setting, &sample, &facts);
	object = parse(end());
	assert_string_equal(string_at(object, "host"), "n\xc3\xa9??[2J??");
	json_decref(object);
}

TEST(json_lists_a_kernel_and_its_knobs)
{
	const struct kernel kernel = long_kernel();

	begin("json", &subject_kernel);
	report_write(&report, &subject_kernel, &kernel);
	end();
	check_lines(written);
	check_parts(written, "\"record\":\"kernel\"", "\"knob\":\"a-long-knob-11\"");
}

TEST(csv_has_every_field_of_a_sample)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	const char *text;

	begin("csv", &subject_sweep);
	set_words(machine.name, "A \"B\", C");
	sample.gbps = NAN;
	write_sample(&report.setting, &sample, &facts);
	text = end();
	check_parts(text, "id,host,machine,cpu,bound,kernel,op,unroll,acc,size,stride,cpe,",
		"\n1,node7,\"A \"\"B\"\", C\",3,true,fold,add,4,1,32768,1,0.752123,");
	for (const struct field *field = sample_fields; field->name; field++) {
		char row[64];

		if (field->group == FIELDS_PLACE || field->group == FIELDS_VALUE)
			assert_true(csv_column(text, field->name) >= 0);
		snprintf(row, sizeof(row), "\n%s ", field->name);
		if (field->group != FIELDS_RECORD && !strstr(data_built_in("fields"), row))
			fail_msg("data/fields lacks %s", field->name);
	}
	assert_int_equal(csv_width(strchr(text, '\n') + 1), csv_width(text));
	check_cells(text, 1, "trials", "151", "contended", "false", "cycles_from", "reference",
		"gbps", "", "bytes_per_cycle", "10.625", "modes", "1", "mode_low", "", "settled",
		"true", "bend", "", "cpe_repeated", "", "cpe_fresh", "", "placements", "1", "pages",
		"4k", "node", "", "seed", "1", "limit", "", "check", "");
}

/* A knob keeps its name: what the sample got has another. */
TEST(csv_names_no_two_columns_alike)
{
	struct kernel kernel = long_kernel();
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	const char *text;

	long_knobs[1].name = "pages";
	prepare("csv", &subject_run);
	setting_init(&report.setting, &kernel);
	report_begin(&report);
	write_sample(&report.setting, &sample, &facts);
	text = end();
	check_cells(text, 1, "pages", "a-choice-of-words", "pages_got", "4k");
}

static uint64_t address_zero(int turn, int insn, int operand)
{
	return 0;
}

TEST(text_tells_one_sample_in_lines)
{
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	struct explanation *explanation;
	struct report_row row;

	begin("text", &subject_run);
	report.setting.v[FOLD_UNROLL] = report.setting.v[FOLD_ACC] = 13;
	sample.contended = true;
	write_sample(&report.setting, &sample, &facts);
	end();
	check_parts(written, "fold op=add unroll=13 acc=13 size=32k stride=1\n",
		"CPE      0.752 cycles per element; quartiles 0.750 to 0.756; source: reference\n",
		"0.183 ns (timed) at 4.120 GHz (reference) on core 3\n",
		"43.70 GB/s (43700 MB/s; timed)",
		" bytes a cycle (10.57 to 10.66; 0.0941 cycles a byte; reference)\n",
		"151 used, 23 dropped; 87% quiet", "CONTENDED", "remark   spills\n");

	begin("text", &subject_run);
	sample.contended = false;
	sample.gbps = sample.quiet = NAN;
	write_sample(&report.setting, &sample, &facts);
	end();
	assert_null(strstr(written, "GB/s"));
	assert_null(strstr(written, "quiet"));
	assert_null(strstr(written, "nan"));
	assert_null(strstr(written, "CONTENDED"));

	/* A loop whose only branch is its own may be faster on repeated data too: other predictors
	 * learn as well. */
	begin("text", &subject_run);
	facts.cpe_fresh = 1.5;
	write_sample(&report.setting, &sample, &facts);
	end();
	check_contains(written, "0.752 cycles on repeated data, 1.500 on fresh data: the core's "
				"predictors have learnt the repeated data\n");

	/* If other threads used the core, a small difference may be theirs. */
	begin("text", &subject_run);
	sample.contended = true;
	facts.cpe_fresh = 1.2;
	write_sample(&report.setting, &sample, &facts);
	sample.contended = false;
	facts.cpe_fresh = 1.5;
	end();
	assert_null(strstr(written, "repeated data"));

	/* A loop whose branches all go one way, and that does not store, has nothing to predict. */
	begin("text", &subject_run);
	explanation = explanation_new();
	loop_free(&explanation->loop);
	assembly_loop("mov rax,[rdi]; add rdi,8; cmp rdi,rdx; jne top", &explanation->loop);
	assembly_step(&explanation->loop, 4, address_zero);
	report_row(&report, &report.setting, &sample, &facts, &row);
	row.what.explanation = explanation;
	report_write(&report, report.subject, &row.what);
	end();
	assert_null(strstr(written, "repeated data"));
	explanation_free(explanation);
}

TEST(text_aligns_a_sweep)
{
	int64_t sizes[] = { 32768, 134217728 }, accs[] = { 2, 11 }, op[] = { 1 };
	const struct sweep_axis axes[] = { { FOLD_SIZE, 2, sizes }, { FOLD_OP, 1, op },
		{ FOLD_ACC, 2, accs } };
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	size_t width = 0;
	char *line;

	prepare("text", &subject_sweep);
	setting_init(&report.setting, &kernel_fold);
	report.axes = axes;
	report.axis_count = 3;
	report.setting.v[FOLD_OP] = 1;
	report_begin(&report);
	for (int i = 0; i < 4; i++) {
		struct setting setting = report.setting;

		setting.v[FOLD_SIZE] = sizes[i / 2];
		setting.v[FOLD_ACC] = accs[i % 2];
		sample.cpe *= 10;
		write_sample(&setting, &sample, &facts);
	}
	end();
	line = strtok(written, "\n");
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
}

/* The widest figures that a sweep of two knobs meets, with both flags. */
TEST(text_fits_a_sweep_in_eighty_columns)
{
	int64_t unrolls[] = { 4, 16 }, accs[] = { 2, 11 };
	const struct sweep_axis axes[] = { { FOLD_UNROLL, 2, unrolls }, { FOLD_ACC, 2, accs } };
	struct sample sample = a_sample();
	struct run_facts facts = some_facts();
	char *line;

	prepare("text", &subject_sweep);
	setting_init(&report.setting, &kernel_fold);
	report.axes = axes;
	report.axis_count = 2;
	report_begin(&report);
	sample.cpe = sample.cpe_lo = sample.cpe_hi = 123.456;
	sample.gbps = sample.bytes_per_cycle = 1234.5;
	sample.quiet = 1;
	sample.contended = true;
	sample.modes = 2;
	write_sample(&report.setting, &sample, &facts);
	sample.contended = false;
	sample.modes = 1;
	write_sample(&report.setting, &sample, &facts);
	end();
	strtok(written, "\n");
	assert_in_range(strlen(strtok(NULL, "\n")), 40, 80);
	line = strtok(NULL, "\n");
	assert_in_range(strlen(line), 40, 80);
	assert_string_equal(line + strlen(line) - 3, " cm");
	line = strtok(NULL, "\n");
	assert_null(strpbrk(line, "cm"));
	check_contains(strtok(NULL, "\n"), "c: contended");
	check_contains(strtok(NULL, "\n"), "m: the trials fall into two modes");
	assert_null(strtok(NULL, "\n"));
}

TEST(formats_have_names)
{
	assert_null(format_find("xml"));
	assert_null(format_find("JSON"));
	for (const struct format *const *format = formats; *format; format++) {
		assert_ptr_equal(format_find((*format)->name), *format);
	}
}

static struct run_facts crowded_facts(void)
{
	struct run_facts facts = some_facts();

	facts.asked = PAGES_HUGE;
	set_words(facts.pages_note, "none of 64 MiB could be got");
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
	json_t *object;

	sample.total_gbps = 103.7;
	begin("text", &subject_run);
	write_sample(&report.setting, &sample, &facts);
	facts.streams = 2;
	write_sample(&report.setting, &sample, &facts);
	facts.cores = 0;
	set_words(facts.node_note, "node 0 has too little free: on node 1");
	write_sample(&report.setting, &sample, &facts);
	/* How much they moved may not be known. */
	facts.others_gbps = NAN;
	write_sample(&report.setting, &sample, &facts);
	end();
	check_parts(written,
		"\nbeside   all 4 cores 103.7 GB/s\npages    huge asked, 4k "
		"got: none of 64 MiB could be got\n"
		"memory   node 1\n",
		"\nbeside   4 cores, 2 streams: the others 60.00 GB/s\n",
		"\nbeside   2 streams 60.00 GB/s\n",
		"\nmemory   node 0 has too little free: on node 1\n", "\nbeside   2 streams\n");

	begin("json", &subject_run);
	facts = crowded_facts();
	write_sample(&report.setting, &sample, &facts);
	object = parse(end());
	check_members(object, "{'pages': '4k', 'pages_note': 'none of 64 MiB could be got', "
			      "'node': 1, 'cores': 4, 'streams': null, 'gbps_total': 103.7}");
	json_decref(object);

	begin("csv", &subject_run);
	write_sample(&report.setting, &sample, &facts);
	end();
	check_cells(written, 1, "pages", "4k", "pages_note", "none of 64 MiB could be got", "node",
		"1", "cores", "4", "streams", "0", "gbps_total", "103.7");
}

RUN_TESTS()
