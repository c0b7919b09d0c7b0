/* What is written to a recording is read back. */
#include "recorded.h"

/* Every member that recordings have is read as it was written. */
static void check_fields(const struct field *table, const void *read, const void *expected)
{
	json_t *a = json_object(), *b = json_object();

	fields_write(a, table, read, true);
	fields_write(b, table, expected, true);
	assert_true(json_object_size(a) > 15);
	assert_true(json_equal(a, b));
	json_decref(a);
	json_decref(b);
}

TEST(test_what_is_written_is_read)
{
	struct setting setting = fold(4, 32768);
	struct recording *recording = open_recording();
	struct engine engine;
	struct explainer explainer;
	struct sample expected, sample;
	struct trials made;
	struct replay *replay;
	struct event_plan read;
	struct result *result = memory_new(1, sizeof(*result));
	struct request request = { .generation = 9, .tag = 3, .kernel = setting.kernel };
	struct explain_question question = { .kernel = setting.kernel, .v = setting.v };
	char words[160];

	record(recording, &setting, 200, 3);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 1);
	assert_int_equal(replay_find(replay, &setting), 0);
	check_fields(machine_fields, replay_summary(replay).machine, &machine);
	assert_string_equal(replay_summary(replay).machine->name, machine.name);
	assert_string_equal(replay_summary(replay).machine->arch, "aarch64");
	assert_int_equal(machine_cache(replay_summary(replay).machine, 2), 1 << 20);
	assert_int_equal(replay_summary(replay).place->seed, 7);

	make_trials(&made, 200, 3);
	sample_summarise(&made, &facts, &expected);
	replay_sample(replay, 0, &sample);
	assert_true(sample.valid);
	check_near(sample.cpe, expected.cpe, 1e-4);
	check_near(sample.cpe_lo, expected.cpe_lo, 1e-4);
	check_near(sample.check, expected.check, 1e-5);
	assert_int_equal(sample.trials, expected.trials);
	assert_int_equal(sample.dropped, expected.dropped);
	assert_int_equal(sample.cycles_from, SOURCE_COUNTER);

	explainer = replay_explainer(replay);
	explainer.events(explainer.context, &machine, NULL, 0, &read);
	assert_int_equal(read.counters.count, 4);
	assert_int_equal(read.counters.cycles, 0);
	assert_int_equal(read.left_out, 2);
	assert_true(read.counters.event[0].must);
	assert_int_equal(read.meaning[1].role, ROLE_PORTS);
	assert_int_equal(read.meaning[1].ports, 3);
	assert_string_equal(read.meaning[1].title, "the odd::PORTS:B_L");
	assert_string_equal(read.meaning[1].core, "odd");
	assert_string_equal(read.meaning[2].words, "queue full");

	engine = replay_engine(replay);
	assert_true(engine.holds(engine.context, setting.kernel, setting.v));
	memcpy(request.v, setting.v, sizeof(request.v));
	request.plan = read.counters;
	request.plan.id = 77;
	assert_false(engine.take(engine.context, result));
	engine.submit(engine.context, &request);
	assert_true(engine.take(engine.context, result));
	assert_false(engine.take(engine.context, result));
	assert_true(result->final);
	assert_int_equal(result->generation, 9);
	assert_int_equal(result->tag, 3);
	assert_int_equal(result->trials.count, 200);
	assert_int_equal(result->trials.forgotten[TRIAL_CONTENDED], 9);
	for (unsigned i = 0; i < 200; i++) {
		assert_int_equal(result->trials.trial[i].fate, made.trial[i].fate);
		if (made.trial[i].fate != TRIAL_BROKEN)
			check_near(result->trials.trial[i].cpe, made.trial[i].cpe, 1e-4);
		assert_true(isnan(result->trials.trial[i].turns) == isnan(made.trial[i].turns));
		check_near(result->trials.trial[i].at, made.trial[i].at, 1e-5);
	}
	check_fields(sample_fields, &result->facts, &facts);
	assert_int_equal(result->counts.id, 77);
	assert_int_equal(result->counts.count, 4);
	assert_int_equal(result->counts.groups, 2);
	assert_true(result->counts.direct);
	for (int i = 0; i < 4; i++)
		assert_int_equal(result->counts.event[i].state, counted.event[i].state);
	check_near(result->counts.event[0].value, 1.5, 1e-9);
	check_near(result->counts.event[0].hi, 2, 1e-9);
	check_near(result->counts.event[1].share, 0.25, 1e-9);
	assert_int_equal(result->counts.event[2].error, EACCES);

	explainer.explain(explainer.context, &question, explanation);
	check_ok(explanation->status);
	assert_string_equal(explanation->function, "fold_loop");
	assert_true(explanation->loop.stepped);
	assert_int_equal(explanation->loop.turns, 8);
	check_near(explanation->loop.insns_per_element, 4.125, 1e-9);
	assert_int_equal(explanation->loop.insn_count, 4);
	assert_int_equal(explanation->loop.insn[2].address - explanation->loop.insn[0].address, 8);
	assert_string_equal(explanation->loop.insn[2].text, "nop");
	/* Advice asks whether a chain goes from pointer to pointer. */
	assert_true(insn_fetches(&explanation->loop.insn[0]));
	assert_false(insn_fetches(&explanation->loop.insn[1]));
	assert_string_equal(explanation->limits.insn[0].ports, "L");
	assert_true(explanation->limits.insn[0].carried);
	check_near(explanation->limits.insn[0].latency, 4, 0);
	check_near(explanation->limits.insn[0].count, 8, 0);
	assert_int_equal(explanation->loop.insn[3].target, explanation->loop.insn[0].address);
	snprintf(words, sizeof(words), "cbnz x1, 0x%llx",
		(unsigned long long)explanation->loop.insn[0].address);
	assert_string_equal(explanation->loop.insn[3].text, words);
	assert_int_equal(explanation->limits.limit_count, 3);
	assert_int_equal(explanation->limits.binding, 0);
	assert_int_equal(explanation->limits.limit[0].kind, LIMIT_LATENCY);
	check_near(explanation->limits.bound, 4, 0);
	check_near(explanation->limits.limit[0].cycles, 32, 0);
	assert_string_equal(explanation->limits.limit[0].cause, "a load of 4 cycles");
	assert_false(explanation->limits.limit[2].known);
	assert_false(explanation->limits.limit[1].hard);
	check_near(explanation->limits.pressure[0], 3, 0);
	check_near(explanation->limits.naive[1], 1.5, 0);
	assert_int_equal(explanation->limits.bottleneck, 1);
	check_near(explanation->limits.chain.cycles, 32, 0);
	assert_true(explanation->limits.chain.through_memory);
	check_near(explainer.modelled(explainer.context, &read.meaning[1], explanation), 0.5, 0);
	assert_true(isnan(explainer.modelled(explainer.context, &read.meaning[0], explanation)));
	check_near(explainer.modelled(explainer.context, &read.meaning[3], explanation), 0, 0);
	replay_free(replay);
	free(result);
}

