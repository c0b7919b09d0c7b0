/* Core models and tables of instructions made for this test: what is refused and how it is said,
 * names, facts, inheritance. */
#include "table.h"
#include "uarch_fakes.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- what is refused */

#define BEGIN "uarch x X\nisa x86_64\n"
#define WHOLE BEGIN "width 4 [M]\nports p0 p1 [M]\n"

/* The message has the line (0: none) and names the bad word. */
static void check_refused(
	const char *text, const struct status *status, int line, const char *names)
{
	char place[16] = "";

	if (line > 0)
		snprintf(place, sizeof(place), ":%d: ", line);
	if (status->code != STATUS_FAILED || !strstr(status->text, place) ||
		!strstr(status->text, names))
		fail_msg("\"%s\" gives \"%s\": expected line %d and \"%s\"", text, status->text,
			line, names);
}

/* The next row of tests/data/uarch-parse: its last field is a text, its first says what comes
 * before it. */
static bool next_text(struct table *table, int fields, char text[1200])
{
	const char *before;

	if (!table_next(table, fields))
		return false;
	before = table->field[0];
	snprintf(text, 1200, "%s%s",
		strcmp(before, "whole") == 0   ? WHOLE
		: strcmp(before, "begin") == 0 ? BEGIN
					       : "",
		table_unescape(table->field[fields - 1]));
	return true;
}

static struct status parse_core(const char *text)
{
	struct uarch *uarch = (struct uarch *)&text;
	struct status status = uarch_parse(text, "F", &uarch);

	assert_null(uarch);
	return status;
}

static struct status parse_ops(const char *text)
{
	struct uarch_ops *ops = (struct uarch_ops *)&text;
	struct status status = ops_parse(text, "F", &ops);

	assert_null(ops);
	return status;
}

static struct status parse_events(const char *text)
{
	struct uarch_event event[2];
	int count;
	struct status status = events_parse(text, "F", event, 2, &count);

	assert_int_equal(count, 0);
	return status;
}

TEST(malformed_files_are_refused_with_line_and_reason)
{
	static const struct {
		const char *section;
		struct status (*parse)(const char *text);
	} files[] = { { "refused", parse_core }, { "refused tables", parse_ops },
		{ "refused events", parse_events } };

	for (int i = 0; i < 3; i++) {
		struct table table;
		char text[1200];

		table_open(&table, "uarch-parse", files[i].section);
		while (next_text(&table, 4, text)) {
			struct status status = files[i].parse(text);

			check_refused(text, &status, atoi(table.field[1]), table.field[2]);
		}
	}
}

/* The largest and smallest that each line may state. */
TEST(lines_at_their_bounds_are_read)
{
	static const char *const widths[] = { "1", "64", "4.25" };
	struct table table;
	struct uarch *uarch;
	char text[1200];

	table_open(&table, "uarch-parse", "bounds");
	while (next_text(&table, 2, text)) {
		check_ok(uarch_parse(text, "F", &uarch));
		assert_int_equal(uarch->id_count, strstr(text, "\nmatch") != NULL);
		assert_int_equal(uarch->cache_count, strstr(text, "\ncache") != NULL);
		uarch_free(uarch);
	}
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		snprintf(text, sizeof(text), BEGIN "width %s [M]\nports p0 [M]\n", widths[i]);
		check_ok(uarch_parse(text, "F", &uarch));
		check_near(uarch->width, atof(widths[i]), 0);
		uarch_free(uarch);
	}
	check_ok(uarch_parse(BEGIN
		"width 4 [M]\nports a b c d e f g h i j k l m n o p q r s t u v w "
		"[M]\nunits y\n",
		"F", &uarch));
	assert_int_equal(uarch_port_count(uarch), 24);
	assert_string_equal(uarch->port[23], "y");
	assert_int_equal(uarch->port_count, 23);
	uarch_free(uarch);
}

/* Of each core only the lines "match" are read at the start. */
TEST(match_lines_are_read_alone)
{
	struct uarch_sources sources;
	struct table table;
	char text[1200];

	check_ok(sources_load(&sources));
	table_open(&table, "uarch-parse", "matches");
	while (next_text(&table, 4, text)) {
		struct uarch *uarch = memory_new(1, sizeof(*uarch));
		bool read = uarch_read_matches(text, &sources, uarch);

		table_expect(&table, read ? "yes" : "no", table.field[1]);
		assert_int_equal(uarch->id_count, atoi(table.field[2]));
		uarch_free(uarch);
	}
}

