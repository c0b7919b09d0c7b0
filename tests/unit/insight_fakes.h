/* A session whose explainer is made up: it counts what it is asked, and answers at once.
 *
 * The fixture end() follows each test. */
#pragma once

#include "played.h"

#include "explorer/state.h"

enum { LIMIT = 1 << 30 };

/* A refusal of that code whose text holds the part. */
#define check_fails(outcome, wanted, part)                     \
	do {                                                   \
		struct status check_failed = (outcome);        \
		assert_int_equal(check_failed.code, (wanted)); \
		check_contains(check_failed.text, part);       \
	} while (0)

/* A model that counts what it is asked; its CPE is that of so many accumulators. */
static struct {
	enum uarch_match match;
	int asked, loaded;
	bool foreign, fails;
	int64_t acc;
} model;

static inline enum uarch_match recognise(
	void *context, const struct machine *machine, char name[CORE_NAME], char why[160])
{
	snprintf(name, CORE_NAME, "%s", model.match == UARCH_NONE ? "" : "own");
	snprintf(why, 160, "%s", "It looks alike.");
	return model.match;
}

/* Loads a core model from a file "./FAMILY.uarch", with a match line for that family. */
static inline struct status load_file(const char *name, struct core *core)
{
	struct text text = { 0 };
	struct status status;

	text_addf(&text,
		"uarch mine Mine\nisa x86_64\nmatch vendor Maker family %.1s [M]\nwidth 4 "
		"[M]\nports p0 [M]\n",
		name + 2);
	status = uarch_parse(text_string(&text), name, &core->uarch);
	text_free(&text);
	snprintf(core->name, sizeof(core->name), "mine");
	snprintf(core->title, sizeof(core->title), "Mine");
	model.loaded += status_is_ok(&status);
	return status;
}

static inline struct status load(
	void *context, const char *name, const char *isa, struct core *core)
{
	if (name[0] == '.')
		return load_file(name, core);
	if (strcmp(name, "own") != 0 && strcmp(name, "other") != 0)
		return status_usage("unknown core \"%s\"; there are other, own", name);
	memset(core, 0, sizeof(*core));
	snprintf(core->name, sizeof(core->name), "%s", name);
	snprintf(core->title, sizeof(core->title), "Core %s", name);
	model.loaded++;
	return status_ok();
}

static inline void unload(void *context, struct core *core)
{
	uarch_free(core->uarch);
	core->uarch = NULL;
	model.loaded--;
}

static inline void answer(
	void *context, const struct explain_question *question, struct explanation *explanation)
{
	struct limits *limits = &explanation->limits;
	model.asked++;
	model.foreign = question->foreign;
	loop_clear(&explanation->loop);
	limits_clear(limits);
	limits->binding = limits->predicted_by = 0;
	explanation->status = model.fails ? status_failed("no loop is there") : status_ok();
	explanation->loop.insn_count = 5;
	model.acc =
		strcmp(question->kernel->name, kernel_fold.name) == 0 ? question->v[FOLD_ACC] : 1;
	limits->limit_count = 1;
	limits->limit[0] = (struct limit){
		.kind = LIMIT_LATENCY, .known = true, .hard = true, .cpe = 4.0 / (double)model.acc
	};
	limits->bound = limits->predicted = limits->limit[0].cpe;
	explanation->misses.caches.level[0].bytes = 32 << 10;
}

static const struct explainer explainer = {
	.recognise = recognise, .load = load, .unload = unload, .explain = answer
};

static inline void start_kernel(
	const struct kernel *kernel, enum uarch_match match, const char *uarch, uint64_t memory)
{
	struct engine engine = fake_init(&fake, memory);
	struct session_options options = { .seed = 5, .explainer = &explainer, .uarch = uarch };
	memset(&model, 0, sizeof(model));
	model.match = match;
	setting_init(&options.setting, kernel);
	session = session_new(&engine, &options);
	session_advance(session, 100);
}

static inline void start(enum uarch_match match, const char *uarch, uint64_t memory)
{
	start_kernel(&kernel_fold, match, uarch, memory);
}

static inline int end(void **state)
{
	played_end(state);
	assert_int_equal(model.loaded, 0);
	return 0;
}

/* fold, but its way depends on the data. */
static inline struct kernel stepped_fold(void)
{
	static struct kernel kernel; /* outlives the test: the tear-down ends the session */

	kernel = kernel_fold;

	kernel.stepped = true;
	return kernel;
}