TEST(test_lines_are_short_and_whole)
{
	struct recording *recording = open_recording();
	size_t size, length;
	char *text;

	for (int i = 1; i <= 3; i++) {
		struct setting setting = fold(i, 32768);

		record(recording, &setting, 600, 3);
	}
	recording_close(recording);
	text = read_text(&size);
	assert_true(text[size - 1] == '\n');
	for (; *text; text += length + 1) {
		length = strcspn(text, "\n");
		assert_true(length + 1 <= RECORD_MOST);
		assert_true(text[0] == '{' && text[length - 1] == '}');
	}
}

TEST(test_long_records_are_whole)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording;
	struct replay *replay;
	const struct machine *read;
	size_t size;

	memset(machine.bind_note, '"', sizeof(machine.bind_note) - 1);
	memset(machine.memory_note, '\\', sizeof(machine.memory_note) - 1);
	memset(machine.huge_note, '"', sizeof(machine.huge_note) - 1);
	memset(machine.processor.features, '\\', sizeof(machine.processor.features) - 1);
	recording = open_recording();
	record(recording, &setting, 40, 3);
	recording_close(recording);
	check_contains(read_text(&size), "\"record\":\"more\",\"id\":0,\"of\":\"machine\"");
	replay = open_replay();
	read = replay_summary(replay).machine;
	assert_string_equal(replay_summary(replay).notes, "");
	assert_string_equal(read->bind_note, machine.bind_note);
	assert_string_equal(read->memory_note, machine.memory_note);
	assert_string_equal(read->huge_note, machine.huge_note);
	assert_string_equal(read->processor.features, machine.processor.features);
	assert_int_equal(read->cpu, machine.cpu);
	replay_free(replay);
	/* Without one of its lines the record is damaged. */
	replace("\"record\":\"more\"", "\"record\":\"less\"");
	replay = open_replay();
	check_contains(replay_summary(replay).notes, "one.jsonl:3: ");
	assert_int_equal(replay_summary(replay).count, 1);
	replay_free(replay);
}

