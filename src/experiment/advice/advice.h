/* Advice names the knob change that lowers CPE (cycles per element) most: by the predictions of the
 * explainer, and by measured values of settings that the caller has measured. */
#pragma once

#include "experiment/advice/explainer.h"
#include "experiment/setting/setting.h"

enum advice_kind {
	ADVICE_NONE,	 /* no advice is known */
	ADVICE_KNOB,	 /* change the knob `knob`, which gives the setting `setting` */
	ADVICE_SENTENCE, /* no change of a knob helps; `words` names a change of the code */
};

struct advice {
	enum advice_kind kind;
	struct setting setting;
	int knob;
	double from,
		to;    /* CPE before and after the change; from is NAN if it cannot be predicted */
	bool measured; /* whether both are measured; otherwise both are predicted */
	char words[200]; /* text of the advice: "acc=4 (and unroll=4) shortens the chain: 0.750
			    predicted", or a sentence about a change of the code */
	char set[120]; /* every changed knob, such as "acc=4 unroll=4"; empty for ADVICE_SENTENCE */
	char brief[48]; /* a short form of `set`: "acc=4, …" */
	/* The limits that the words are about, a bit for each enum limit_kind. */
	uint64_t about;
	/* true: some settings cannot be predicted, perhaps because L3 or memory is not measured
	 * yet, so a better setting may exist */
	bool partial;
	int unready; /* a knob whose other values could not be explained yet (see `ready`); -1:
			none */
};
_Static_assert(LIMIT_COUNT <= 64, "advice.about has a bit for each limit");

/* The largest number of settings to explain for one advice. An explanation takes about 0.5 ms.
 * ADVICE_ASKS_SLOW is for kernels whose code the model steps through, in about 30 ms. */
enum { ADVICE_ASKS = 40, ADVICE_ASKS_SLOW = 24 };

struct advice_question {
	const struct setting *setting;	       /* the current setting */
	const struct explanation *explanation; /* explanation of the current setting */
	const struct explainer *explainer;
	const struct explain_question *ask; /* the kernel, setting and core to explain; the search
					       replaces the knob values */
	struct memory_limits memory_limits;
	struct explanation *scratch;	     /* a buffer for explanations */
	struct explain_cache *explain_cache; /* cache of earlier predictions, to which the search
						adds new predictions; NULL: no cache */
	struct setting *later; /* if not NULL: the search for advice computes no explanation, and
				  stores here the first setting that needs an explanation */
	/* A value of a knob that is tried next to the usual ones, such as the recommended block
	 * size; 0: none. */
	int also_knob;
	int64_t also;
	int fresh; /* largest number of settings that the search for advice may explain in this
		      call; 0: no limit */
	/* Returns whether a setting of the kernel's knobs may be advised. NULL: all settings that
	 * can be measured may be advised. */
	bool (*allowed)(const void *context, const struct setting *setting);
	/* Returns whether a setting can be explained without waiting, such as for a compiler. NULL:
	 * all settings can. */
	bool (*ready)(const void *context, const struct setting *setting);
	/* Returns the measured CPE of a setting; NAN: not reliably measured. If both settings are
	 * measured, a change is judged by that. NULL: nothing is measured. */
	double (*measured)(const void *context, const struct setting *setting);
	const void *context;
};

/* Returns whether advice may rely on the explanation (the predicted limits) of a setting. */
bool advice_knows(const struct explanation *explanation);

/* Returns the limit that a change of the code must ease to make the loop faster: the main one of
 * the predicted cycles, or the binding limit if the predicted cycles are hardly above it, or
 * unknown. At least one limit must be known. */
enum limit_kind advice_about(const struct limits *limits);

/* Advises a change of the code, for a limit of the kernel that no knob can ease. `kernel`
 * may be NULL for a loop of a program. */
struct words advice_sentence(
	const struct kernel *kernel, const struct explanation *explanation, enum limit_kind kind);

/* Advises a knob change that lowers CPE by ADVICE_WORTH (relative) or more. The
 * search for advice first tries the knobs that do not change the kernel's work. If no knob without
 * an effect on the kernel's work helps, the search tries the knobs that change the kernel's work.
 * Among equally good changes of a knob, the change by the fewest steps wins. Returns false if
 * `fresh` settings were explained in this call and other settings remain to be tried. Another call
 * of the advice function with the same explain_cache continues the search. */
#define ADVICE_WORTH 0.10
bool advice_find(const struct advice_question *question, struct advice *advice);
