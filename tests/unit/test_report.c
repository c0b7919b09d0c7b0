/* Pages of reports: src/base/document, src/recording/compare/kept, src/cli/report_page. */
#include "check.h"

#include <unistd.h>

#include "base/data.h"
#include "base/document.h"
#include "base/text.h"
#include "cli/cli.h"
#include "picture/picture_web.h"

static char folder[] = "/tmp/slexplore-report-XXXXXX";
static struct text lines;

static int set_up(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	text_free(&lines);
	return rmdir(folder);
}

static int begin(void **state)
{
	text_clear(&lines);
	return 0;
}

/* Adds the lines of a probe with three sizes, one level and one band. */
static void add_probe(const char *host, int probe, double cycles)
{
	static const char point[] =
		"{\"v\":1,\"record\":\"sample\",\"id\":%d,\"host\":\"%s\",\"part\":\"%s\",\"x\":%d,"
		"\"kernel\":\"latency\",\"knobs\":{\"size\":%d,\"pages\":\"huge\"},\"cpe\":%g,"
		"\"cpe_lo\":%g,\"cpe_hi\":%g,\"ns\":%g,\"quiet\":1.0,\"cycles_from\":\"reference\","
		"\"ghz\":4.0}\n";

	text_addf(&lines,
		"{\"v\":1,\"record\":\"probe\",\"id\":1,\"host\":\"%s\",\"machine\":\"Core <i>\","
		"\"seconds\":%d,\"line\":64}\n",
		host, probe);
	for (int i = 0; i < 4; i++)
		text_addf(&lines, point, i + 2, host, i == 3 ? "bandwidth" : "latency", 4096 << i,
			4096 << i, cycles, 0.9 * cycles, 1.1 * cycles, cycles / 4);
	text_addf(&lines,
		"{\"v\":1,\"record\":\"level\",\"id\":6,\"host\":\"%s\",\"name\":\"L1d\","
		"\"kind\":\"cache\",\"cycles\":%g,\"bytes\":32768}\n"
		"{\"v\":1,\"record\":\"band\",\"id\":7,\"host\":\"%s\",\"level\":\"L1d\","
		"\"op\":\"read\",\"size\":16384,\"bytes_per_cycle\":%g,\"gbps\":100,\"sample\":5}"
		"\n",
		host, cycles, host, 64 + cycles);
}

/* Runs `slexplore report` on the lines, and returns the page. */
static char *page_of(const char *name)
{
	struct words page = words_of("%s/%s", folder, name),
		     records = words_of("%s/records.jsonl", folder);
	char *argv[] = { (char[]){ "slexplore" }, (char[]){ "report" }, page.text, records.text,
		NULL },
	     *text = NULL;
	FILE *file = fopen(records.text, "we"), *none = fopen("/dev/null", "we");

	assert_non_null(file);
	fputs(text_string(&lines), file);
	fclose(file);
	assert_int_equal(cli_main(4, argv, none, none), CLI_DONE);
	fclose(none);
	data_read(page.text, &text);
	unlink(page.text);
	unlink(records.text);
	return text;
}

static int count_of(const char *text, const char *words)
{
	int count = 0;

	while ((text = strstr(text, words))) {
		count++;
		text++;
	}
	return count;
}

TEST(a_page_needs_nothing_else)
{
	char *text;

	add_probe("n1", 1, 5);
	text_add(&lines,
		"{\"v\":1,\"record\":\"core\",\"id\":1,\"host\":\"n1\",\"seconds\":5,"
		"\"cycles_from\":\"counter\"}\n"
		"{\"v\":1,\"record\":\"class\",\"id\":2,\"host\":\"n1\",\"name\":\"imul\","
		"\"latency\":3.01,\"latency_lo\":3,\"latency_hi\":3.02}\n"
		"{\"v\":1,\"record\":\"difference\",\"id\":3,\"host\":\"n1\","
		"\"what\":\"latency of imul\",\"measured\":3.01,\"shipped\":4,\"agrees\":false}\n"
		"{\"v\":1,\"record\":\"check\",\"id\":4,\"host\":\"n1\",\"name\":\"steal\","
		"\"state\":\"bad\",\"finding\":\"10%\"}\n");
	text = page_of("a.html");
	check_contains(text, "<td>imul</td><td class=\"r\">3.010 C (3.000 to 3.020)</td><td "
			     "class=\"r\">4.000</td>");
	check_contains(text, "<td class=\"r\">-25 %</td>");
	check_contains(text, "<td class=\"bad\">steal</td>");
	check_contains(text, "<h1>Core &lt;i&gt;</h1>");
	check_contains(text, "id=\"memory\"");
	check_contains(text, "id=\"bandwidth\"");
	assert_null(strstr(text, "id=\"windows\""));
	assert_null(strstr(text, "id=\"mountain\""));
	assert_null(strstr(text, "<script"));
	assert_null(strstr(text, "http"));
	assert_null(strstr(text, "nan"));
	/* The value of a band has the source and the quartiles of its sample. */
	check_contains(text, "69.00 R (62.73 to 76.67)");
	assert_true(count_of(text, "<svg") >= 2);
	assert_int_equal(count_of(text, "<svg"), count_of(text, "</svg>"));
	free(text);
}