TEST(the_end_of_a_long_path_is_shown)
{
	struct uarch *uarch;
	struct status status = uarch_parse("",
		"/a/very/long/path/that/goes/on/and/on/and/on/and/on/and/on/until/it/ends/at/"
		"x.uarch",
		&uarch);

	check_parts(status.text, "...", "/it/ends/at/x.uarch:0: ");
}

TEST(small_differences_are_allowed)
{
	struct uarch *uarch;

	check_ok(uarch_parse("\r\n# caf\xc3\xa9\nuarch  x\tX  the first # comment\r\nisa "
			     "x86_64\nwidth 4.5 [M]\nports p0 [M]\n"
			     "class alu ports 2*p0:3+p0 [M]",
		"F", &uarch));
	assert_string_equal(uarch->title, "X the first");
	check_near(uarch->width, 4.5, 0);
	assert_int_equal(uarch_find(uarch, "alu", 0)->term_count, 2);
	uarch_free(uarch);
}

/* No instruction has a misspelt class, so its line would change nothing. */
TEST(a_class_that_no_instruction_has_is_a_mistake)
{
	struct uarch *uarch;
	struct status status = uarch_parse("uarch x X\nisa x86_64\nwidth 4 [M]\nports p0 [M]\n"
					   "class aluu latency 3 ports p0 [M]",
		"F", &uarch);

	assert_int_equal(status.code, STATUS_FAILED);
	assert_string_equal(
		status.text, "F:5: no instruction has the class \"aluu\"; did you mean alu?");
	assert_null(uarch);
}

/* ---- names */

TEST(names_are_listed_by_instruction_set)
{
	const char *const *names = uarch_names("aarch64");

	assert_string_equal(names[0], "arm");
	assert_null(names[1]);
	assert_string_equal(uarch_names("x86_64")[0], "base");
	assert_string_equal(uarch_names(NULL)[0], "arm");
	assert_null(uarch_names("mips")[0]);
}

TEST(unknown_names_are_usage_errors)
{
	struct uarch *uarch;

	check_usage(
		uarch_load("bsae", "x86_64", &uarch), "no core model \"bsae\"; did you mean base?");
	assert_null(uarch);
	check_usage(uarch_load("", "aarch64", &uarch), "no core model \"\"; one of arm");
	check_contains(
		uarch_load("../sources", "aarch64", &uarch).text, "../sources: No such file");
	check_usage(uarch_load("arm", "x86_64", &uarch),
		"arm is a core for aarch64; this machine is x86_64");
	assert_null(uarch);
	assert_int_equal(uarch_load("wrong-name", NULL, &uarch).code, STATUS_FAILED);
	check_contains(uarch_load("wrong-name", NULL, &uarch).text,
		"this file is the core \"right-name\", not \"wrong-name\"");
}

