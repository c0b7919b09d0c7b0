/* What to turn so that a kernel goes faster: the one knob whose change lowers the predicted CPE
 * most. Asks the explainer, times nothing. */
#ifndef SLX_EXPERIMENT_ADVICE_ADVICE_H
#define SLX_EXPERIMENT_ADVICE_ADVICE_H

#include "experiment/advice/explain_cache.h"
#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

enum advice_kind {
	ADVICE_NONE,	 /* nothing is known to say */
	ADVICE_KNOB,	 /* a knob does it: `setting` is where it leads */
	ADVICE_SENTENCE, /* no knob does: words say what would */
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

/* At most so many settings are explained for one advice: some 0.5 ms each, and of those that are
 * stepped through some 30 ms. */
enum { ADVICE_ASKS = 40, ADVICE_ASKS_SLOW = 24 };

struct advice_question {
	const struct setting *setting;	       /* the present one */
	const struct explanation *explanation; /* of it */
	const struct explainer *explainer;
	const struct explain_question *ask; /* as it was asked: its knobs are replaced */
	struct memory_limits memory_limits;
	struct explanation *scratch; /* room to work in */
	struct explain_cache
		*explain_cache; /* predictions found before, and room for new ones; NULL: none */
	struct setting *later; /* NULL; else nothing is explained anew: the first that would have to
				  be goes there */
	int fresh; /* how many settings to explain anew at most; 0: as many as it takes */
	/* Whether a setting comes into question; NULL: all that can be measured do. */
	bool (*allowed)(const void *context, const struct setting *setting);
	const void *context;
};

/* Whether an explanation predicts well enough for advice to rest on it. */
bool advice_knows(const struct explanation *explanation);

/* What would help against a limit where no knob does. */
const char *advice_sentence(const struct explanation *explanation, enum limit_kind kind);

/* Knobs of the same work written otherwise come first: one of them is taken if it gains
 * ADVICE_WORTH; else the best change of any knob, if that gains as much. Among equals the smallest
 * step. Returns whether it is found: false when `fresh` settings have been explained and there are
 * more; asked again, with the same explain_cache, it goes on. */
#define ADVICE_WORTH 0.10
bool advice_find(const struct advice_question *question, struct advice *advice);

#endif
