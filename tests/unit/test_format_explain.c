/* What `explain` writes, and what samples say of their limits, in every format. */
#include "csv.h"
#include "fakes.h"
#include "written.h"

#include <jansson.h>

#include "assembly.h"
#include "model/core/uarch.h"
#include "model/limits/explain.h"

static const char core_text[] = "uarch odd Odd core\n"
				"isa x86_64\n"
				"width 4 [M]\n"
				"ports p0 p1 p2 p3 [M]\n"
				"units div\n"
				"class move latency 0 ports none [M]\n"
				"class zero latency 0 ports none [M]\n"
				"class alu latency 1 ports p0,p1 [M]\n"
				"class imul latency 3 ports p1 [M]\n"
				"class div latency 20 ports p0 + div:2 [M]\n"
				"class branch ports p0,p1 [M]\n"
				"class load latency 4 ports p2,p3 [M]\n"
				"fuse cmp with all [M]\n"
				"cap loads 2 [M]\n"
				"extra mispredict 20 [M]\n";

/* Two elements an iteration; 7 micro-ops on two ports, a chain of 3 cycles. */
static const char code[] = "imul eax,dword [rdi]; mov r8d,dword [rdi+4]; mov r9d,r8d; add r9d,ebx; "
			   "add r8d,ecx; add edx,esi; "
			   "add r10d,r11d; add rdi,8; cmp rdi,r15; jne top";

static struct uarch_choice core;
static struct explanation *explanation;

static void explain_with(const char *uarch, const char *source, const struct limits_place *place)
{
	uarch_choice_free(&core);
	explanation_free(explanation);
	core = (struct uarch_choice){ .how = "as the test says" };
	check_ok(uarch_parse(uarch, "core", &core.uarch));
	explanation = explanation_new();
	explanation->kernel = &kernel_fold;
	loop_free(&explanation->loop);
	assembly_loop(source, &explanation->loop);
	explanation->loop.elements = 2;
	explanation->loop.insns_per_element = explanation->loop.insn_count / 2.0;
	limits_compute(&explanation->loop, core.uarch, place, &explanation->limits);
}

static int set_up(void **state)
{
	static const struct limits_place place = { .walk.mispredicts = 0.5 };

	explain_with(core_text, code, &place);
	return 0;
}

static int tear_down(void **state)
{
	uarch_choice_free(&core);
	explanation_free(explanation);
	explanation = NULL;
	return 0;
}

static const struct misses_whatif *asked;

static void begin(const char *format, const struct subject *subject)
{
	prepare(format, subject);
	report.core = &core;
	report.explanation = explanation;
	report.whatif = asked;
	setting_init(&report.setting, &kernel_fold);
	report_begin(&report);
}

static void write_explanation(const char *format)
{
	begin(format, &subject_explain);
	report_write(&report, &subject_explain, &report.setting);
	end();
	assert_null(strstr(written, "nan"));
	assert_null(strstr(written, "inf"));
}

static void write_one(const char *format, const struct subject *subject, double cpe)
{
	const struct sample sample = fake_sample(cpe);
	const struct run_facts facts = {
		.cpu = 1, .bound = true, .cycles_from = SOURCE_REFERENCE, .pages = "4k"
	};

	begin(format, subject);
	write_sample(&report.setting, &sample, &facts);
	end();
}

static int count_records(const char *kind)
{
	char part[48];
	int count = 0;

	snprintf(part, sizeof(part), "\"record\":\"%s\"", kind);
	for (const char *at = written; (at = strstr(at, part)) != NULL; at++)
		count++;
	return count;
}

TEST_WITH(json_begins_with_what_binds, set_up, tear_down)
{
	json_t *object;

	write_explanation("json");
	object = record_at(0);
	check_members(object, "{'v': 1, 'record': 'explain', 'id': 1, 'host': 'node7', 'machine': "
			      "'Test CPU, model 1', 'kernel': 'fold'}");
	assert_int_equal(json_object_size(json_object_get(object, "knobs")), 5);
	check_members(object, "{'uarch': 'odd', 'binding': 'ports'}");
	/* imul, five additions and the pair that closes the loop on p0 and p1. */
	check_near(number_at(object, "limit"), 1.75, 1e-6);
	/* And half a misprediction of 20 cycles an element. */
	check_members(object, "{'predicted': 11.75, 'elements': 2, 'slots': 9, 'instructions': 5, "
			      "'instructions_from': 'model', 'foreign': null, 'unknown': null}");
	json_decref(object);
}