TEST(test_goes_on)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct recording *recording = open_recording();
	struct event_plan wider = plan;
	struct replay *replay;
	struct trials made;
	struct sample sample;
	bool goes_on;
	FILE *file;

	record(recording, &first, 40, 3);
	/* One writer at a time. */
	check_unopened(path, STATUS_USAGE, "another slexplore is recording");
	recording_close(recording);

	/* What was cut off goes; what is whole stays. */
	file = fopen(path, "a");
	fputs("{\"v\":1,\"record\":\"tri", file);
	fclose(file);
	add_event(ROLE_EXTRA, 0, "", "odd::NEW");
	check_ok(recording_open(path, &place, &recording, &goes_on));
	assert_true(goes_on);
	make_trials(&made, 40, 3);
	sample_summarise(&made, &facts, &sample);
	assert_false(recording_wants(recording, &first, &sample, &counted));
	assert_true(recording_wants(recording, &second, &sample, &counted));
	assert_false(recording_lacks_limits(recording, &first));
	record(recording, &second, 40, 2);
	assert_int_equal(recording_state(recording).settings, 1);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 2);
	assert_int_equal(replay_entry(replay, 1).id, 2);
	assert_int_equal(replay_summary(replay).events->counters.count, 5);
	replay_free(replay);
	plan = wider;

	/* Another machine, seed or core. */
	place.seed = 8;
	check_unopened(path, STATUS_USAGE, "--seed 7");
	place.seed = 7;
	place.core = NULL;
	check_unopened(path, STATUS_USAGE, "has limits for core model odd, not for none");
	set_words(machine.host, "node8");
	check_unopened(path, STATUS_USAGE, "not of this machine");

	/* Any other file stays as it is. */
	write_text("a letter\n", 9);
	check_unopened(path, STATUS_USAGE, "does not overwrite this file with a recording");
	assert_string_equal(read_text(&(size_t){ 0 }), "a letter\n");
}

/* A program that is killed loses no recorded setting, and the next one goes on. */
TEST(a_compressed_recording_goes_on)
{
	struct setting first = fold(1, 32768), second = fold(2, 65536);
	struct recording *recording;
	struct replay *replay;
	char *killed;
	FILE *file;
	size_t size;
	uint64_t bytes;

	snprintf(path, sizeof(path), "%s/one.jsonl.gz", directory);
	assert_true(recording_is_name(path));
	recording = open_recording();
	record(recording, &first, 40, 3);
	bytes = recording_state(recording).bytes;
	killed = read_text(&size);
	killed = memcpy(memory_new(size, 1), killed, size);
	assert_int_equal(size, bytes);
	assert_int_equal((unsigned char)killed[0], 0x1f);
	replay = open_replay();
	assert_int_equal(replay_summary(replay).count, 1);
	replay_free(replay);
	recording_close(recording);

	write_text(killed, size);
	free(killed);
	recording = open_recording();
	record(recording, &second, 40, 2);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 2);
	assert_int_equal(replay_entry(replay, 1).id, 2);
	replay_free(replay);
	/* Damaged bytes are no recording that can go on. */
	file = fopen(path, "ab");
	fputs("no compressed bytes at all", file);
	fclose(file);
	check_refused("one.jsonl.gz: the compressed bytes are damaged");
	check_unopened(path, STATUS_USAGE, "does not overwrite");
	unlink(path);
}

