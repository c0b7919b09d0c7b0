/* What the session counts, keeps of it, and says beside the model; and events asked for by name. */
#include "played.h"

#include <strings.h>

#include "model/counts/counts.h"

enum { LIMIT = 1 << 30 };

/* A model and a libpfm that count what they are asked. */
static struct {
	int planned, modelled, searched;
	bool none; /* nothing to count */
	double decoded;
	bool varies;
	char pmu[40];
} model;

static enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	snprintf(name, CORE_NAME, "own");
	why[0] = '\0';
	return UARCH_EXACT;
}

static struct status load(void *context, const char *name, const char *isa, struct core *core)
{
	memset(core, 0, sizeof(*core));
	snprintf(core->name, sizeof(core->name), "%s", name);
	return status_ok();
}

static void unload(void *context, struct core *core)
{
}

static void answer(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	loop_clear(&explanation->loop);
	limits_clear(&explanation->limits);
	explanation->limits.binding = explanation->limits.predicted_by = -1;
	explanation->status = status_ok();
	explanation->loop.insn_count = 4;
	explanation->loop.insns_per_element = model.decoded;
	explanation->loop.varies = model.varies;
}

static void plan_add(struct event_plan *plan, enum event_role role, const char *name)
{
	plan->meaning[plan->counters.count].role = role;
	snprintf(plan->meaning[plan->counters.count].title, EVENT_TITLE, "%s", name);
	snprintf(plan->counters.event[plan->counters.count++].name, COUNTER_NAME, "%s", name);
}

static void events(void *context, const struct machine *machine, const char *const *extra,
	int extra_count, struct event_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->counters.cycles = 0;
	model.planned++;
	if (model.none)
		return;
	plan_add(plan, ROLE_CYCLES, "perf::CYCLES");
	plan_add(plan, ROLE_INSTRUCTIONS, "own::INSTRUCTIONS");
	plan_add(plan, ROLE_LOADS, "own::LOADS");
	for (int i = 0; i < extra_count && plan->counters.count < COUNTERS_MAX; i++)
		plan_add(plan, ROLE_EXTRA, extra[i]);
}

static double modelled(
	void *context, const struct uarch_event *meaning, const struct explanation *explanation)
{
	model.modelled++;
	return meaning->role == ROLE_LOADS ? 1 : (double)NAN;
}

static struct explainer explainer = { .recognise = recognise,
	.load = load,
	.unload = unload,
	.explain = answer,
	.events = events,
	.modelled = modelled };

static size_t offers(const char *words, const char *pmu, struct counter_offer *offer, size_t most)
{
	static const struct counter_offer all[] = { { "own::STALLS", "cycles without any uops" },
		{ "own::UOPS:ANY", "all of them" }, { "own::UOPS:PORT_0", "on a port" } };
	size_t count = 0;
	model.searched++;
	snprintf(model.pmu, sizeof(model.pmu), "%s", pmu ? pmu : "");
	for (int i = 0; i < 3; i++) {
		if (!strcasestr(all[i].name, words) && !strcasestr(all[i].help, words))
			continue;
		if (count < most)
			offer[count] = all[i];
		count++;
	}
	return count;
}

static struct status encodes(const char *name, struct counter_code *code)
{
	return strncasecmp(name, "own::", 5) == 0
		       ? status_ok()
		       : status_usage("event '%s': event not found; there is own::UOPS:ANY", name);
}

static void start_with(const char *const *extra, int extra_count, uint64_t memory)
{
	struct engine engine = fake_init(&fake, memory);
	struct session_options options = {
		.explainer = &explainer, .events = extra, .event_count = extra_count
	};
	memset(&model, 0, sizeof(model));
	model.decoded = 2;
	engine.offers = offers;
	engine.encodes = encodes;
	setting_init(&options.setting, &kernel_fold);
	session = session_new(&engine, &options);
	session_advance(session, 100);
}

