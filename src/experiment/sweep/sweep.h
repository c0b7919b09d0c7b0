/* A sweep: the cross product of lists of knob values, a sample each. Cells are visited in rounds,
 * a little each time, so that drift of the clock and contended spells spread over all of them (a
 * grid visited in 4 to 6 rounds repeated within 1 to 1.5 %, cell by cell, on a quiet Zen 5).
 * Settled cells are not visited again; the time that they save goes to contended and scattered
 * cells. A cross product of thousands is measured in blocks, which bounds the memory. */
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
	double seconds; /* to measure, for all cells together; 0: by the number and size of cells */
	uint64_t seed;
};

struct sweep_progress {
	uint64_t combinations; /* of the cross product */
	uint64_t excluded;     /* because the kernel does not allow them, or they need too much
				  memory */
	uint64_t cells;	       /* to measure: the others */
	uint64_t finished;     /* of these: settled, or their time is up */
	double done;	  /* the larger share, of the time or of the cells, 0...1; never shrinks */
	double remaining; /* seconds, at most: cells that settle early end it sooner; laying out
			     data not counted */
	char why_excluded[244]; /* the kernel's reason for the first of them */
};

/* Owned by the sweep. */
struct sweep_report {
	size_t axis_count;
	struct sweep_axis axes[KNOBS_MAX]; /* the assigned knobs, in order */
	struct setting first; /* the first allowed combination, once the sweep has begun: it has the
				 values of knobs that do not vary */
	struct counts counts; /* of any visit; zeroed: none has come */
};

/* The user of the finished cells. */
struct sweep_sink {
	void *context;
	/* The next finished cell in the order of the cross product. A cell that could not be
	 * measured has cell->failure set. Valid for this call. */
	void (*finished)(void *context, const struct cell *cell);
	/* After each batch of finished cells, and before each wait: time to write and to show
	 * progress. */
	void (*meanwhile)(void *context);
};

struct sweep;

struct sweep *sweep_new(const struct kernel *kernel, const struct sweep_options *options);
void sweep_free(struct sweep *sweep);

/* "knob=values" as axis_parse_list() takes them. The first knob assigned varies slowest; knobs
 * that are not assigned keep their initial value. STATUS_USAGE for an unknown knob, a bad list, or
 * a knob given twice. */
struct status sweep_assign(struct sweep *sweep, const char *assignment);

/* After the last assignment: counts cells within the machine's memory. STATUS_USAGE when no
 * combination is left or a sweep of so many would take a day. */
struct status sweep_begin(struct sweep *sweep, struct memory_limits memory_limits);

const struct sweep_report *sweep_report(const struct sweep *sweep);

/* Measures all cells; each visit also counts the events of `plan` (NULL: none). When the measurer
 * stops, every cell that has enough trials is handed out. */
void sweep_measure(struct sweep *sweep, const struct measurer *measurer,
	const struct counter_plan *plan, const struct sweep_sink *sink);

/* For the sink, which is called while visits are under way: waits for them, so that the sink can
 * measure something itself. */
void sweep_drain(struct sweep *sweep);

struct sweep_progress sweep_progress(struct sweep *sweep);

/* Named sweeps: a kernel, lists of values for its knobs, and the quantity to show, under one
 * name. They are the rows of data/sweeps, whose head describes the format. Code that draws a
 * sweep needs struct named_sweep alone: sweeps_plain() makes one of any kernel and its lists. */

/* The quantity on the vertical axis. */
enum sweeps_figure {
	SWEEPS_CPE,
	SWEEPS_NS,	/* nanoseconds per element */
	SWEEPS_SECONDS, /* of the whole work once: all elements of the kernel's ring */
	SWEEPS_GBPS,
	SWEEPS_BYTES_PER_CYCLE,
	SWEEPS_SPEEDUP,		   /* times as fast as the baseline */
	SWEEPS_INSTRUCTIONS,	   /* per element */
	SWEEPS_INSTRUCTIONS_TOTAL, /* 10^6, of the whole work once */
	SWEEPS_CPI,		   /* cycles an instruction */
	SWEEPS_TRAFFIC, /* memory traffic, in percent of the most that one core reads here */
	SWEEPS_FIGURES
};

/* A value that others published, to compare with the measured one. */
struct sweeps_published {
	enum sweeps_figure figure;
	bool over; /* "over 2": a lower bound */
	double value;
	struct setting setting; /* the knobs that are named have these values; others are the
				   kernel's initial ones */
	bool named[KNOBS_MAX];	/* which of them have a value: the others may have any */
	char words[96];		/* a remark; empty: none */
};

enum { SWEEPS_LINES = 4, SWEEPS_PUBLISHED = 32 };