TEST(test_what_is_worth_adding)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL };
	struct sample good = { .valid = true }, contended = { .valid = true, .contended = true },
		      none = { 0 };
	struct replay *replay;
	size_t before;

	make_trials(&made, 400, 3);
	assert_false(recording_wants(recording, &setting, &none, NULL));
	assert_true(recording_wants(recording, &setting, &contended, NULL));
	for (unsigned i = 0; i + 1 < made.count; i++)
		made.trial[i].fate = TRIAL_CONTENDED;
	assert_true(recording_add(recording, &entry));
	/* A contended figure gives way to one that is not; then only counts are missing. */
	assert_false(recording_wants(recording, &setting, &contended, NULL));
	assert_true(recording_wants(recording, &setting, &good, NULL));
	make_trials(&made, 400, 2);
	assert_true(recording_add(recording, &entry));
	assert_false(recording_wants(recording, &setting, &good, NULL));
	/* 600 trials are in it: there is no room for more, whatever they say. */
	assert_false(recording_wants(recording, &setting, &good, &counted));
	assert_false(recording_add(recording, &entry));
	/* An explanation is there once, unless more is known. */
	make_explanation(&setting, 4);
	assert_true(recording_lacks_limits(recording, &setting));
	recording_explain(recording, &setting, explanation, NULL, NULL);
	assert_false(recording_lacks_limits(recording, &setting));
	before = recording_state(recording).bytes;
	recording_explain(recording, &setting, explanation, NULL, NULL);
	assert_int_equal(recording_state(recording).bytes, before);
	explanation->limits.limit[2].known = true;
	explanation->limits.limit[2].cpe = 9;
	explanation->limits.limit[2].cycles = 72;
	recording_explain(recording, &setting, explanation, NULL, NULL);
	assert_true(recording_state(recording).bytes > before);
	replay = play(recording);
	replay_sample(replay, 0, &good);
	assert_false(good.contended);
	check_near(good.cpe, 2, 0.01);
	assert_int_equal(replay_entry(replay, 0).trials, 600);
	assert_int_equal(replay_entry(replay, 0).limits_known, 3);
	replay_free(replay);
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text++)
		count++;
	return count;
}

/* What settings have in common is in the file once; each of them is explained all the same. */
TEST(equal_records_are_written_once)
{
	struct setting setting[] = { fold(1, 32768), fold(1, 65536), fold(1, 4096) };
	struct recording *recording = open_recording();
	struct explainer explainer;
	struct replay *replay;
	const char *text;

	for (int i = 0; i < 3; i++)
		record(recording, &setting[i], 40, 3);
	recording_close(recording);
	text = read_text(&(size_t){ 0 });
	assert_int_equal(count_of(text, "\"record\":\"sample\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"explain\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"explanation\""), 1);
	assert_int_equal(count_of(text, "\"record\":\"limits\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"insn\""), 3);
	assert_int_equal(count_of(text, "\"record\":\"counters\""), 1);
	assert_int_equal(count_of(text, "\"record\":\"facts\""), 1);
	replay = open_replay();
	explainer = replay_explainer(replay);
	for (int i = 0; i < 3; i++) {
		struct explain_question question = { .kernel = setting[i].kernel,
			.v = setting[i].v };

		explainer.explain(explainer.context, &question, explanation);
		check_ok(explanation->status);
		assert_int_equal(explanation->loop.insn_count, 4);
		assert_int_equal(explanation->limits.limit_count, 3);
		assert_int_equal(replay_entry(replay, i).counted, 2);
	}
	replay_free(replay);
	/* The file can be continued; the new run has its own numbers. */
	recording = open_recording();
	setting[0] = fold(2, 32768);
	record(recording, &setting[0], 40, 3);
	replay = play(recording);
	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 4);
	assert_int_equal(replay_entry(replay, 3).limits_known, 2);
	replay_free(replay);
}

/* Returns the sample of a recording of one setting. */
static struct sample play_one(struct recording *recording)
{
	struct replay *replay = play(recording);
	struct sample sample;

	assert_string_equal(replay_summary(replay).notes, "");
	assert_int_equal(replay_summary(replay).count, 1);
	replay_sample(replay, 0, &sample);
	replay_free(replay);
	return sample;
}

/* A setting is written after its first measurement. Further trials are added to those. */
TEST(a_setting_continues)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL, .continued = true };
	struct sample sample;
	size_t bytes;

	memset(&made, 0, sizeof(made));
	fake_trials(&made, 100, 3, 0.01, 0.5);
	made.count = 10;
	entry.first = true;
	assert_true(recording_add(recording, &entry));
	bytes = recording_state(recording).bytes;
	assert_false(recording_add(recording, &entry));
	assert_int_equal(recording_state(recording).bytes, bytes);
	made.count = 60;
	assert_true(recording_add(recording, &entry));
	made.count = 100;
	assert_true(recording_add(recording, &entry));
	/* Without further trials, the last sample is written with all its fields. */
	entry.first = false;
	assert_true(recording_add(recording, &entry));
	assert_false(recording_add(recording, &entry));
	sample = play_one(recording);
	assert_int_equal(sample.trials, 100);
	/* A good sample of an earlier run stays as it is. */
	recording = open_recording();
	assert_false(recording_add(recording, &entry));
	recording_close(recording);
}

