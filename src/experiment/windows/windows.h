/* Measures the sizes of a core's buffers without counters. It puts more and more filler
 * instructions between two cache misses. When a buffer is full, the misses no longer overlap. For
 * each filler of the kernel `window`, the report has the curve, its knee, and the buffer. All
 * output reads only struct windows_report. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "kernels/window.h"
#include "model/windows/buffers.h"
#include "model/windows/knee.h"

enum { WINDOWS_ROWS = 48, WINDOWS_NOTE = 308 };

/* The kernel, and the two knobs that the measurement varies. */
#define WINDOWS_KERNEL	"window"
#define WINDOWS_FILLERS "fillers"
#define WINDOWS_FILLER	"filler"

struct windows_options {
	struct setting setting;	   /* values of all knobs; `fillers` and `filler` are replaced */
	uint64_t fillers;	   /* choices of the knob `filler`, a bit each; 0: all */
	const struct uarch *uarch; /* the core's model, borrowed during the call; NULL: none */
	bool foreign;		   /* the model is not of the running core */
	uint64_t seed;
	double seconds; /* time limit; 0: no limit */
};

enum windows_state { WINDOWS_WAITS, WINDOWS_GOES_ON, WINDOWS_DONE, WINDOWS_FAILED };

struct windows_row {
	const char *filler;		  /* the choice's name: "nop" */
	int64_t choice;			  /* the value of the knob `filler` */
	const struct window_filler *fact; /* the buffer that it fills; NULL: unknown */
	enum windows_state state;
	struct knee_curve curve;
	struct knee knee;	 /* knee of the curve so far */
	double most;		 /* the most fillers */
	double entries;		 /* of the buffer by the core model; NAN: unknown */
	struct setting setting;	 /* at the knee, or at the last point */
	double ghz;		 /* of the last point; NAN */
	enum source cycles_from; /* likewise */
	double seconds;		 /* measuring time of this row */
	int requests;
	int checks;		/* checks of a sharp knee so far, after all rows were measured */
	bool contended;		/* at some point, the core was contended in every visit */
	char why[WINDOWS_NOTE]; /* WINDOWS_FAILED */
};

struct windows_report {
	const struct machine *machine;
	struct windows_options options;
	char core[80], uarch[24]; /* the model's title and name; empty: none */
	struct buffers buffers;
	int count;
	struct windows_row row[WINDOWS_ROWS]; /* in the order of the knob's choices */
	int now;			      /* the current row; -1: none */
	double done;			      /* 0…1 */
	double seconds;			      /* since the first request */
	bool complete;			      /* all rows were measured */
	char doing[64];			      /* "nop, 256 fillers"; empty: nothing */
	struct notes notes;		      /* reasons for missing rows */
};

struct windows;

/* machine must be known, and is borrowed. Returns NULL with STATUS_USAGE if the setting's kernel
 * lacks these knobs. */
struct windows *windows_new(const struct machine *machine, const struct windows_options *options,
	struct status *status);
void windows_free(struct windows *windows);

/* Reads words that name choices of the knob `filler`; sets a bit in *fillers for each. STATUS_USAGE
 * suggests the nearest names. */
struct status windows_read_fillers(
	const struct kernel *kernel, const char *const *words, int count, uint64_t *fillers);

/* Measures the row with this value of the knob `filler` next. If there is no such row, no row is
 * preferred. */
void windows_prefer(struct windows *windows, int64_t choice);

/* Sets the core model. Views show its buffer sizes next to the knees. NULL: none. */
void windows_model(struct windows *windows, const struct uarch *uarch, bool foreign);

/* Adds a point from a recording. Ignores the point if its other knobs differ from the options. */
void windows_give(
	struct windows *windows, const struct setting *setting, const struct sample *sample);

/* Measures until no point is missing, the time limit is reached, or the measurer stops. The
 * functions above may be called while a request is under way. */
void windows_measure(struct windows *windows, const struct measurer *measurer);

/* Ends the measurement. Without windows_measure(), the report has only points from windows_give().
 */
void windows_close(struct windows *windows);

/* Whether nothing is left to measure. */
bool windows_over(const struct windows *windows);

/* Never NULL; owned by the windows. */
const struct windows_report *windows_report(const struct windows *windows);

/* The reason why no point was measured: the time limit, or the last failure. */
const char *windows_why(const struct windows_report *report);

/* The row for a value of the knob `filler`, or NULL. */
const struct windows_row *windows_row(const struct windows_report *report, int64_t choice);
