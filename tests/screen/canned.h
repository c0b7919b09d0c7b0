/* An engine that measures nothing: results follow from kernel and knobs by formula, and time is
 * made up, so that a screen is the same on every machine. The shipped program does not contain it.
 *
 * Some settings of combine stand for conditions: unroll=11 two modes, unroll=13 contended,
 * unroll=10 contended from its third live request on, unroll=9 never more than a provisional
 * figure, unroll=15 no answer at all; unroll=12 has an unknown instruction, unroll=14 a soft
 * effect; and from 1 GiB on memory is refused.
 *
 * Asked for counters, it has them, or a reason why not; list-length then counts other instructions
 * than its code has. */
#pragma once

#include "engine/engine.h"
#include "experiment/advice/explainer.h"
#include "model/core/uarch.h"

/* The canned engine does not look at all that it is asked. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum canned_counters {
	CANNED_UNASKED, /* nobody says what to count */
	CANNED_REFUSED, /* there are none, and a reason why */
	CANNED_PORTS,	/* a core like Ice Lake's, that counts its ports */
	CANNED_CLOCK,	/* the same; cycles are counted, and the reference chain says something else
			 */
	CANNED_DISPATCHED, /* a core like Zen 5, that counts what is dispatched */
};

struct canned {
	struct machine machine;
	double asked; /* when the request was submitted */
	double now;   /* seconds; moved by canned_pass() alone */
	struct request request;
	bool pending;		 /* a request has not been answered to its end */
	bool early;		 /* its provisional answer has been given */
	double fixed;		 /* cycles an element of every setting; 0: by formula */
	double ready;		 /* when its next answer comes; INFINITY: never */
	struct result cancelled; /* the answer to a request that was cancelled */
	bool has_cancelled;
	unsigned tens;		/* live requests for unroll=10 */
	enum uarch_match match; /* as what the core is recognised */
	enum canned_counters counters;
	bool decoded;	     /* combine has instructions that its core knows */
	struct uarch *uarch; /* what the buffers of its core hold; NULL: nobody knows. Whoever asked
				for it frees it */
};

/* A kernel like `window`: its buffers are a Zen 5's, two of them made up. It is on no list. */
extern const struct kernel canned_window;
/* Lets the entries of Zen 5's buffers be known. */
void canned_entries(struct canned *canned);

/* Gives combine decoded instructions, and a core of four ports that knows them. */
void canned_decode(struct canned *canned);

/* A machine with 48 KiB, 1 MiB and 32 MiB of cache and 4 GiB to use; known from the start or not
 * yet. */
void canned_init(struct canned *canned, bool machine_known);
/* Makes it one that refuses binding and huge pages, and has no watch chain. */
void canned_limit(struct canned *canned);
/* Gives it counters, or a reason why it has none. */
void canned_counters(struct canned *canned, enum canned_counters counters);
struct engine canned_engine(struct canned *canned);

/* Cycles an element of a request, by formula; elements an iteration, and instructions of one. */
double canned_cpe(const struct request *request);
double canned_granule(const struct kernel *kernel, const int64_t *v);
double canned_instructions(const struct kernel *kernel, const int64_t *v);

/* The value of a kernel's knob of that name. */
int64_t canned_knob(
	const struct kernel *kernel, const int64_t *v, const char *name, int64_t otherwise);

/* What counting gives: fills the counts of a request's plan. */
void canned_count(
	const struct canned *canned, const struct request *request, struct counts *counts);
/* As in struct engine, and in struct explainer. */
size_t canned_offers(const char *words, const char *pmu, struct counter_offer *offers, size_t most);
struct status canned_encodes(const char *name, struct counter_code *code);
void canned_events(void *canned, const struct machine *machine, const char *const *extra,
	int extra_count, struct event_plan *plan);
double canned_modelled(
	void *canned, const struct uarch_event *meaning, const struct explanation *explanation);

/* Limits of combine and list-length on a core like Zen 5, "skylake" or "icelake-sp", by formula;
 * those of mountain are refused. */
struct explainer canned_explainer(struct canned *canned);

struct session;

/* Gives a session a probe of which so many percent are done: below 100 it stands still. */
void canned_probe(struct canned *canned, struct session *session, int percent);

/* Has the core measure itself, and be so far; 100: it is done with the first frame. */
void canned_core(struct canned *canned, struct session *session, int percent);

/* The clock, as script_run() wants it. */
double canned_now(void *canned);
void canned_pass(void *canned, double seconds, int descriptor);