TEST_WITH(json_tells_every_limit_port_and_instruction, set_up, tear_down)
{
	const struct limits *limits = &explanation->limits;
	int line = 1;
	json_t *object, *pressure;

	write_explanation("json");
	assert_int_equal(count_records("explain"), 1);
	assert_int_equal(count_records("limits"), limits->limit_count);
	assert_int_equal(count_records("ports"), 1);
	assert_int_equal(count_records("insn"), 10);
	for (int i = 0; i < limits->limit_count; i++, line++) {
		object = record_at(line);
		check_members(object, "{'record': 'limits', 'id': 1, 'host': 'node7'}");
		assert_string_equal(
			string_at(object, "name"), limit_rows[limits->limit[i].kind].name);
		assert_int_equal(
			json_is_true(json_object_get(object, "hard")), limits->limit[i].hard);
		assert_int_equal(
			json_is_true(json_object_get(object, "binding")), i == limits->binding);
		assert_true(*string_at(object, "cause"));
		assert_int_equal(json_object_get(object, "cpe") != NULL, limits->limit[i].known);
		if (limits->limit[i].known)
			check_near(number_at(object, "cycles"), number_at(object, "cpe") * 2, 1e-4);
		json_decref(object);
	}
	object = record_at(line++);
	check_members(object, "{'record': 'ports', 'id': 1, 'from': 'model'}");
	pressure = json_object_get(object, "pressure");
	assert_int_equal(json_object_size(pressure), 5);
	check_members(pressure, "{'p0': 3.5, 'p2': 1}");
	assert_int_equal(json_object_size(json_object_get(object, "naive")), 5);
	json_decref(object);
	object = record_at(line);
	check_members(object, "{'text': 'imul eax,dword [rdi]', 'offset': 0, 'latency': 7, "
			      "'ports': 'p23 + p1', 'known': true, 'carried': true}");
	json_decref(object);
	object = record_at(line + 2);
	assert_true(json_is_true(json_object_get(object, "eliminated")));
	json_decref(object);
	object = record_at(line + 9);
	check_members(object, "{'offset': 36, 'fused': true, 'slots': 0, 'count': 1}");
	json_decref(object);
}

/* Two explanations in one stream: each has its id, and those of its parts. */
TEST_WITH(ids_tell_explanations_apart, set_up, tear_down)
{
	json_t *object;
	int records, first = 0;

	begin("json", &subject_explain);
	report_write(&report, &subject_explain, &report.setting);
	records = (int)report.records;
	report_write(&report, &subject_explain, &report.setting);
	end();
	for (int i = 0; i < 2 * records; i++) {
		int id;

		object = record_at(i);
		id = (int)number_at(object, "id");
		if (i == 0)
			first = id;
		assert_int_equal(id == first, i < records);
		json_decref(object);
	}
}

static void lines_are_short(void)
{
	for (const char *at = written; *at; at += strcspn(at, "\n") + 1)
		assert_true(strcspn(at, "\n") + 1 <= RECORD_MOST);
}

TEST_WITH(json_lines_stay_below_a_thousand_bytes, set_up, tear_down)
{
	struct text text = { 0 };
	json_t *object;
	int lines = 0;

	/* As many ports as there may be, with the longest names. */
	text_add(&text, "uarch odd Odd core\nisa x86_64\nwidth 4 [M]\nports");
	for (int i = 0; i < UARCH_PORTS; i++)
		text_addf(&text, " longport-%02d", i);
	text_add(&text, " [M]\nclass alu latency 1 ports longport-02,longport-03 [M]\nclass branch "
			"ports longport-00 [M]\nclass load ports longport-01 [M]\n");
	explain_with(text_string(&text), "add rax,rbx; add rcx,rdx; cmp rcx,rax; jne top",
		&(struct limits_place){ 0 });
	text_free(&text);
	for (int i = 0; i < explanation->limits.limit_count; i++)
		memset(explanation->limits.limit[i].cause, '"',
			sizeof(explanation->limits.limit[i].cause) - 1);
	for (int i = 0; i < explanation->loop.insn_count; i++) {
		memset(explanation->loop.insn[i].text, '\\',
			sizeof(explanation->loop.insn[i].text) - 1);
		memset(explanation->limits.insn[i].ports, '"',
			sizeof(explanation->limits.insn[i].ports) - 1);
	}
	begin("json", &subject_explain);
	memset(report.host, '"', sizeof(report.host) - 1);
	memset(machine.name, '"', sizeof(machine.name) - 1);
	report_write(&report, &subject_explain, &report.setting);
	end();
	lines_are_short();
	for (const char *at = written; *at; at += strcspn(at, "\n") + 1) {
		object = parse(at);
		lines++;
		assert_int_equal(number_at(object, "id"), 1);
		if (strcmp(string_at(object, "record"), "ports") == 0)
			assert_int_equal(
				json_object_size(json_object_get(object, "pressure")), UARCH_PORTS);
		if (strcmp(string_at(object, "record"), "limits") == 0)
			assert_non_null(json_object_get(object, "name"));
		json_decref(object);
	}
	assert_int_equal(lines, (int)report.records);
}