/* Markdown has no pictures. */
TEST(a_mountain_is_a_table_in_markdown)
{
	char *text;

	add_probe("n1", 1, 5);
	for (int i = 0; i < 4; i++)
		text_addf(&lines,
			"{\"v\":1,\"record\":\"sample\",\"id\":%d,\"host\":\"n1\",\"kernel\":"
			"\"mountain\",\"knobs\":{\"size\":%d,\"stride\":%d},\"gbps\":%d.5,"
			"\"contended\":%s}\n",
			10 + i, i < 2 ? 4096 : 8192, 1 + i % 2, 10 * (i + 1),
			i == 3 ? "true" : "false");
	text = page_of("a.md");
	check_contains(text, "| size | 1 | 2 |\n| --- | ---: | ---: |\n"
			     "| 4 KiB | 10.50 | 20.50 |\n| 8 KiB | 30.50 | 40.50 ? |\n");
	check_contains(text, "?: contended, so the value may be wrong.");
	free(text);
}

TEST(a_doubtful_window_is_marked)
{
	char *text;

	add_probe("n1", 1, 5);
	text_add(&lines,
		"{\"v\":1,\"record\":\"window\",\"id\":9,\"host\":\"n1\",\"filler\":\"nop\","
		"\"buffer\":\"rob\",\"knee\":222,\"knee_lo\":222,\"knee_hi\":222,"
		"\"contended\":true}\n");
	text = page_of("a.html");
	check_contains(text, "(222 to 222); contended, so it may be wrong");
	free(text);
}

TEST(a_key_number_keeps_its_unit)
{
	char *text;

	text_add(&lines,
		"{\"v\":1,\"record\":\"probe\",\"id\":1,\"host\":\"n1\",\"seconds\":1,\"line\":64}"
		"\n"
		"{\"v\":1,\"record\":\"band\",\"id\":2,\"host\":\"n1\",\"level\":\"memory\","
		"\"op\":\"read\",\"size\":16384,\"bytes_per_cycle\":6,\"gbps\":14.07,\"sample\":9}"
		"\n"
		"{\"v\":1,\"record\":\"core\",\"id\":3,\"host\":\"n1\",\"seconds\":5,\"width\":5."
		"984,"
		"\"cycles_from\":\"reference\"}\n"
		"{\"v\":1,\"record\":\"window\",\"id\":4,\"host\":\"n1\",\"filler\":\"nop\","
		"\"buffer\":\"rob\",\"knee\":496,\"knee_lo\":495,\"knee_hi\":497,"
		"\"cycles_from\":\"reference\"}\n"
		"{\"v\":1,\"record\":\"sample\",\"id\":5,\"host\":\"n1\",\"kernel\":\"combine\","
		"\"cpe\":1,\"ghz\":2.5,\"quiet\":1.0}\n");
	text = page_of("a.md");
	check_contains(text, "**Core clock:** 2.50 GHz, mean of 1 sample (");
	check_contains(text, "14.07 GB/s, T; 6.000 bytes per cycle");
	check_contains(text, "**Width:** 6 slots per cycle, measured: 5.984 R");
	check_contains(text, "**Looks ahead:** 496 instructions, R (495 to 497)");
	free(text);
}

TEST(the_last_probe_of_a_machine_is_shown)
{
	char *text;

	add_probe("n1", 1, 7);
	add_probe("n1", 2, 5);
	text = page_of("a.md");
	assert_int_equal(count_of(text, "| L1d | 32 KiB |"), 1);
	check_contains(text, "5.000 R");
	assert_null(strstr(text, "7.000 R"));
	assert_null(strstr(text, "<t"));
	free(text);
}

