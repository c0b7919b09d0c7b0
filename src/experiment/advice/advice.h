/* Advice: the knob whose change lowers the predicted CPE most. It comes from the explainer alone;
 * nothing is timed. */
#pragma once

#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

enum advice_kind {
	ADVICE_NONE,	 /* none is known */
	ADVICE_KNOB,	 /* turn `knob`: that leads to `setting` */
	ADVICE_SENTENCE, /* no knob helps: `words` name a change of the code */
};

struct advice {
	enum advice_kind kind;
	struct setting setting;
	int knob;
	double from, to; /* predicted CPE before and after */
	char words[200]; /* "acc=4 (and unroll=4) breaks the chain: 0.750 predicted", or the
			    sentence */
	char brief[40];	 /* "acc=4"; empty for a sentence */
};

/* The most settings that one advice explains, at about 0.5 ms each; of kernels that are stepped
 * through, at about 30 ms each. */
enum { ADVICE_ASKS = 40, ADVICE_ASKS_SLOW = 24 };

struct advice_question {
	const struct setting *setting;	       /* the present one */
	const struct explanation *explanation; /* of it */
	const struct explainer *explainer;
	const struct explain_question *ask; /* of it; each question replaces the knobs */
	struct memory_limits memory_limits;
	struct explanation *scratch; /* a buffer for explanations */
	struct explain_cache
		*explain_cache; /* earlier predictions; new ones are added; NULL: none */
	struct setting
		*later; /* not NULL: nothing is explained; gets the first setting that must be */
	int fresh;	/* the most settings to explain in this call; 0: no limit */
	/* Whether a setting may be advised; NULL: every one that can be measured. */
	bool (*allowed)(const void *context, const struct setting *setting);
	const void *context;
};

/* Whether advice may rely on an explanation. */
bool advice_knows(const struct explanation *explanation);

/* A change of the code that raises a limit which no knob raises. */
const char *advice_sentence(const struct explanation *explanation, enum limit_kind kind);

/* Knobs that keep the work the same come first: one of them is advised if it gains ADVICE_WORTH;
 * else the best change of any knob, if that gains as much. Among equal changes the smallest step
 * wins. Returns false when `fresh` settings were explained and others remain: another call with the
 * same explain_cache continues. */
#define ADVICE_WORTH 0.10
bool advice_find(const struct advice_question *question, struct advice *advice);
