/* A sweep measures one sample for each combination of listed knob values. Each round of a sweep
 * measures every cell (combination of knob values) for a short time, so that clock drift and
 * interference affect all cells alike. On a quiet Zen 5, two sweeps of 4 to 6 rounds of
 * measurements agreed within 1 to 1.5 %. Cells (settings) with a precise value are not measured
 * again, and the saved time is used for contended and scattered cells. A sweep of thousands of
 * cells (settings) is measured in blocks of cells, to limit the memory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/units.h"
#include "engine/measure/trials.h"
#include "experiment/measurer.h"
#include "experiment/setting/cells.h"
#include "experiment/setting/setting.h"
#include "model/counts/counts.h"

struct sweep_axis {
	int knob; /* index of the knob in the kernel */
	size_t count;
	int64_t *values; /* values of the knob, in the order that the user listed */
};

struct sweep_options {
	double seconds; /* measuring time in seconds for all settings together; 0: the time depends
			   on the number and size of the settings */
	uint64_t seed;
};

struct sweep_progress {
	uint64_t combinations; /* number of all combinations */
	uint64_t excluded; /* number of combinations of knob values that the kernel does not allow,
			      or that need too much memory */
	uint64_t cells;	   /* number of combinations to measure */
	uint64_t finished; /* number of cells (settings) whose value is precise enough, or whose
			      time is over */
	double done; /* progress from 0 to 1: the used share of the time or the finished share of
			the settings, whichever is larger; never decreases */
	double remaining; /* largest number of remaining seconds of the sweep, without the time to
			     lay out data */
	char why_excluded[STATUS_TEXT]; /* the reason why the first excluded combination of knob
					   values is not measured */
};

/* The settings of a sweep. The pointer to the report of a sweep stays valid as long as the sweep.
 */
struct sweep_report {
	size_t axis_count;
	struct sweep_axis axes[KNOBS_MAX]; /* the assigned knobs, in the order of assignment */
	struct setting first; /* the first allowed combination of knob values, set by sweep_begin();
				 gives the values of all knobs that do not vary */
	struct counts counts; /* event counts of the first measurement with counts; zeroed: nothing
				 has been counted yet */
};

/* The functions (sink) that receive the finished cells of a sweep: measured settings. */
struct sweep_sink {
	void *context;
	/* The sweep calls finished() with each finished cell (a measured setting), in the order of
	 * the combinations. cell->failure is set if the cell could not be measured. The pointer
	 * `cell` to a measured setting is valid only during the call. */
	void (*finished)(void *context, const struct cell *cell);
	/* The sweep calls visited() after each measurement of a setting whose sample is still
	 * provisional. The pointer `cell` to the measured setting is valid during the call. NULL:
	 * no call. */
	void (*visited)(void *context, const struct cell *cell);
	/* The sweep calls before_wait() after each batch of finished cells, and before each wait,
	 * to write output and show progress. */
	void (*before_wait)(void *context);
};

struct sweep;

struct sweep *sweep_new(const struct kernel *kernel, const struct sweep_options *options);
void sweep_free(struct sweep *sweep);

/* Assigns a list of values to a knob: "knob=values". axis_parse_list() describes the format of the
 * list. In a sweep, the knob that was assigned first varies slowest. Unassigned knobs keep their
 * initial value. Returns STATUS_USAGE for an unknown knob, a bad list, or a knob given twice. */
struct status sweep_assign(struct sweep *sweep, const char *assignment);

/* Begins the sweep after the last assignment. Counts the cells (combinations of knob values) that
 * fit the machine's memory. Returns STATUS_USAGE if no combination of knob values is allowed, or if
 * the combinations are so many that the sweep would take a day. */
struct status sweep_begin(struct sweep *sweep, struct memory_limits memory_limits);

const struct sweep_report *sweep_report(const struct sweep *sweep);

/* Fills the settings to measure, in the order of the combinations, at most `most` of them. Returns
 * their number. */
size_t sweep_settings(const struct sweep *sweep, struct setting *settings, size_t most);