struct named_sweep {
	char name[32];	  /* empty: one that sweeps_plain() made */
	char title[80];	  /* "Matrix multiply over n" */
	char source[160]; /* the document, as cited; empty: none */
	const struct kernel *kernel;
	int word_count;
	char *word[KNOBS_MAX]; /* "knob=values" as sweep_assign() takes them, the first varies
				  slowest; owned */
	int x; /* the knob along the horizontal axis; -1: none (a sweep of one cell) */
	bool log_x, log_y;
	int line_count; /* the knobs whose values, together, make a line each; none: there is one
			   line */
	int line[SWEEPS_LINES];
	enum sweeps_figure figure;
	int base; /* speedups are relative to the same setting with this knob at that value; -1: no
		     baseline */
	int64_t base_value;
	bool usual;	/* it replaces a sweep of the kernel whose words name none of these knobs */
	char note[200]; /* another finding of its document; empty: none */
	int published_count;
	struct sweeps_published published[SWEEPS_PUBLISHED];
};

/* All named sweeps. */
struct sweeps {
	int count;
	struct named_sweep *sweep;
};

/* Reads data/sweeps. STATUS_FAILED names the file, the line and what is wrong with it, and leaves
 * `sweeps` empty. */
struct status sweeps_load(struct sweeps *sweeps);
/* Reads a text; messages call it `origin`. lenient: skips rows of kernels that this program lacks.
 */
struct status sweeps_read(
	const char *text, const char *origin, bool lenient, struct sweeps *sweeps);
void sweeps_free(struct sweeps *sweeps);

/* The sweep of that name, or NULL. */
const struct named_sweep *sweeps_find(const struct sweeps *sweeps, const char *name);

/* The usual sweep of a kernel; NULL: it has none, or a word gives one of the sweep's knobs. */
const struct named_sweep *sweeps_usual(
	const struct sweeps *sweeps, const struct kernel *kernel, char *const *words, int count);

/* A named_sweep for any sweep of a kernel. The x axis is its size, else the last knob of several
 * values that is no choice, else the last; the other knobs of several values make the lines.
 * Words are not filled in. Free it with sweeps_clear(). */
void sweeps_plain(const struct kernel *kernel, const struct sweep_axis *axes, size_t axis_count,
	struct named_sweep *sweep);
void sweeps_clear(struct named_sweep *sweep);

/* Replaces the knob's word by "knob=values", or adds it. STATUS_USAGE for an unknown knob, or for a
 * knob that an earlier word gave
 * (`given`: the caller's bits by knob, 0 at first). */
struct status sweeps_override(struct named_sweep *sweep, const char *word, unsigned *given);

/* After the last override: makes the baseline's knob vary slowest, with the baseline first, so that
 * it is measured before the others. Returns whether the baseline is among the values; true without
 * a baseline. */
bool sweeps_settle(struct named_sweep *sweep);

/* Replaces the word "advised" among a knob's values by the advised value, in its order; 0:
 * removes it. */
void sweeps_advise(struct named_sweep *sweep, int64_t advised);

/* ---- drawing */

/* The name of the knob along x. */
const char *sweeps_x_title(const struct named_sweep *sweep);

/* The line that a setting belongs to, for a legend: "form=naive", "n=800 type=f32"; empty where
 * there is one line. Settings with equal words share a line. */
void sweeps_line(
	const struct named_sweep *sweep, const struct setting *setting, struct text *words);

/* "cycles per multiply-add", "GB/s", "seconds", "speedup over form=naive". */
void sweeps_figure_title(
	const struct named_sweep *sweep, enum sweeps_figure figure, struct text *title);

/* The value of a sample; sample_ratios: NULL if unknown; base: the sample of its baseline, NULL:
 * none (a speedup is then NAN). NAN: unavailable. */
double sweeps_value(enum sweeps_figure figure, const struct sample *sample,
	const struct run_facts *facts, const struct sample_ratios *sample_ratios,
	const struct sample *base);
/* Whether the value needs instruction counts or memory traffic. */
bool sweeps_paced(enum sweeps_figure figure);
/* Whether a sweep shows that quantity, or others published a value of it. */
bool sweeps_asks(const struct named_sweep *sweep, enum sweeps_figure figure);

/* Whether a published value is of that setting. */
bool sweeps_published_of(const struct named_sweep *sweep, const struct sweeps_published *published,
	const struct setting *setting);

/* The baseline of a setting: the knob at its value, the others as the kernel fits them. False:
 * there is none, or nothing fits. */
bool sweeps_baseline(
	const struct named_sweep *sweep, const struct setting *setting, struct setting *base);

/* The word of a figure in data/sweeps: "cpe", "seconds". */
const char *sweeps_figure_name(enum sweeps_figure figure);

/* ---- The published order */

/* A measured setting with its sample, facts and limit. */
struct sweeps_row {
	struct setting setting;
	struct sample sample;
	struct run_facts facts;
	struct sample_ratios sample_ratios;
	enum limit_kind limit; /* that binds; LIMIT_COUNT: unknown */
	double bound;	       /* cycles per element; NAN */
};

/* Sets limit and bound of a row; explanation may be NULL. */
void sweeps_row_limit(struct sweeps_row *row, const struct explanation *explanation);

/* Compares the order of published times or speedups with these rows, place by place. Adds a line
 * for each place where the order differs, with the two ways that differ most. Adds one line if all
 * places agree, and nothing if no place can be compared. The ways are the values of the baseline's
 * knob. */
void sweeps_order(const struct named_sweep *sweep, const struct sweeps_row *rows, size_t count,
	struct text *lines);