TEST(a_probe_of_cores_does_not_hide_an_earlier_probe)
{
	char *text;

	add_probe("n1", 1, 5);
	text_add(&lines,
		"{\"v\":1,\"record\":\"probe\",\"id\":1,\"host\":\"n1\",\"parts\":["
		"\"core-to-core\"]}\n"
		"{\"v\":1,\"record\":\"processor\",\"id\":2,\"host\":\"n1\",\"cpu\":0}\n"
		"{\"v\":1,\"record\":\"processor\",\"id\":3,\"host\":\"n1\",\"cpu\":7}\n"
		"{\"v\":1,\"record\":\"cores\",\"id\":4,\"host\":\"n1\",\"name\":\"same L3\","
		"\"ns\":20,\"ns_lo\":19,\"ns_hi\":22,\"pairs\":1}\n"
		"{\"v\":1,\"record\":\"pair\",\"id\":5,\"host\":\"n1\",\"a\":0,\"b\":7,"
		"\"ns\":20}\n");
	text = page_of("a.html");
	check_contains(text, "id=\"memory\"");
	check_contains(text, "id=\"cores\"");
	check_contains(text, "20.00 T (19.00 to 22.00)");
	free(text);
}

TEST(several_machines_are_compared)
{
	char *text;

	add_probe("n1", 1, 5);
	add_probe("n2", 1, 8);
	text = page_of("a.html");
	check_contains(text, "id=\"compared\"");
	assert_null(strstr(text, "id=\"memory\""));
	check_contains(text, ">n1<");
	check_contains(text, ">n2<");
	check_contains(text, "+60.0%");
	free(text);
	for (int i = 3; i < 24; i++)
		add_probe(words_of("n%d", i).text, 1, i == 9 ? 12 : 5 + 0.001 * i);
	add_probe("n1", 1, 5);
	add_probe("n2", 1, 5.002);
	text = page_of("a.html");
	check_contains(text, "<h3>n9</h3>");
	free(text);
}

TEST(colours_of_a_picture_have_a_light_and_a_dark_form)
{
	struct chart *chart = chart_new(CHART_LINES);
	struct web_colours colours = { 0 };
	struct text svg = { 0 }, light = { 0 }, dark = { 0 };
	struct chart_series *series = chart_add_series(chart, "a<b \"c\"");
	struct words ink;

	chart->compact = chart->joined = true;
	for (int i = 1; i < 9; i++)
		chart_add_point(
			series, &(struct chart_point){ i, i, i - 0.5, i + 0.5, NAN, NAN, i == 3 });
	chart_fit(chart, SCALE_LINEAR, SCALE_LINEAR);
	picture_web(chart, &colours, &svg);
	web_colours_rules(&colours, PICTURE_LIGHT, &light);
	web_colours_rules(&colours, PICTURE_DARK, &dark);
	assert_true(colours.count > 3);
	for (int i = 0; i < colours.count; i++) {
		ink = words_of(".f%d{fill:#%06x}", i, colours.pair[i].colour[PICTURE_DARK]);
		check_contains(text_string(&dark), ink.text);
	}
	check_contains(text_string(&light), "fill:#ffffff");
	assert_null(strstr(text_string(&dark), "fill:#ffffff"));
	check_contains(text_string(&svg), "a&lt;b &quot;c&quot;");
	assert_int_equal(count_of(text_string(&svg), "<circle"), 8);
	assert_null(strstr(text_string(&svg), "nan"));
	text_free(&svg);
	text_free(&light);
	text_free(&dark);
	web_colours_free(&colours);
	chart_free(chart);
}

/* A table inside the list of facts would take the width of the facts. */
TEST(a_list_of_facts_ends_before_a_table)
{
	static const char *const columns[] = { "a", NULL };
	struct document document = { .html = true }, plain = { 0 };

	document_fact(&document, "A", "x");
	document_table(&document, columns);
	assert_non_null(strstr(text_string(&document.body), "</dl>\n<div"));
	document_fact(&plain, "A", "x");
	document_table(&plain, columns);
	assert_non_null(strstr(text_string(&plain.body), "x\n\n| a |"));
	document_free(&document);
	document_free(&plain);
}

TEST(words_of_a_document_are_escaped)
{
	struct document document = { .html = true }, plain = { 0 };
	static const char *const columns[] = { "a", ">b", NULL }, *const cells[] = { "x|y", "<1>",
		NULL };

	document_table(&document, columns);
	document_row(&document, cells, "bad");
	check_contains(
		text_string(&document.body), "<td class=\"bad\">x|y</td><td class=\"r\">&lt;1&gt;");
	document_table(&plain, columns);
	document_row(&plain, cells, NULL);
	check_contains(text_string(&plain.body), "| x\\|y | \\<1\\> |");
	document_free(&document);
	document_free(&plain);
}

RUN_TESTS(.set_up = set_up, .tear_down = tear_down, .each_set_up = begin)
