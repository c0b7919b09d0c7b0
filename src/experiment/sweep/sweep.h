/* A sweep measures one sample for each combination of listed knob values. Each round visits every
 * cell for a short time, so that clock drift and interference affect all cells alike. On a quiet
 * Zen 5, cells measured in 4 to 6 rounds repeated within 1 to 1.5 %. Settled cells are not visited
 * again; contended and scattered cells get the saved time. A sweep of thousands of cells is
 * measured in blocks, to limit the memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "engine/measure/trials.h"
#include "experiment/measurer.h"
#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "model/counts/counts.h"

struct sweep_axis {
	int knob; /* index in the kernel */
	size_t count;
	int64_t *values; /* in the order listed */
};

struct sweep_options {
	double seconds; /* measuring time for all cells together; 0: computed from the number and
			   size of cells */
	uint64_t seed;
};

struct sweep_progress {
	uint64_t combinations; /* number of all combinations */
	uint64_t excluded;     /* combinations that the kernel does not allow, or that need too much
				  memory */
	uint64_t cells;	       /* combinations to measure */
	uint64_t finished;     /* cells that are settled, or whose time is up */
	double done;	  /* progress, 0...1: the larger share, of the time or of the cells; never
			     shrinks */
	double remaining; /* seconds, at most; the time to lay out data is not included */
	char why_excluded[STATUS_TEXT]; /* the reason for the first excluded combination */
};

/* Owned by the sweep. */
struct sweep_report {
	size_t axis_count;
	struct sweep_axis axes[KNOBS_MAX]; /* the assigned knobs, in order */
	struct setting first; /* the first allowed combination, after sweep_begin(); it has the
				 values of all knobs that do not vary */
	struct counts counts; /* of the first visit with counts; zeroed: no counts yet */
};

/* Receives the finished cells. */
struct sweep_sink {
	void *context;
	/* Called with each finished cell, in the order of the combinations. cell->failure is set if
	 * the cell could not be measured. The pointer is valid during the call. */
	void (*finished)(void *context, const struct cell *cell);
	/* Called after each batch of finished cells, and before each wait, to write output and show
	 * progress. */
	void (*meanwhile)(void *context);
};

struct sweep;

struct sweep *sweep_new(const struct kernel *kernel, const struct sweep_options *options);
void sweep_free(struct sweep *sweep);

/* Assigns "knob=values"; axis_parse_list() describes the values. The first assigned knob varies
 * slowest. Unassigned knobs keep their initial value. STATUS_USAGE: an unknown knob, a bad list, or
 * a knob given twice. */
struct status sweep_assign(struct sweep *sweep, const char *assignment);

/* Call it after the last assignment. Counts the cells that fit the machine's memory. STATUS_USAGE:
 * no combination is left, or there are so many that the sweep would take a day. */
struct status sweep_begin(struct sweep *sweep, struct memory_limits memory_limits);

const struct sweep_report *sweep_report(const struct sweep *sweep);

/* Measures all cells. Each visit also counts the events of `plan` (NULL: none). If the measurer
 * stops, the sink still receives every cell with enough trials. */
void sweep_measure(struct sweep *sweep, const struct measurer *measurer,
	const struct counter_plan *plan, const struct sweep_sink *sink);

/* Waits for all visits under way. The sink calls it before it measures something itself. */
void sweep_drain(struct sweep *sweep);

struct sweep_progress sweep_progress(struct sweep *sweep);

/* A named sweep has a name, a kernel, lists of values for its knobs, and a quantity to show. The
 * file data/sweeps lists the named sweeps and describes its format. Code that draws a sweep needs
 * only struct named_sweep. */

/* The quantity on the vertical axis. */
enum sweeps_figure {
	SWEEPS_CPE,
	SWEEPS_NS,	/* nanoseconds per element */
	SWEEPS_SECONDS, /* seconds for all elements of the kernel's ring */
	SWEEPS_GBPS,
	SWEEPS_BYTES_PER_CYCLE,
	SWEEPS_SPEEDUP,		   /* ratio: the baseline's cycles to this setting's cycles */
	SWEEPS_INSTRUCTIONS,	   /* per element */
	SWEEPS_INSTRUCTIONS_TOTAL, /* 10^6, for all elements of the ring */
	SWEEPS_CPI,		   /* cycles per instruction */
	SWEEPS_TRAFFIC, /* memory traffic, in percent of one core's highest read bandwidth on this
			   machine */
	SWEEPS_FIGURES
};

/* A published value, to compare with the measured value. */
struct sweeps_published {
	enum sweeps_figure figure;
	bool over; /* "over 2": a lower bound */
	double value;
	struct setting setting; /* the named knobs have the published values; other knobs have their
				   initial values */
	bool named[KNOBS_MAX];	/* the knobs that must match; other knobs may have any value */
	char words[96];		/* a remark; empty: none */
};

enum { SWEEPS_LINES = 4, SWEEPS_PUBLISHED = 32 };

