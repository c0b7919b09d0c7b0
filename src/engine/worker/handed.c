#include "engine/worker/handed.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

/* A byte other than 0 and 1 is no value of a bool, so the byte must not be read as a bool. */
static void check_flag(bool *flag)
{
	unsigned char byte;

	memcpy(&byte, flag, sizeof(byte));
	*flag = byte & 1;
}

static void check_words(char *words, size_t size)
{
	char copy[STATUS_TEXT];

	memcpy(copy, words, size);
	copy[size - 1] = '\0';
	text_copy_clean(words, size, copy);
}

static void check_trials(struct trials *trials)
{
	if (trials->count > TRIALS_MAX)
		trials->count = 0;
	for (int i = 0; i < TRIAL_FATES; i++)
		if (trials->forgotten[i] > 1u << 24)
			trials->forgotten[i] = 0;
	for (unsigned i = 0; i < trials->count; i++) {
		struct trial *trial = &trials->trial[i];

		check_flag(&trial->unsettled);
		if (trial->fate >= TRIAL_FATES || !isfinite(trial->cpe) || !isfinite(trial->ghz))
			trial->fate = TRIAL_BROKEN;
	}
}

static void check_facts(struct run_facts *facts)
{
	check_flag(&facts->bound);
	check_flag(&facts->watched);
	check_flag(&facts->far);
	check_words(facts->pages, sizeof(facts->pages));
	check_words(facts->pages_note, sizeof(facts->pages_note));
	check_words(facts->node_note, sizeof(facts->node_note));
	if (facts->cycles_from != SOURCE_COUNTER && facts->cycles_from != SOURCE_REFERENCE &&
		facts->cycles_from != SOURCE_TIME)
		facts->cycles_from = SOURCE_NONE;
	if ((unsigned)facts->asked >= PAGE_KINDS)
		facts->asked = PAGES_AUTO;
	if (facts->nodes < 0 || facts->nodes > 1 << 16)
		facts->nodes = 0;
	if (facts->node < -1 || facts->node > 1 << 16)
		facts->node = -1;
	/* A loop of the user runs on one core, without load threads. */
	facts->cores = facts->streams = 0;
	facts->others_gbps = 0;
}

static void check_counts(struct counts *counts, const struct counter_plan *plan)
{
	if (counts->count < 0 || counts->count > plan->count || counts->id != plan->id) {
		*counts = (struct counts){ 0 };
		return;
	}
	check_flag(&counts->direct);
	check_words(counts->why, sizeof(counts->why));
	check_words(counts->pmu, sizeof(counts->pmu));
	for (int i = 0; i < counts->count; i++)
		if ((unsigned)counts->event[i].state > COUNT_HELD)
			counts->event[i].state = COUNT_NONE;
}

void handed_check(struct result *result, const struct request *request)
{
	check_trials(&result->trials);
	check_facts(&result->facts);
	check_counts(&result->counts, &request->plan);
	if ((unsigned)result->status.code > STATUS_IDLE)
		result->status.code = STATUS_FAILED;
	check_words(result->status.text, sizeof(result->status.text));
}