TEST(own_files_are_found_by_name)
{
	char directory[] = "/tmp/slexplore-uarch-XXXXXX", path[80];
	struct status status;
	struct uarch *uarch;
	FILE *file;

	assert_non_null(mkdtemp(directory));
	setenv("SLEXPLORE_DATA", directory, 1);
	snprintf(path, sizeof(path), "%s/uarch", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/uarch/mine.uarch", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("uarch mine Mine\nisa x86_64\nfrom child\nwidth 9 [M]\n", file);
	assert_int_equal(fclose(file), 0);
	check_ok(uarch_load("mine", "x86_64", &uarch));
	check_near(uarch->width, 9, 0);
	uarch_free(uarch);
	/* A path is read as it is, and named in messages. */
	check_ok(uarch_load(path, NULL, &uarch));
	uarch_free(uarch);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("uarch mine Mine\nisa mips\n", file);
	assert_int_equal(fclose(file), 0);
	status = uarch_load(path, NULL, &uarch);
	check_refused(path, &status, 2, path);
	unlink(path);
	unsetenv("SLEXPLORE_DATA");
	check_usage(uarch_load("mine", "x86_64", &uarch),
		"no core model \"mine\"; one of base, child, circle, circle2, narrow, other, "
		"plain, wrong-name");
	snprintf(path, sizeof(path), "%s/uarch", directory);
	rmdir(path);
	rmdir(directory);
}

/* A core and seven others. */
TEST(eight_cores_inherit_from_each_other)
{
	char directory[] = "/tmp/slexplore-uarch-XXXXXX", path[80];
	struct status status;
	struct uarch *uarch;

	assert_non_null(mkdtemp(directory));
	setenv("SLEXPLORE_DATA", directory, 1);
	snprintf(path, sizeof(path), "%s/uarch", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 1; i <= 8; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/uarch/c%d.uarch", directory, i);
		file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "uarch c%d C\nisa x86_64\n", i);
		if (i < 8)
			fprintf(file, "from c%d\n", i + 1);
		else
			fputs("width 9 [M]\nports p0 [M]\n", file);
		assert_int_equal(fclose(file), 0);
	}
	check_ok(uarch_load("c1", NULL, &uarch));
	check_near(uarch->width, 9, 0);
	uarch_free(uarch);
	status = uarch_parse(BEGIN "from c1\n", "F", &uarch);
	check_refused("from c1", &status, 3, "from c8: more than 7 cores");
	for (int i = 1; i <= 8; i++) {
		snprintf(path, sizeof(path), "%s/uarch/c%d.uarch", directory, i);
		unlink(path);
	}
	unsetenv("SLEXPLORE_DATA");
	snprintf(path, sizeof(path), "%s/uarch", directory);
	rmdir(path);
	rmdir(directory);
}

/* ---- counters */

/* "cycles=b::CYCLES ports:1=b::P0 …" of a core's text. */
static void check_events(const char *text, const char *events)
{
	struct text told = { 0 };
	struct uarch *uarch;

	check_ok(uarch_parse(text, "F", &uarch));
	for (int i = 0; i < uarch->event_count; i++) {
		const struct uarch_event *event = &uarch->event[i];

		text_addf(&told, "%s%s", i ? " " : "", event_roles[event->role].name);
		if (event->ports)
			text_addf(&told, ":%x", event->ports);
		if (event->words[0])
			text_addf(&told, ":%s", event->words);
		text_addf(&told, "=%s", event->name);
		assert_string_equal(event->core, uarch->name);
		assert_true(event->tags != 0);
	}
	assert_string_equal(text_string(&told), events);
	text_free(&told);
	uarch_free(uarch);
}

TEST(events_are_read)
{
	struct uarch *uarch = load("base");
	struct event_title title;

	assert_string_equal(uarch->pmu, "b");
	assert_int_equal(uarch->event_count, 5);
	assert_string_equal(uarch->event[0].title, "cycles");
	assert_string_equal(uarch->event[1].title, "p0");
	assert_string_equal(uarch->event[2].title, "p2 p3");
	assert_string_equal(uarch->event[3].title, "L1 misses");
	assert_string_equal(uarch->event[4].title, "stalled: back end");
	title = events_title(&(struct uarch_event){ .role = ROLE_PORTS, .ports = 3 }, uarch);
	assert_string_equal(title.text, "p0 p1");
	title = events_title(&(struct uarch_event){ .role = ROLE_EXTRA, .name = "x::Y" }, NULL);
	assert_string_equal(title.text, "x::Y");
	uarch_free(uarch);
	check_events(WHOLE, "");
	check_events(WHOLE "pmu none\nevent uops = a::B [M]\n", "uops=a::B");
}

TEST(events_are_inherited_with_the_childs_pmu)
{
	struct table table;
	char text[1200];

	table_open(&table, "uarch-parse", "inherited events");
	while (next_text(&table, 3, text))
		check_events(text, table.field[1]);
}

TEST(lists_of_events_are_read_alone)
{
	struct uarch_event event[2];
	int count;

	check_ok(events_parse("# two\nevent uops = a::B [M]\nevent stalled x = a::C [L]\nevent "
			      "loads = a::D [L]\n",
		"F", event, 2, &count));
	assert_int_equal(count, 2);
	assert_string_equal(event[1].words, "x");
	assert_string_equal(event[1].name, "a::C");
	assert_string_equal(event[1].core, "");
}