static void start(void)
{
	start_with(NULL, 0, LIMIT);
}

/* Answers what is pending: 1.5 cycles, 2 instructions, 1 load an element. */
static struct result counted_result(void)
{
	static const double values[] = { 1.5, 2, 1 };
	struct result result = fake_result(&fake.request, 60, 1.5);

	result.counts.id = fake.request.plan.id;
	result.counts.count = fake.request.plan.count;
	for (int i = 0; i < result.counts.count; i++)
		result.counts.event[i] =
			(struct count){ .state = COUNT_KNOWN, .value = i < 3 ? values[i] : 0.25 };
	return result;
}

static void answer_counted(double now)
{
	struct result result = counted_result();

	assert_true(fake.pending);
	fake_push(&fake, &result);
	session_advance(session, now);
}

static void run(const char *line, double now)
{
	struct status status = session_command(session, line, now);

	check_ok(status);
}

static void refused(const char *line, const char *part)
{
	struct status status;

	assert_false(session_command_works(session, line));
	status = session_command(session, line, 101);
	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, part);
}

TEST(every_request_carries_the_plan)
{
	start();

	assert_int_equal(fake.request.plan.id, 1);
	assert_int_equal(fake.request.plan.count, 3);
	assert_string_equal(fake.request.plan.event[1].name, "own::INSTRUCTIONS");
	answer_counted(100.05);
	session_advance(session, 100.06);
	assert_true(fake.request.background);
	assert_int_equal(fake.request.plan.id, 1);
	session_free(session);
	/* Before the machine is known nobody knows its events. */
	start_with(NULL, 0, 0);
	assert_int_equal(fake.request.plan.id, 0);
	assert_null(look(101)->counters.plan);
	atomic_store(&fake.machine.known, true);
	session_advance(session, 101);
	assert_int_equal(look(101)->counters.plan->counters.count, 3);
}

TEST(counts_stand_beside_the_model)
{
	start();

	assert_int_equal(look(101)->counters.counts.count, 0);
	assert_string_equal(view.counters.why, "");
	assert_true(isnan(view.counters.ipc));
	answer_counted(100.05);
	look(101);
	assert_int_equal(view.counters.counts.count, 3);
	check_near(view.counters.ipc, 2 / 1.5, 1e-9);
	check_near(view.counters.counted, 2, 0);
	check_near(view.counters.decoded, 2, 0);
	assert_false(view.counters.differ);
	assert_true(isnan(view.counters.modelled[0]));
	check_near(view.counters.modelled[2], 1, 0);
	/* Cycles by the reference chain have nothing to be checked against. */
	assert_true(isnan(view.counters.check));
}

TEST(the_model_is_asked_once_an_explanation)
{
	start();

	model.modelled = 0;
	for (int i = 0; i < 10; i++)
		look(101);
	assert_int_equal(model.modelled, 0);
	session_command(session, "set acc=2", 102);
	for (int i = 0; i < 10; i++)
		look(103);
	assert_int_equal(model.modelled, 3);
}

TEST(other_instructions_than_decoded_are_flagged)
{
	start();
	struct result result;

	model.decoded = 1.97;
	run("set acc=2", 100.01);
	answer_counted(100.05);
	assert_true(look(101)->counters.differ);
	/* An estimate is no witness. */
	session_advance(session, 100.06);
	fake_answer(&fake, 60, 1); /* a cell */
	session_advance(session, 100.2);
	assert_false(fake.request.background);
	result = counted_result();
	result.counts.event[1].state = COUNT_SCALED;
	fake_push(&fake, &result);
	session_advance(session, 100.25);
	assert_false(look(101)->counters.differ);
	check_near(view.counters.counted, 2, 0);
}

TEST(a_loop_that_data_lead_is_not_flagged)
{
	start();

	model.decoded = 1.97;
	model.varies = true;
	run("set acc=2", 100.01);
	answer_counted(100.05);
	assert_false(look(101)->counters.differ);
}