/* Measures all cells. Each measurement (visit) also counts the events of `plan`; NULL: no events
 * are counted. If the measurer stops, the sweep's output still receives every cell (setting) with
 * enough trials. */
void sweep_measure(struct sweep *sweep, const struct measurer *measurer,
	const struct counter_plan *plan, const struct sweep_sink *sink);

/* Waits for all submitted measurements of the sweep. An output function (sink) that measures
 * something itself calls sweep_drain() first. */
void sweep_drain(struct sweep *sweep);

struct sweep_progress sweep_progress(struct sweep *sweep);

/* A named sweep has a name, a kernel, lists of values for its knobs, and a quantity to show. The
 * file data/sweeps lists the named sweeps and describes its format. Code that draws a sweep needs
 * only struct named_sweep. */

/* The quantity on the vertical axis of a sweep's picture. */
enum sweeps_figure {
	SWEEPS_CPE,
	SWEEPS_NS,	/* nanoseconds per element */
	SWEEPS_SECONDS, /* seconds that the kernel needs for all elements of its ring of data */
	SWEEPS_GBPS,
	SWEEPS_BYTES_PER_CYCLE,
	SWEEPS_SPEEDUP, /* speedup: cycles of the baseline, divided by the cycles of the setting */
	SWEEPS_INSTRUCTIONS,	   /* instructions per element */
	SWEEPS_INSTRUCTIONS_TOTAL, /* millions of instructions for all elements of the kernel's ring
				      of data */
	SWEEPS_CPI,		   /* cycles per instruction */
	SWEEPS_TRAFFIC, /* memory traffic, in percent of one core's highest read bandwidth on this
			   machine */
	SWEEPS_FIGURES
};

/* A published value, to compare with the measured value. */
struct sweeps_published {
	enum sweeps_figure figure;
	bool over; /* true if the document gives only a lower bound, such as "over 2" */
	double value;
	struct setting setting; /* the setting of the published value; knobs that the row does not
				   name have their initial values */
	bool named[KNOBS_MAX];	/* true for each knob whose value must match that of the published
				   setting; the other knobs may have any value */
	char words[96];		/* a remark about the published value; empty: no remark */
};

enum { SWEEPS_LINES = 4, SWEEPS_PUBLISHED = 32, SWEEPS_CLAIMS = 12, SWEEPS_CONDITIONS = 4 };

/* A condition on one knob of a setting. */
struct sweeps_condition {
	int knob;
	int64_t value;
	enum { SWEEPS_AT, SWEEPS_FROM, SWEEPS_TO } relation; /* equal, at least, at most */
};

/* Conditions that all must hold. */
struct sweeps_conditions {
	int count;
	struct sweeps_condition condition[SWEEPS_CONDITIONS];
};

/* A claim of the document that compares two values of a knob: at every place of the sweep, side `a`
 * has less, about `factor` times, or over `factor` times the quantity of side `b`. */
struct sweeps_claim {
	enum sweeps_figure figure;
	enum { SWEEPS_LESS, SWEEPS_ABOUT, SWEEPS_OVER } relation;
	double factor;
	struct sweeps_conditions a, b; /* the knob values of the two sides */
	struct sweeps_conditions at;   /* conditions on other knobs for which the claim is made */
	char words[160];	       /* the claim in words */
};

struct named_sweep {
	char name[32];
	char title[80];	  /* title of the sweep, such as "Matrix multiply over n" */
	char source[160]; /* the cited document; empty: no document */
	const struct kernel *kernel;
	int word_count;
	char *word[KNOBS_MAX]; /* the words "knob=values" for sweep_assign(); the first knob varies
				  slowest; the sweep owns the words */
	int x; /* index of the knob on the horizontal axis of the sweep's picture; -1: no knob,
		  because the sweep has one setting */
	bool log_x, log_y;
	int line_count; /* number of knobs in `line`; each combination of their values is drawn as
			   one line of the picture; 0: the picture has one line */
	int line[SWEEPS_LINES];
	enum sweeps_figure figure;
	unsigned also; /* a bit for each further quantity that the table shows */
	int base;      /* index of the baseline's knob; the baseline of a setting has the value
			  base_value of this knob; -1: no baseline */
	int64_t base_value;
	bool usual; /* true: a sweep of the kernel uses this named sweep if the user's words assign
		       no knob of this sweep */
	char note[320]; /* another result from the document; empty: no other result */
	int published_count;
	struct sweeps_published published[SWEEPS_PUBLISHED];
	int claim_count;
	struct sweeps_claim claim[SWEEPS_CLAIMS];
};

