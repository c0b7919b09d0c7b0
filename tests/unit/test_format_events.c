/* What every format says of events: the core's own, what it lacks, what cannot be counted and why;
 * and those found by words. */
#include "fakes.h"

#include "written.h"

#include "model/core/uarch.h"

static const enum event_role lacking[] = { ROLE_UOPS_EXECUTED, ROLE_L3_MISSES };
static const struct uarch_choice nobody;

/* survey NULL: events that words found. */
static void write_events(const char *format, const struct event_survey *survey,
	const struct event_line *events, int count)
{
	const struct subject *subject = survey ? &subject_events : &subject_found;

	prepare(format, subject);
	report.core = &nobody;
	report_begin(&report);
	if (survey)
		report_write(&report, &subject_survey, survey);
	for (int i = 0; i < count; i++)
		report_write(&report, subject, &events[i]);
	end();
}

static const struct event_line lines[] = {
	{ "cycles", "cycles", "odd::CYCLES", "known", "", "Cycles, \"all\" of them" },
	{ "ports p2 p3", "p2 p3", "odd::PORTS:P23", "refused", "refused: so", "" },
	{ "dtlb-walks", "page walks", "odd::A_NAME_THAT_IS_LONGER_THAN_ITS_COLUMN", "silent",
		"stays at zero", "" },
	{ "stores", "stores", "odd::STORES", "", "", "" },
	{ "stalled x", "stalled: a scheduler of a long name", "odd::X", "known", "", "" },
};

TEST(text_tells_core_counters_and_what_is_lacking)
{
	struct event_survey survey = { .pmu = "odd",
		.doubt = "",
		.why = "",
		.tried = true,
		.lacking_count = 2,
		.lacking = lacking };

	write_events("text", &survey, lines, 5);
	check_parts(written,
		"\n  stalled: a scheduler of a long name\n"
		"                                 odd::X                           "
		"      counted\n",
		"core      not recognised\n", ", PMU odd\n", "counters  tried on this machine\n",
		"lacking   micro-ops executed, L3 misses\n",
		"\n  cycles                         odd::CYCLES                    "
		"        counted\n",
		"\n  p2 p3                          odd::PORTS:P23                 "
		"        refused: so\n",
		"\n  page walks                     odd::A_NAME_THAT_IS_LONGER_THAN_ITS_COLUMN\n"
		"                                                                        stays at "
		"zero\n",
		"\n  stores                         odd::STORES\n");

	survey = (struct event_survey){ .pmu = "",
		.generic = true,
		.doubt = "events:1: no",
		.why = "no unit is gives this virtual machine no",
		.tried = true };
	write_events("text", &survey, lines, 1);
	check_parts(written,
		"events    the generic ones that the kernel has for every processor\n"
		"          events:1: no\n",
		"counters  none here: no unit is gives this virtual machine no\n",
		"lacking   nothing\n");

	survey.tried = false;
	survey.why = "";
	write_events("text", &survey, lines, 1);
	check_contains(written, "counters  not tried\n");
}

TEST(text_lists_what_words_find)
{
	write_events("text", NULL, lines, 2);
	assert_string_equal(
		written, "odd::CYCLES\n    Cycles, \"all\" of them\nodd::PORTS:P23\n2 events\n");
	write_events("text", NULL, lines, 1);
	check_contains(written, "\n1 event\n");
}

TEST(csv_has_a_line_an_event)
{
	const struct event_survey survey = { .pmu = "odd",
		.doubt = "",
		.why = "",
		.tried = true,
		.lacking_count = 2,
		.lacking = lacking };

	write_events("csv", &survey, lines, 2);
	assert_string_equal(written, "uarch,role,name,state,note,help\n,cycles,odd::CYCLES,known,,"
				     "\"Cycles, \"\"all\"\" of them\"\n"
				     ",ports p2 p3,odd::PORTS:P23,refused,refused: so,\n");
}

TEST(json_tells_the_same)
{
	struct event_survey survey = { .pmu = "odd",
		.doubt = "",
		.why = "no",
		.tried = true,
		.lacking_count = 2,
		.lacking = lacking };
	json_t *object;

	write_events("json", &survey, lines, 2);
	object = record_at(0);
	check_members(object, "{'record': 'events', 'pmu': 'odd', 'why': 'no', 'available': false, "
			      "'generic': null}");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(object, "lacking"), 1)),
		"l3-misses");
	json_decref(object);
	object = record_at(2);
	check_members(object, "{'record': 'event', 'role': 'ports p2 p3', 'state': 'refused', "
			      "'note': 'refused: so', 'help': null}");
	json_decref(object);

	/* Not tried: nothing is said of what is available. */
	survey.tried = false;
	survey.why = "";
	survey.generic = true;
	write_events("json", &survey, lines, 0);
	object = record_at(0);
	check_members(object, "{'available': null, 'generic': true}");
	json_decref(object);

	write_events("json", NULL, lines, 1);
	object = record_at(0);
	assert_string_equal(string_at(object, "record"), "event");
	json_decref(object);
}

TEST(long_words_stay_within_a_line)
{
	static char many[2000];
	struct event_survey survey = { .pmu = many, .doubt = many, .why = many, .tried = true };
	struct event_line line = { many, many, many, "known", many, many };

	memset(many, '"', sizeof(many) - 1);
	write_events("json", &survey, &line, 1);
	json_decref(record_at(0));
	json_decref(record_at(1));
}

RUN_TESTS()
