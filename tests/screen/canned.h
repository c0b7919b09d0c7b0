/* An engine that measures nothing: results follow from kernel and knobs by formula, and time is made up, so that
 * a screen is the same on every machine. The shipped program does not contain it.
 *
 * Some settings of combine stand for conditions: unroll=11 two modes, unroll=13 contended, unroll=10 contended from
 * its third live request on, unroll=9 never more than a provisional figure, unroll=15 no answer at all; unroll=12 has
 * an unknown instruction, unroll=14 a soft effect; and from 1 GiB on memory is refused. */
#ifndef SLX_TESTS_CANNED_H
#define SLX_TESTS_CANNED_H

#include "engine/engine.h"
#include "session/explainer.h"

struct canned {
	struct machine machine;
	double now;                     /* seconds; moved by canned_pass() alone */
	struct request request;
	bool pending;                   /* a request has not been answered to its end */
	bool early;                     /* its provisional answer has been given */
	double ready;                   /* when its next answer comes; INFINITY: never */
	struct result cancelled;        /* the answer to a request that was cancelled */
	bool has_cancelled;
	unsigned tens;                  /* live requests for unroll=10 */
	enum uarch_match match;         /* as what the core is recognised */
};

/* A machine with 48 KiB, 1 MiB and 32 MiB of cache and 4 GiB to use; known from the start or not yet. */
void canned_init(struct canned *canned, bool machine_known);
/* Makes it one that refuses binding and huge pages, and has no watch chain. */
void canned_limit(struct canned *canned);
struct engine canned_engine(struct canned *canned);

/* Limits of combine and list-length on a core like Zen 5, or "skylake", by formula; those of mountain are refused. */
struct explainer canned_explainer(struct canned *canned);

/* The clock, as script_run() wants it. */
double canned_now(void *canned);
void canned_pass(void *canned, double seconds, int descriptor);

#endif