struct named_sweep {
	char name[32];
	char title[80];	  /* "Matrix multiply over n" */
	char source[160]; /* the document, as cited; empty: none */
	const struct kernel *kernel;
	int word_count;
	char *word[KNOBS_MAX]; /* "knob=values" for sweep_assign(); the first knob varies slowest;
				  owned */
	int x; /* the knob along the horizontal axis; -1: none (a sweep of one cell) */
	bool log_x, log_y;
	int line_count; /* each combination of these knobs' values gives a line; 0 knobs: one line
			 */
	int line[SWEEPS_LINES];
	enum sweeps_figure figure;
	int base; /* the knob of the baseline; the baseline of a setting has this knob at
		     base_value; -1: no baseline */
	int64_t base_value;
	bool usual; /* used for a sweep of the kernel if the user's words name no knob of this sweep
		     */
	char note[200]; /* another result from the document; empty: none */
	int published_count;
	struct sweeps_published published[SWEEPS_PUBLISHED];
};

/* All named sweeps. */
struct sweeps {
	int count;
	struct named_sweep *sweep;
};

/* Reads data/sweeps. STATUS_FAILED names the file, the line and the error; `sweeps` is then empty.
 */
struct status sweeps_load(struct sweeps *sweeps);
/* Reads a text; messages use `origin` as its name. lenient: skips rows of kernels that this program
 * lacks. */
struct status sweeps_read(
	const char *text, const char *origin, bool lenient, struct sweeps *sweeps);
void sweeps_free(struct sweeps *sweeps);

/* Finds a sweep by its name, or returns NULL. */
const struct named_sweep *sweeps_find(const struct sweeps *sweeps, const char *name);

/* Finds the usual sweep of a kernel. NULL: the kernel has no usual sweep, or a word assigns one of
 * its knobs. */
const struct named_sweep *sweeps_usual(
	const struct sweeps *sweeps, const struct kernel *kernel, char *const *words, int count);

/* Frees the words. */
void sweeps_clear(struct named_sweep *sweep);

/* Replaces the knob's word by `word` ("knob=values"), or adds it. STATUS_USAGE: an unknown knob, or
 * a knob given twice. `given` has a bit for each knob given so far; the caller starts with 0. */
struct status sweeps_override(struct named_sweep *sweep, const char *word, unsigned *given);

/* Call it after the last override. The baseline's knob then varies slowest and begins with the
 * baseline, so that the baseline is measured first. Returns whether the values include the
 * baseline; true for a sweep without a baseline. */
bool sweeps_settle(struct named_sweep *sweep);

/* Replaces the word "advised" in a list of values by the advised value, at its place in the order.
 * advised 0: removes the word. */
void sweeps_advise(struct named_sweep *sweep, int64_t advised);

/* ---- drawing */

/* Adds the name of a setting's line, for a legend: "form=naive", "n=800 type=f32". Empty if the
 * sweep has one line. Settings of the same line get the same words. */
void sweeps_line(
	const struct named_sweep *sweep, const struct setting *setting, struct text *words);

/* "cycles per multiply-add", "GB/s", "seconds", "speedup over form=naive". */
void sweeps_figure_title(
	const struct named_sweep *sweep, enum sweeps_figure figure, struct text *title);

/* The value of a sample; NAN: unavailable. sample_ratios: NULL if unknown. base: the baseline's
 * sample; NULL: none, so that a speedup is NAN. */
double sweeps_value(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base);
/* Whether the value needs instruction counts or memory traffic. */
bool sweeps_paced(enum sweeps_figure figure);
/* Whether the sweep shows that quantity or has a published value of it. */
bool sweeps_asks(const struct named_sweep *sweep, enum sweeps_figure figure);

/* Whether a published value belongs to that setting. */
bool sweeps_published_of(const struct named_sweep *sweep, const struct sweeps_published *published,
	const struct setting *setting);

/* Finds the baseline of a setting: base_value for the baseline's knob, other knobs adjusted by the
 * kernel. False: there is no baseline, or no allowed setting has it. */
bool sweeps_baseline(
	const struct named_sweep *sweep, const struct setting *setting, struct setting *base);

/* The words of the quantities in data/sweeps: "cpe", "seconds". */
extern const char *const sweeps_figure_names[SWEEPS_FIGURES];

/* ---- The published order */

/* A measured setting with its sample, facts and limit. */
struct sweeps_row {
	struct setting setting;
	struct sample sample;
	struct run_facts facts;
	struct sample_ratios sample_ratios;
	enum limit_kind limit; /* the binding limit; LIMIT_COUNT: unknown */
	double bound;	       /* the limit, in cycles per element; NAN: unknown */
};

/* Sets limit and bound of a row; explanation may be NULL. */
void sweeps_row_limit(struct sweeps_row *row, const struct explanation *explanation);

/* Compares the published order of times or speedups with the measured order. The compared ways are
 * the values of the baseline's knob; a place is a setting of the other knobs. Adds a line for each
 * place where the order differs, with the two ways that differ most. Adds one line if all places
 * agree, and nothing if no place can be compared. */
void sweeps_order(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);
