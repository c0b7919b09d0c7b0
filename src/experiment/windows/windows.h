/* Measures the sizes of a core's buffers without counters: more and more fillers between two
 * cache misses, until a buffer is full and the misses no longer overlap. For each filler of the
 * kernel `window`: the curve, its knee, and the buffer that the filler fills. Everything that
 * shows it reads struct windows_report alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "experiment/campaign.h"
#include "experiment/setting/setting.h"
#include "kernels/window.h"
#include "model/windows/buffers.h"
#include "model/windows/knee.h"

enum { WINDOWS_ROWS = 48, WINDOWS_NOTE = 244 };

/* The kernel, and the knobs that the measurement turns. */
#define WINDOWS_KERNEL	"window"
#define WINDOWS_FILLERS "fillers"
#define WINDOWS_FILLER	"filler"

struct windows_options {
	struct setting setting; /* of the kernel: every knob but fillers and filler is measured at
				   this value */
	uint64_t fillers;	/* choices of the knob `filler`, a bit each; 0: all */
	const struct uarch *uarch; /* the core's model, borrowed during the call; NULL: none */
	bool foreign;		   /* the model is not of the running core */
	uint64_t seed;
	double seconds; /* time limit; 0: no limit */
};

enum windows_state { WINDOWS_WAITS, WINDOWS_GOES_ON, WINDOWS_DONE, WINDOWS_FAILED };

struct windows_row {
	const char *filler;		  /* the choice's name: "nop" */
	int64_t choice;			  /* its value there */
	const struct window_filler *fact; /* the buffer that it fills; NULL: unknown */
	enum windows_state state;
	struct knee_curve curve;
	struct knee knee;	 /* of the curve so far */
	double most;		 /* fillers, at most */
	double entries;		 /* of the buffer by the core model; NAN: unknown */
	struct setting setting;	 /* at the knee, or at the last point */
	double ghz;		 /* of the last point; NAN */
	enum source cycles_from; /* likewise */
	double seconds;		 /* that it took */
	int requests;
	int checks;		/* of a sharp knee, after all rows are measured */
	bool contended;		/* the core was contended at some points, in all visits
				 */
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
	struct notes notes;		      /* work that could not be done */
};

struct windows;

/* machine must be known, and is borrowed. Returns NULL with STATUS_USAGE when the setting's
 * kernel lacks these knobs. */
struct windows *windows_new(const struct machine *machine, const struct windows_options *options,
	struct status *status);
void windows_free(struct windows *windows);

/* The choices of the knob `filler` that words name, a bit each. STATUS_USAGE suggests the nearest
 * names. */
struct status windows_read_fillers(
	const struct kernel *kernel, const char *const *words, int count, uint64_t *fillers);

/* The row to measure next, by the value of the knob `filler`: the one on screen. Without a row of
 * that value nothing happens. */
void windows_prefer(struct windows *windows, int64_t choice);

/* Another core model, whose buffer sizes are shown next to the knees. NULL: none. */
void windows_model(struct windows *windows, const struct uarch *uarch, bool foreign);

/* A point from a recording. Nothing happens if its other knobs differ. */
void windows_give(
	struct windows *windows, const struct setting *setting, const struct sample *sample);

/* Measures all missing points, until none is missing or the measurer stops. The functions above
 * may be called while a request is under way. */
void windows_measure(struct windows *windows, const struct measurer *measurer);

/* Ends the report: only points given with windows_give() are in it. */
void windows_close(struct windows *windows);

/* Whether nothing is left to measure. */
bool windows_over(const struct windows *windows);

/* Never NULL; owned by the windows. */
const struct windows_report *windows_report(const struct windows *windows);

/* Why no point was measured: the time was up, or the last failure. */
const char *windows_why(const struct windows_report *report);

/* The row of a value of the knob `filler`, or NULL. */
const struct windows_row *windows_row(const struct windows_report *report, int64_t choice);