/* On a busy core, a setting that is measured twice may have more trials than a recording takes. Its
 * last sample is written nevertheless. */
TEST(a_last_sample_always_has_room)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, NULL, NULL, .continued = true };
	struct sample sample;

	memset(&made, 0, sizeof(made));
	fake_trials(&made, TRIALS_MAX, 5, 0.01, 0.5);
	entry.first = true;
	assert_true(recording_add(recording, &entry));
	fake_trials(&made, TRIALS_MAX, 3, 0.01, 0.5);
	made.forgotten[TRIAL_CONTENDED] = TRIALS_MAX;
	assert_false(recording_add(recording, &entry));
	entry.first = false;
	assert_true(recording_add(recording, &entry));
	/* Nor is it written again without further trials. */
	assert_false(recording_add(recording, &entry));
	sample = play_one(recording);
	assert_true(sample.cpe > 2.9 && sample.cpe < 3.1);
}

/* Events that were asked for later, of a setting that is recorded: they are counted too. Counts of
 * another plan are none. */
TEST(test_events_that_come_later)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording = open_recording();
	struct counts more = counted, other = counted;
	struct trials made;
	struct recording_entry entry = { &setting, &made, &facts, &plan, &counted };
	struct sample good = { .valid = true };
	struct replay *replay;

	make_trials(&made, 40, 3);
	other.id = 4;
	entry.counts = &other;
	assert_true(recording_add(recording, &entry));
	assert_true(recording_wants(recording, &setting, &good, &counted));
	entry.counts = &counted;
	assert_true(recording_add(recording, &entry));
	assert_false(recording_wants(recording, &setting, &good, &counted));
	add_event(ROLE_EXTRA, 0, "", "odd::NEW");
	more.id = plan.counters.id = 6;
	more.event[more.count++] = (struct count){ .state = COUNT_NONE };
	assert_false(recording_wants(recording, &setting, &good, &more));
	more.event[4] =
		(struct count){ .state = COUNT_KNOWN, .value = 7, .lo = 7, .hi = 7, .share = 1 };
	assert_true(recording_wants(recording, &setting, &good, &more));
	entry.counts = &more;
	assert_true(recording_add(recording, &entry));
	assert_false(recording_wants(recording, &setting, &good, &more));
	recording_close(recording);
	replay = open_replay();
	assert_int_equal(replay_entry(replay, 0).counted, 3);
	replay_free(replay);
	/* And who goes on with it knows. */
	recording = open_recording();
	assert_false(recording_wants(recording, &setting, &good, &more));
	recording_close(recording);
}

TEST(test_what_cannot_be_written)
{
	struct setting setting = fold(1, 32768);
	struct recording *recording;
	bool goes_on;
	int ends[2];

	check_unopened(
		"/nowhere/at/all.jsonl", STATUS_FAILED, "/nowhere/at/all.jsonl: No such file");
	check_unopened(directory, STATUS_FAILED, "");
	check_unopened("/dev/full", STATUS_FAILED, "No space left on device");
	/* A pipe that nobody reads does not stop the program. */
	assert_int_equal(mkfifo(path, 0600), 0);
	recording_open(path, &place, &recording, &goes_on);
	recording_close(recording);
	/* Its reader leaves. */
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	recording = open_recording();
	close(ends[0]);
	{
		struct trials made;
		struct recording_entry entry = { &setting, &made, &facts, NULL, NULL };

		make_trials(&made, 100, 3);
		assert_false(recording_add(recording, &entry));
		assert_int_equal(recording_state(recording).status.code, STATUS_FAILED);
		check_contains(recording_state(recording).status.text,
			"Broken pipe; nothing was recorded");
		assert_false(recording_wants(
			recording, &setting, &(struct sample){ .valid = true }, NULL));
		recording_explain(recording, &setting, explanation, NULL, NULL);
	}
	recording_close(recording);
	close(ends[1]);
	snprintf(path, sizeof(path), "%s/one.jsonl", directory);
}

RUN_TESTS(.set_up = set_up_all, .tear_down = tear_down_all, .each_set_up = set_up,
	.each_tear_down = tear_down)