TEST(counts_of_another_plan_or_of_no_final_result_are_ignored)
{
	start();
	struct result result = counted_result();

	result.final = false;
	fake_push(&fake, &result);
	session_advance(session, 100.01);
	assert_int_equal(look(101)->counters.counts.count, 0);
	result = counted_result();
	result.counts.id = 7;
	fake_push(&fake, &result);
	session_advance(session, 100.02);
	assert_true(look(101)->sample.valid);
	assert_int_equal(view.counters.counts.count, 0);
	session_free(session);
	start();
	result = counted_result();
	result.status = status_make(STATUS_CANCELLED, "stopped");
	fake_push(&fake, &result);
	session_advance(session, 100.02);
	assert_int_equal(look(101)->counters.counts.count, 0);
}

TEST(why_there_are_none_is_kept_from_setting_to_setting)
{
	start();
	struct result result = counted_result();

	memset(&result.counts, 0, sizeof(result.counts));
	result.counts.id = fake.request.plan.id;
	snprintf(result.counts.why, sizeof(result.counts.why), "this guest has no PMU");
	fake_push(&fake, &result);
	session_advance(session, 100.02);
	assert_string_equal(look(101)->counters.why, "this guest has no PMU");
	run("set acc=2", 100.03);
	assert_string_equal(look(101)->counters.why, "this guest has no PMU");
	/* Once there are some, it is gone. */
	answer_counted(100.1);
	assert_string_equal(look(101)->counters.why, "");
	assert_int_equal(view.counters.counts.count, 3);
}

TEST(an_engine_that_counts_nothing_says_so)
{
	start();

	fake_answer(&fake, 60, 2);
	session_advance(session, 100.02);
	check_contains(look(101)->counters.why, "no event is counted");
}

TEST(coming_back_shows_what_was_counted_at_once)
{
	start();

	answer_counted(100.05);
	run("set acc=2", 100.1);
	assert_int_equal(look(101)->counters.counts.count, 0);
	run("set acc=1", 100.2);
	assert_false(look(101)->sample.valid);
	assert_int_equal(view.counters.counts.count, 3);
	/* Not what an older plan counted. */
	run("set acc=2", 100.3);
	run("event own::UOPS:ANY", 100.35);
	run("set acc=1", 100.4);
	assert_int_equal(look(101)->counters.counts.count, 0);
}

/* A slow loop is counted in parts, request by request. */
TEST(what_a_request_had_no_time_for_stays)
{
	start();
	struct result result;

	answer_counted(100.05);
	run("freeze", 100.1);
	run("freeze", 100.2);
	result = counted_result();
	result.counts.event[0] = (struct count){ .state = COUNT_NONE };
	result.counts.event[1].value = 3;
	fake_push(&fake, &result);
	session_advance(session, 100.3);
	look(101);
	assert_int_equal(view.counters.counts.event[0].state, COUNT_KNOWN);
	check_near(view.counters.counts.event[0].value, 1.5, 0);
	check_near(view.counters.counts.event[1].value, 3, 0);
}

TEST(a_frozen_screen_keeps_its_counts)
{
	start();
	struct result result;

	answer_counted(100.05);
	session_advance(session, 100.2);
	result = counted_result();
	result.counts.event[1].value = 9;
	run("freeze", 100.21);
	fake_push(&fake, &result);
	session_advance(session, 100.22);
	check_near(look(101)->counters.counted, 2, 0);
	/* One more event has no count until measuring goes on; the others keep theirs. */
	run("event own::UOPS:ANY", 100.3);
	check_contains(look(101)->screen.notice, "when measuring continues");
	assert_int_equal(view.counters.counts.count, 4);
	check_near(view.counters.counts.event[1].value, 2, 0);
	assert_int_equal(view.counters.counts.event[3].state, COUNT_NONE);
}