TEST_WITH(csv_has_a_line_for_each_limit, set_up, tear_down)
{
	const struct limits *limits = &explanation->limits;
	int lines = 0, binding = 0;

	write_explanation("csv");
	for (const char *at = written; *at; at += strcspn(at, "\n") + 1)
		lines++;
	assert_int_equal(lines, 1 + limits->limit_count);
	assert_memory_equal(written,
		"kernel,uarch,limit,state,cycles_per_element,cycles_per_iteration,cause\n", 71);
	check_parts(written, "\nfold,odd,ports,binding,1.75,3.5,\"",
		"\nfold,odd,latency,hard,1.5,3,", "\nfold,odd,misprediction,soft,11.75,23.5,\"");
	for (const char *at = written; (at = strstr(at, ",binding,")) != NULL; at++)
		binding++;
	assert_int_equal(binding, 1);
}

TEST_WITH(text_is_for_people, set_up, tear_down)
{
	write_explanation("text");
	check_parts(written, "fold op=add unroll=4 acc=1 size=32k stride=1\n",
		"core      Odd core: as the test says\n",
		"loop      10 instructions, 9 micro-ops after fusion, 2 elements an iteration\n",
		"limit     1.750 cycles per element: ports (throughput bound)\n",
		"predicted 11.75, by misprediction   (source: model)\n",
		"remedy    Compute both ways and select",
		"\n    1.750    3.500  ports                binds: ",
		"\n    1.500    3.000  latency              chain of 1 multiplication: 3 cycles\n",
		"misprediction        soft: ", "\n  p0       3.50  (");
	assert_non_null(strstr(written, ")  fullest\n"));
	check_parts(written, "\nc      0       1   4 + 3  p23 + p1          imul eax,dword [rdi]\n",
		"\n 0     8       1       0                    mov r9d,r8d\n",
		"\n +    24       0       -  ");
	assert_null(strstr(written, "unknown  "));
	/* A core that is not this one is named once. */
	set_words(core.how, "predicted for Odd core, which is not this core");
	core.foreign = explanation->foreign = true;
	write_explanation("text");
	check_contains(written, "core      predicted for Odd core, which is not this core\n");
	write_explanation("json");
	check_contains(written, "\"foreign\":true");
}

TEST_WITH(what_is_unknown_is_left_out_and_counted, set_up, tear_down)
{
	json_t *object;

	explain_with("uarch odd Odd core\nisa x86_64\nwidth unknown\nports p0 [M]\nclass load "
		     "ports unknown\n",
		"frobnicate rax,rbx; mov rcx,[rdi]", &(struct limits_place){ 0 });
	assert_int_equal(explanation->limits.binding, -1);
	write_explanation("text");
	check_parts(written, "\nlimit     unknown\n",
		"unknown   1 instruction that the core model does not know; all results leave "
		"them out: frobnicate");
	assert_null(strstr(written, "predicted"));
	check_contains(written, "\n ?     0  ");
	write_explanation("json");
	object = record_at(0);
	check_members(object, "{'binding': null, 'limit': null, 'predicted': null, 'unknown': 1}");
	json_decref(object);
	write_explanation("csv");
	assert_null(strstr(written, "binding"));
	write_one("json", &subject_run, 2);
	object = record_at(0);
	assert_null(json_object_get(object, "limit"));
	assert_non_null(json_object_get(object, "cpe"));
	json_decref(object);
	write_one("text", &subject_run, 2);
	assert_null(strstr(written, "predicted"));
}

