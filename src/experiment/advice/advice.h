/* Advice names the knob change that lowers the predicted CPE most. It uses only predictions of the
 * explainer, not measurements. */
#pragma once

#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

enum advice_kind {
	ADVICE_NONE,	 /* no advice is known */
	ADVICE_KNOB,	 /* change `knob`, which gives `setting` */
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

/* The most settings to explain for one advice, at about 0.5 ms each. SLOW: for kernels that are
 * stepped through, at about 30 ms each. */
enum { ADVICE_ASKS = 40, ADVICE_ASKS_SLOW = 24 };

struct advice_question {
	const struct setting *setting;	       /* the current setting */
	const struct explanation *explanation; /* of it */
	const struct explainer *explainer;
	const struct explain_question
		*ask; /* the explainer's question for it; the search replaces the knobs */
	struct memory_limits memory_limits;
	struct explanation *scratch; /* a buffer for explanations */
	struct explain_cache
		*explain_cache; /* earlier predictions; new ones are added; NULL: none */
	struct setting *later; /* if not NULL, nothing is explained; receives the first setting that
				  needs an explanation */
	int fresh;	       /* the most settings to explain in this call; 0: no limit */
	/* Whether a setting may be advised. NULL: all settings that can be measured. */
	bool (*allowed)(const void *context, const struct setting *setting);
	const void *context;
};

/* Whether advice may rely on an explanation. */
bool advice_knows(const struct explanation *explanation);

/* Advises a change of the code, for a limit that no knob can ease. */
const char *advice_sentence(const struct explanation *explanation, enum limit_kind kind);

/* Advises a knob change that lowers the predicted CPE by ADVICE_WORTH (relative) or more. Knobs
 * that keep the work the same come first; the others are tried only if these do not help. Among
 * equal changes of a knob, the smallest step wins. Returns false if `fresh` settings were explained
 * and others remain. Another call with the same explain_cache continues the search. */
#define ADVICE_WORTH 0.10
bool advice_find(const struct advice_question *question, struct advice *advice);