TEST(measuring_anew_forgets_what_was_counted)
{
	start();

	answer_counted(100.05);
	run("again", 100.1);
	assert_int_equal(look(101)->counters.counts.count, 0);
	assert_int_equal(view.counters.counts.id, 0);
}

TEST(an_event_by_name_is_counted_too)
{
	start();

	answer_counted(100.05);
	session_advance(session, 100.06);
	assert_true(session_command_works(session, "event own::UOPS:ANY"));
	run("event own::UOPS:ANY", 100.07);
	assert_string_equal(look(101)->screen.front, "counters");
	assert_int_equal(view.counters.plan->counters.id, 2);
	fake_answer(&fake, 60, 1);
	session_advance(session, 100.08);
	/* It does not wait for its turn. */
	assert_false(fake.request.background);
	assert_int_equal(fake.request.plan.id, 2);
	assert_string_equal(fake.request.plan.event[3].name, "own::UOPS:ANY");
	assert_false(session_idle(session));
	answer_counted(100.1);
	assert_int_equal(look(101)->counters.counts.count, 4);
	/* In any case of letters, and once. */
	run("event OWN::uops:any", 100.2);
	check_contains(look(101)->screen.notice, "is counted already");
	assert_int_equal(view.counters.plan->counters.count, 4);
	run("yank", 100.3);
	check_contains(look(101)->screen.text, " --event own::UOPS:ANY");
	assert_null(strstr(strstr(view.screen.text, "--event") + 1, "--event"));
}

TEST(a_wrong_event_changes_nothing)
{
	start();
	char line[80];

	refused("event", "needs an event's name");
	refused("event other::UOPS", "there is own::UOPS:ANY");
	assert_int_equal(look(101)->counters.plan->counters.id, 1);
	assert_string_equal(view.screen.front, "curves");
	for (int i = 0; i < COUNTERS_MAX - 3; i++) {
		snprintf(line, sizeof(line), "event own::E%d", i);
		run(line, 100.1);
	}
	refused("event own::ONE_MORE", "40 events are counted already");
	session_free(session);
	explainer.events = NULL;
	start();
	refused("event own::UOPS:ANY", "no hardware events are counted here");
	refused("counters", "no hardware events are counted here");
	assert_null(look(101)->counters.plan);
	explainer.events = events;
}

static bool holds(void *context, const struct kernel *kernel, const int64_t *v)
{
	return true;
}

TEST(what_was_recorded_has_no_other_events)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .explainer = &explainer };

	engine.holds = holds;
	setting_init(&options.setting, &kernel_fold);
	session = session_new(&engine, &options);
	session_advance(session, 100);
	refused("event own::UOPS:ANY", "recorded counts");
	run("find uops", 100.1);
	assert_int_equal(look(101)->screen.found_count, 0);
	fake_answer(&fake, 60, 2);
	session_advance(session, 100.2);
	assert_string_equal(look(101)->counters.why, "this setting was recorded without counters");
}

/* "This guest" is not the reader's machine. */
TEST(why_there_were_none_is_told_of_the_recording)
{
	struct engine engine = fake_init(&fake, LIMIT);
	struct session_options options = { .explainer = &explainer };
	struct result result;

	engine.holds = holds;
	setting_init(&options.setting, &kernel_fold);
	session = session_new(&engine, &options);
	session_advance(session, 100);
	result = counted_result();
	memset(&result.counts, 0, sizeof(result.counts));
	result.counts.id = fake.request.plan.id;
	snprintf(result.counts.why, sizeof(result.counts.why), "this guest has no PMU");
	fake_push(&fake, &result);
	session_advance(session, 100.02);
	assert_string_equal(
		look(101)->counters.why, "when this was recorded: this guest has no PMU");
}