TEST_WITH(samples_say_how_far_they_are_from_their_limit, set_up, tear_down)
{
	json_t *object;

	write_one("text", &subject_run, 1.76);
	check_parts(written, "\nlimit    1.750, ports (throughput bound): ",
		"\npredicted 11.75, by misprediction: ",
		"; measured at the limit, 85 % below the prediction\n");
	write_one("text", &subject_run, 3.5);
	check_contains(written, "; measured 8.250 (70 %) below the prediction\n");
	write_one("text", &subject_run, 1.4);
	check_contains(written, "; measured 0.350 (20 %) below the limit: the core model or the "
				"clock is wrong here\n");
	write_one("json", &subject_run, 3);
	object = record_at(0);
	check_members(object, "{'uarch': 'odd', 'binding': 'ports', 'limit': 1.75, 'predicted': "
			      "11.75, 'predicted_spread': null}");
	json_decref(object);
	explanation->limits.limit[explanation->limits.predicted_by].spread = 0.5;
	write_one("json", &subject_run, 3);
	object = record_at(0);
	check_members(object, "{'predicted': 11.75, 'predicted_spread': 0.5}");
	json_decref(object);
	write_one("csv", &subject_run, 3);
	check_cells(written, 1, "uarch", "odd", "binding", "ports", "limit", "1.75", "predicted",
		"11.75", "predicted_spread", "0.5");
	write_one("text", &subject_sweep, 3);
	check_parts(written, "limit\n", "  1.750\n");
	/* Of another core than the running one there is nothing to compare. */
	explanation->foreign = true;
	write_one("text", &subject_run, 1.4);
	check_contains(written, "; for Odd core\n");
	assert_null(strstr(written, "measured"));
}

/* Twice L1 of 48 KiB, lines of 64 bytes, a read in every line: as known to the explanation. */
static void walk_through(double working_set, bool scattered)
{
	const struct kernel_walk walk = {
		.lines = 1, .step = 64, .scattered = scattered, .access = "read"
	};
	const struct cache_sizes caches = {
		.level = { { .bytes = 48 << 10 }, { .bytes = 2 << 20 } }, .line = 64
	};

	misses_find(&walk, working_set, &caches, &explanation->misses);
}

TEST_WITH(misses_stand_beside_what_they_would_be, set_up, tear_down)
{
	struct misses_whatif whatif = { 0 };
	json_t *object;

	walk_through(96 << 10, false);
	write_explanation("text");
	check_contains(written,
		"\nmisses    L1 48 KiB: every read is a miss: 1 line for each\n"
		"          L2 2 MiB: no miss after the first pass: all 96 KiB stay\n\n");
	check_ok(misses_whatif_parse("2x", &whatif));
	asked = &whatif;
	write_explanation("text");
	check_contains(written,
		"\n"
		"misses    L1 48 KiB: every read is a miss: 1 line for each\n"
		"            what if L1 96 KiB: no miss after the first pass: all 96 KiB stay; "
		"near the edge, 96 KiB in 96 KiB: some lines may be evicted\n"
		"          L2 2 MiB: no miss after the first pass: all 96 KiB stay\n"
		"            what if L2 4 MiB: the same\n");
	write_one("text", &subject_run, 2);
	check_contains(written, "\nmisses   L1 48 KiB: every read is a miss: 1 line for each\n     "
				"      what if L1 96 KiB: ");
	for (int i = 0; i < 2; i++) {
		if (i)
			write_explanation("json");
		else
			write_one("json", &subject_sweep, 2);
		object = record_at(0);
		check_near(json_number_value(json_array_get(json_object_get(object, "misses"), 0)),
			1, 0);
		check_near(json_number_value(json_array_get(json_object_get(object, "misses"), 1)),
			0, 0);
		assert_true(json_is_null(json_array_get(json_object_get(object, "misses"), 2)));
		check_near(json_number_value(
				   json_array_get(json_object_get(object, "whatif_misses"), 0)),
			0, 0);
		assert_null(json_object_get(object, "misses_why"));
		json_decref(object);
	}
	asked = NULL;

	walk_through(96 << 10, true);
	write_explanation("text");
	check_contains(written, "\nmisses    unavailable: its lines are accessed in");
	write_explanation("json");
	object = record_at(0);
	assert_null(json_object_get(object, "misses"));
	check_contains(json_string_value(json_object_get(object, "misses_why")), "random order");
	json_decref(object);
}

TEST_WITH(code_that_cannot_be_read_says_why, set_up, tear_down)
{
	json_t *object;

	explanation->status = status_failed("no way in");
	write_one("text", &subject_run, 2);
	check_contains(written, "\nlimit    unknown: no way in\n");
	write_one("json", &subject_run, 2);
	object = record_at(0);
	check_members(object, "{'limit': null, 'binding': null}");
	json_decref(object);
}

RUN_TESTS()