/* The list of all named sweeps, which are read from data/sweeps. */
struct sweeps {
	int count;
	struct named_sweep *sweep;
};

/* Reads data/sweeps. If the file has an error, the STATUS_FAILED message names the file, the line
 * and the error, and `sweeps` is empty. */
struct status sweeps_load(struct sweeps *sweeps);
/* Reads named sweeps from a text; messages use `origin` as the text's name. If `lenient` is true,
 * rows of kernels that this program does not have are skipped. */
struct status sweeps_read(
	const char *text, const char *origin, bool lenient, struct sweeps *sweeps);
void sweeps_free(struct sweeps *sweeps);

/* Finds a sweep by its name, or returns NULL. */
const struct named_sweep *sweeps_find(const struct sweeps *sweeps, const char *name);

/* Finds the named sweep that is used for a kernel by default. Returns NULL if no named sweep is the
 * kernel's default, or if a word assigns a knob of the default sweep. */
const struct named_sweep *sweeps_usual(
	const struct sweeps *sweeps, const struct kernel *kernel, char *const *words, int count);

/* Copies a sweep with its words. The caller frees the words of the copy with sweeps_clear(). */
void sweeps_copy(const struct named_sweep *sweep, struct named_sweep *copy);
/* Frees the words "knob=values" of the named sweep. */
void sweeps_clear(struct named_sweep *sweep);

/* Replaces the knob's word by `word` ("knob=values"), or adds it. Returns STATUS_USAGE for an
 * unknown knob, or for a knob given twice. *given has a bit for each knob given so far; the caller
 * initialises *given with 0. */
struct status sweeps_override(struct named_sweep *sweep, const char *word, unsigned *given);

/* Completes a named sweep after the user's last changed knob. sweeps_settle() lets the baseline's
 * knob vary slowest and begin with the baseline, so that the baseline is measured first. Returns
 * whether the values of the sweep's knobs include the baseline; a sweep without a baseline gives
 * true. */
bool sweeps_settle(struct named_sweep *sweep);

/* Replaces the word "advised" in a list of values by the advised value, sorted among the other
 * values. If `advised` is 0, removes the word "advised" from the list. */
void sweeps_advise(struct named_sweep *sweep, int64_t advised);

/* Returns whether the values of a knob contain the word "advised". */
bool sweeps_advises(const struct named_sweep *sweep);

/* Assigns the lists of values of a named sweep ("knob=values") to the sweep. An advised block size
 * that is not known yet is omitted. */
struct status sweeps_assign(const struct named_sweep *named, struct sweep *sweep);

/* ---- drawing */

/* Adds, for a picture's legend, the name of the line that contains the setting: "form=naive",
 * "n=800 type=f32". Adds no name if the sweep's picture has only one line. Settings on the same
 * line of a picture get the same words. */
void sweeps_line(
	const struct named_sweep *sweep, const struct setting *setting, struct text *words);

/* Adds the title of a quantity that a sweep shows: "cycles per multiply-add", "GB/s", "seconds",
 * "speedup over form=naive". */
void sweeps_figure_title(
	const struct named_sweep *sweep, enum sweeps_figure figure, struct text *title);

/* Returns the value of the quantity `figure` for a sample, or NAN if the value is unavailable.
 * sample_ratios is NULL if unknown. `base` is the baseline's sample; if `base` is NULL, a speedup
 * is NAN. */
