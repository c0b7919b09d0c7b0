/* Measures the sizes of a core's buffers without hardware counters. The measured loop has more and
 * more filler instructions between two cache misses. If the filler instructions fill a buffer, the
 * two misses no longer overlap. For each kind of filler instruction of the kernel `window`, the
 * report has the measured curve, the knee of the curve, and the buffer. All output of the
 * measurement of buffer sizes reads only struct windows_report. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "kernels/window.h"
#include "model/windows/buffers.h"
#include "model/windows/knee.h"

enum { WINDOWS_ROWS = 48, WINDOWS_NOTE = 308 };

/* Names of the kernel, and of the two knobs that the measurement varies. */
#define WINDOWS_KERNEL	"window"
#define WINDOWS_FILLERS "fillers"
#define WINDOWS_FILLER	"filler"

struct windows_options {
	struct setting setting; /* values of all knobs; the measurement replaces the values of
				   `fillers` and `filler` */
	uint64_t fillers; /* a bit for each kind of filler instruction (choice of the knob `filler`)
			     to measure; 0: all choices */
	const struct uarch *uarch; /* the core model, borrowed during the call; NULL: no model */
	bool foreign;		   /* true if the core model is not of the running core */
	uint64_t seed;
	double seconds; /* time limit in seconds; 0: no limit */
};

enum windows_state { WINDOWS_WAITS, WINDOWS_GOES_ON, WINDOWS_DONE, WINDOWS_FAILED };

struct windows_row {
	const char *filler; /* name of the filler instruction, such as "nop" */
	int64_t choice;	    /* the value of the knob `filler` (kind of filler instruction) */
	const struct window_filler
		*fact; /* the core's buffer that the filler instruction occupies; NULL: unknown */
	enum windows_state state;
	struct knee_curve curve;
	struct knee knee; /* knee (position of the rise) of the curve measured so far */
	double most;	  /* largest number of filler instructions to measure */
	double entries;	  /* entries of the buffer, from the core model; NAN: unknown */
	struct setting
		setting; /* the setting at the knee of the curve, or at the last point measured */
	double ghz;	 /* core clock at the last point in GHz; NAN: unknown */
	enum source cycles_from; /* source of the cycles (counter or clock) at the last measured
				    point */
	double seconds; /* measuring time of this row (one kind of filler instruction), in seconds
			 */
	int requests;
	int checks; /* number of checks of a sharp knee of the curve so far; a knee is checked after
		       all rows were measured */
	bool contended; /* true if other work disturbed every measurement of some point of the curve
			 */
	char why[WINDOWS_NOTE]; /* the reason, if state is WINDOWS_FAILED */
};

struct windows_report {
	const struct machine *machine;
	struct windows_options options;
	char core[80], uarch[24]; /* title and name of the core model; empty: no model */
	struct buffers buffers;
	int count;
	struct windows_row row[WINDOWS_ROWS]; /* the rows, one for each kind of filler instruction,
						 in the order of the choices of the knob `filler` */
	int now; /* index of the row (kind of filler instruction) that is measured now; -1: no row
		    is measured */
	double done;	/* progress, from 0 to 1 */
	double seconds; /* seconds since the first request */
	bool complete;	/* true if the curves of all kinds of filler instructions were measured */
	char doing[64]; /* the current measurement, such as "nop, 256 fillers"; empty: nothing is
			   measured */
	struct notes notes; /* notes with the reasons why rows (kinds of filler instructions) are
			       missing */
};

struct windows;

/* The struct machine given must describe this machine, and outlive the result. Returns NULL with
 * STATUS_USAGE if the setting's kernel does not have the knobs `fillers` and `filler`. */
struct windows *windows_new(const struct machine *machine, const struct windows_options *options,
	struct status *status);
void windows_free(struct windows *windows);

/* Reads words that name choices of the knob `filler`; sets the bit of each named choice in
 * *fillers. For an unknown word, the STATUS_USAGE message suggests the nearest names. */
struct status windows_read_fillers(
	const struct kernel *kernel, const char *const *words, int count, uint64_t *fillers);

/* Makes windows_measure() measure the row with this value of the knob `filler` next. If no row of
 * the report has this value of the knob `filler`, no row is preferred. */
void windows_prefer(struct windows *windows, int64_t choice);

/* Sets the core model, whose buffer sizes the views show next to the knees. If `uarch` is NULL,
 * there is no core model. */
void windows_model(struct windows *windows, const struct uarch *uarch, bool foreign);

/* Adds a point of a curve from a recording of an earlier measurement. Ignores a recorded point if
 * its knobs, except `fillers` and `filler`, differ from the options. */
void windows_give(
	struct windows *windows, const struct setting *setting, const struct sample *sample);

/* Measures until no point of a curve is missing, the time limit is reached, or the measurer stops.
 * windows_prefer(), windows_model() and windows_give() may be called while a request is under way.
 */
void windows_measure(struct windows *windows, const struct measurer *measurer);

/* Ends the measurement. If windows_measure() was not called, the report has only points from
 * windows_give(). */
void windows_close(struct windows *windows);

/* Returns whether no curve of the measured buffers has a point left to measure. */
bool windows_over(const struct windows *windows);

/* Returns the report on the buffers, which is never NULL, and belongs to `windows`. */
const struct windows_report *windows_report(const struct windows *windows);

/* Returns the reason why no point was measured: the time limit, or the last failure. */
const char *windows_why(const struct windows_report *report);

/* Compares a row's knee with the core model in words (buffers_difference()). If nops, which take
 * only room in the reorder buffer, have their knee at the same place, the words say that the
 * reorder buffer was full first. */
void windows_difference(const struct windows_report *report, const struct windows_row *row,
	char words[BUFFERS_WORDS]);

/* Returns the largest number of filler instructions that was measured; 0: none. */
double windows_last(const struct windows_row *row);

/* Returns whether far more entries were in use at a sharp knee than the core model states: these
 * entries do not limit the filler instructions. */
bool windows_exceeds(const struct windows_row *row);

/* Returns the report's row for a value of the knob `filler` (kind of filler instruction), or NULL.
 */
const struct windows_row *windows_row(const struct windows_report *report, int64_t choice);