TEST(events_are_dropped_by_name_or_all)
{
	static const char *const extra[] = { "own::A", "own::B" };
	start_with(extra, 2, LIMIT);

	assert_int_equal(look(101)->counters.plan->counters.count, 5);
	refused("event drop own::C", "no event was added as \"own::C\"; did you mean own::A");
	refused("event drop own::LOADS", "this core's standard events");
	run("event drop OWN::a", 100.1);
	assert_int_equal(look(101)->counters.plan->counters.count, 4);
	assert_string_equal(view.counters.plan->counters.event[3].name, "own::B");
	run("event drop", 100.2);
	assert_int_equal(look(101)->counters.plan->counters.count, 3);
	refused("event drop", "the user has added no events to count");
}

TEST(find_offers_events_after_all_else)
{
	start();

	run("find u", 100.1);
	assert_int_equal(model.searched, 0);
	run("find uops", 100.1);
	assert_string_equal(model.pmu, "own");
	look(101);
	assert_int_equal(view.screen.found_count, 3);
	/* Those that are called so before those whose words say it. */
	assert_string_equal(view.screen.found[0].label, "event own::UOPS:ANY — all of them");
	assert_string_equal(view.screen.found[2].command, "event own::STALLS");
	/* Looked for once, however many frames are drawn. */
	for (int i = 0; i < 5; i++)
		look(101);
	assert_int_equal(model.searched, 1);
	run("find event port", 100.1);
	assert_string_equal(look(101)->screen.found[1].command, "event own::UOPS:PORT_0");
	run("find unroll", 100.1);
	assert_string_equal(look(101)->screen.found[0].command, "knob unroll");
	run("find uops", 100.1);
	run("choose", 100.1);
	assert_int_equal(look(101)->screen.overlay, OVERLAY_NONE);
	assert_string_equal(view.screen.front, "counters");
	assert_string_equal(view.counters.plan->counters.event[3].name, "own::UOPS:ANY");
	run("find drop", 100.2);
	assert_string_equal(look(101)->screen.found[0].command, "event drop own::UOPS:ANY");
}

TEST(the_counters_come_to_the_front_and_go)
{
	start();

	run("view limits", 100.1);
	run("counters", 100.1);
	assert_string_equal(look(101)->screen.front, "counters");
	run("counters", 100.1);
	assert_string_equal(look(101)->screen.front, "limits");
	/* The arrows reach them once there is something. */
	for (int i = 0; i < 6; i++) {
		run("focus next", 100.1);
		assert_string_not_equal(look(101)->screen.focus, "counters");
	}
	answer_counted(100.2);
	run("focus counters", 100.3);
	assert_false(session_command_works(session, "move up"));
	run("move down", 100.3);
	assert_int_equal(look(101)->counters.first, 1);
	run("counters scroll +8", 100.3);
	assert_int_equal(look(101)->counters.first, 2);
	refused("counters scroll", "+N or -N");
	run("view curves", 100.3);
	assert_string_equal(look(101)->screen.focus, "knobs");
}

TEST(cycles_of_two_clocks_are_not_mixed)
{
	start();
	struct result result;

	fake_answer(&fake, 200, 3);
	session_advance(session, 100.05);
	session_advance(session, 100.06);
	fake_answer(&fake, 60, 1);
	session_advance(session, 100.2);
	result = fake_result(&fake.request, 60, 4);
	result.facts.cycles_from = SOURCE_COUNTER;
	for (unsigned i = 0; i < result.trials.count; i++)
		result.trials.trial[i].check = 0.75f;
	fake_push(&fake, &result);
	session_advance(session, 100.25);
	check_near(look(101)->sample.cpe, 4, 0.02);
	assert_int_equal(view.sample.cycles_from, SOURCE_COUNTER);
	assert_int_equal(view.sample.trials, 60);
}

TEST(a_core_without_events_counts_nothing)
{
	start();
	model.none = true;
	run("event own::A", 100.1); /* a plan that lost all its events, for whatever reason */
	assert_int_equal(look(101)->counters.plan->counters.count, 0);
	assert_false(session_command_works(session, "counters"));
}

RUN_TESTS(.each_tear_down = played_end)