double sweeps_value(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base);
/* Returns whether the quantity that a sweep shows needs instruction counts or memory traffic. */
bool sweeps_paced(enum sweeps_figure figure);
/* Returns whether the sweep shows the quantity: on the vertical axis, as a further column, or
 * because it has a published value. */
bool sweeps_asks(const struct named_sweep *sweep, enum sweeps_figure figure);

/* Returns whether a quantity has a published value at any setting of the sweep. */
bool sweeps_publishes(const struct named_sweep *sweep, enum sweeps_figure figure);

/* Returns whether a published value belongs to the given setting. */
bool sweeps_published_of(const struct named_sweep *sweep, const struct sweeps_published *published,
	const struct setting *setting);

/* Finds the baseline of a setting: the setting to which its speed is compared. In the baseline, the
 * baseline's knob has the value base_value, and the kernel adjusts the other knobs. Returns false
 * if the named sweep has no baseline, or if the baseline is not an allowed setting. */
bool sweeps_baseline(
	const struct named_sweep *sweep, const struct setting *setting, struct setting *base);

/* The names of the quantities in data/sweeps: "cpe", "seconds", and others. */
extern const char *const sweeps_figure_names[SWEEPS_FIGURES];

/* ---- The published order */

/* A measured setting with its sample, facts of the run, and binding limit. */
struct sweeps_row {
	struct setting setting;
	struct sample sample;
	struct run_facts facts;
	struct sample_ratios sample_ratios;
	enum limit_kind limit; /* the binding limit; LIMIT_COUNT: unknown */
	double bound;	       /* the binding limit, in cycles per element; NAN: unknown */
};

/* Sets the members `limit` and `bound` (the binding limit) of a measured row. The limit is unknown
 * if `explanation` is NULL, or for another core than the measured one. */
void sweeps_row_limit(struct sweeps_row *row, const struct explanation *explanation);

/* Returns the row of a setting, or NULL. */
const struct sweeps_row *sweeps_row_find(
	const struct sweeps_row *rows, size_t count, const struct setting *setting);

/* Returns the value of a quantity for a row, or NAN if the value is unavailable. The baseline of a
 * speedup is searched among the rows. */
double sweeps_row_value(const struct named_sweep *sweep, enum sweeps_figure figure,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count);
/* Fills the values that the quartiles of the row's sample give, the lower value first. Returns
 * false if the row has no value, or too few trials for quartiles. */
bool sweeps_row_spread(const struct named_sweep *sweep, enum sweeps_figure figure,
	const struct sweeps_row *row, const struct sweeps_row *rows, size_t count, double *lo,
	double *hi);

/* Returns a value as text: "2.720". Seconds below 0.001 keep three digits: "0.000512". */
struct units_text sweeps_number(enum sweeps_figure figure, double value);

/* Returns the published value of a quantity for a setting, or NULL. */
const struct sweeps_published *sweeps_published_find(
	const struct named_sweep *sweep, enum sweeps_figure figure, const struct setting *setting);

/* Adds a line for each setting with published values: the published values, and the values of the
 * rows at this setting. */
void sweeps_compared(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);

/* Adds a line for each claim of the cited document: the claim, whether it holds for these rows, and
 * the measured values with their quartiles. If the claim does not hold, the line names the cause. A
 * claim without measured rows gets no line. */
void sweeps_claims(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);

/* Adds the reason why one row is faster than another row: "it runs 2 instructions an element, NAME
 * 3; …". `name` is the name of the slow row. Adds nothing if no reason is known. */
void sweeps_reason(const struct sweeps_row *fast, const struct sweeps_row *slow, const char *name,
	struct text *words);

/* Adds the lines about the whole sweep: the order of the published values, the claims, the note and
 * the source. */
void sweeps_words(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);

/* Compares the published order of times or speedups with the measured order. Here, a way is one
 * value of the baseline's knob, and a place is one combination of values of the other knobs. For
 * each combination of the other knobs at which measured and published order differ, adds a line
 * with the two values that differ most. Adds a single line if published and measured order agree
 * everywhere, and nothing if no order can be compared. */
void sweeps_order(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);