/* ---- facts */

TEST(facts_are_read)
{
	struct uarch *uarch = load("base");
	const struct uarch_class *fadd = uarch_find(uarch, "fadd", 0),
				 *wide = uarch_find(uarch, "fadd", 512);
	struct text text = { 0 };
	double slows;

	assert_string_equal(uarch->title, "A base");
	assert_string_equal(uarch->isa, "x86_64");
	assert_int_equal(uarch_port_count(uarch), 6);
	assert_string_equal(uarch->port[5], "div");
	assert_true(5 >= uarch->port_count);
	assert_false(4 >= uarch->port_count);
	check_near(uarch->fact[CAP_LOADS], 2, 0);
	assert_false(uarch_known(uarch->fact[CAP_STORES]));
	check_near(uarch->fact[SIZE_ROB], 224, 0);
	check_near(uarch->fact[EXTRA_FORWARD], 5, 0);
	assert_false(uarch_known(uarch->fact[EXTRA_SIGN]));
	check_near(uarch_cache(uarch, 2)->lines, 0.5, 0);
	assert_false(uarch_known(uarch_cache(uarch, 1)->lines));
	assert_null(uarch_cache(uarch, 3));

	check_near(fadd->latency, 4, 0);
	check_near(fadd->slots, 1, 0);
	assert_string_equal(wide->name, "fadd.512");
	check_near(wide->slots, 2, 0);
	check_near(wide->term[0].count, 0.5, 0);
	check_near(wide->term[1].cycles, 2, 0);
	assert_int_equal(wide->term[1].ports, 2);
	check_near(uarch_find(uarch, "two", 0)->slots, 2, 0);
	check_near(uarch_find(uarch, "div", 64)->slots, 1, 0);
	assert_int_equal(uarch_find(uarch, "div", 64)->term[1].ports, 1 << 5);
	assert_null(uarch_find(uarch, "div", 32));
	/* Two micro-ops, but one slot: they are fused. */
	check_near(uarch_find(uarch, "store", 0)->slots, 1, 0);
	assert_false(uarch_find(uarch, "silent", 0)->executes);
	check_near(uarch_find(uarch, "fma", 0)->accumulate, 2, 0);

	check_near(uarch_chain(uarch, fadd, fadd, &slows), 2, 0);
	check_near(uarch_chain(uarch, wide, fadd, &slows), 3, 0);
	check_near(uarch_chain(uarch, fadd, wide, &slows), 2, 0);
	assert_false(uarch_known(uarch_chain(uarch, fadd, uarch_find(uarch, "two", 0), &slows)));
	assert_false(uarch_known(uarch_chain(uarch, NULL, fadd, &slows)));

	uarch_sources(uarch, fadd->tags, &text);
	assert_string_equal(text_string(&text), "[M] measured\n[L] LLVM\n");
	text_clear(&text);
	uarch_sources(uarch, 0, &text);
	assert_string_equal(text_string(&text), "[M] measured\n[L] LLVM\n[TD] Travis Downs\n");
	text_free(&text);
	uarch_free(uarch);
}

TEST(a_core_inherits_and_replaces)
{
	struct uarch *base = load("base"), *child = load("child");

	assert_string_equal(child->name, "child");
	assert_string_equal(child->title, "A child");
	check_near(child->width, 6, 0);
	assert_int_equal(uarch_port_count(child), 7);
	/* What is inherited follows a set that has a new meaning. */
	assert_int_equal(uarch_find(base, "alu", 0)->term[0].ports, 3);
	assert_int_equal(uarch_find(child, "alu", 0)->term[0].ports, 3 | 1 << 5);
	assert_int_equal(uarch_find(child, "div", 64)->term[1].ports, 1 << 6);
	check_near(uarch_find(child, "fadd", 0)->latency, 3, 0);
	check_near(uarch_find(child, "fadd", 512)->latency, 5, 0);
	assert_null(uarch_find(child, "two", 0));
	assert_false(uarch_known(child->fact[EXTRA_FORWARD]));
	check_near(child->fact[SIZE_ROB], 224, 0);
	assert_int_equal(child->id_count, 2);
	uarch_free(base);
	uarch_free(child);
}

RUN_TESTS(.set_up = uarch_fakes_setup)
