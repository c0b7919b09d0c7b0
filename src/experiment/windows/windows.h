/* The buffers of a core that one can see without counters: between two misses stand more and more
 * fillers, until one of its buffers is full and the misses no longer overlap. For each filler of
 * the kernel `window` the curve, the knee, and what is known of the buffer.
 *
 * windows_measure() measures, one curve after the other,
 * and everything that shows it reads struct windows_report alone. A new report may go on where an
 * earlier one was: what the explorer has measured stays. */
#ifndef SLX_EXPERIMENT_WINDOWS_WINDOWS_H
#define SLX_EXPERIMENT_WINDOWS_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "experiment/measurer.h"
#include "experiment/setting/setting.h"
#include "kernels/window.h"
#include "model/windows/buffers.h"
#include "model/windows/knee.h"

enum { WINDOWS_ROWS = 48, WINDOWS_NOTE = 244 };

/* The kernel, and its knobs that this is about. */
#define WINDOWS_KERNEL	"window"
#define WINDOWS_FILLERS "fillers"
#define WINDOWS_FILLER	"filler"

struct windows_options {
	struct setting setting; /* of the kernel: every knob but fillers and filler is measured at
				   this value */
	uint64_t fillers;	/* choices of the knob `filler`, a bit each; 0: all */
	const struct uarch
		*uarch; /* the core's model, borrowed for the call alone; NULL: there is none */
	bool foreign;	/* it is not the running core's */
	uint64_t seed;
	double seconds; /* time to keep to; 0: its own */
};

enum windows_state { WINDOWS_WAITS, WINDOWS_GOES_ON, WINDOWS_DONE, WINDOWS_FAILED };

struct windows_row {
	const char *filler;		  /* as the knob has it: "nop" */
	int64_t choice;			  /* its value there */
	const struct window_filler *fact; /* what it fills; NULL: nothing is known of it */
	enum windows_state state;
	struct knee_curve curve;
	struct knee knee;	 /* of the curve so far */
	double most;		 /* fillers that are looked at, at most */
	double entries;		 /* that the core's model gives the buffer; NAN: it gives none */
	struct setting setting;	 /* at the knee, or at the last point */
	double ghz;		 /* of the last point; NAN */
	enum source cycles_from; /* likewise */
	double seconds;		 /* that it took */
	int requests;
	int checks;	/* how often a sharp knee was looked at once more, when all were measured */
	bool contended; /* something shared the core at points of it, however often it was asked for
			 */
	char why[WINDOWS_NOTE]; /* WINDOWS_FAILED */
};

struct windows_report {
	const struct machine *machine;
	struct windows_options options;
	char core[80], uarch[24]; /* the model's title and name; empty: there is none */
	struct buffers buffers;
	int count;
	struct windows_row row[WINDOWS_ROWS]; /* in the order of the knob's choices */
	int now;			      /* the row under way; -1: none */
	double done;			      /* 0…1 */
	double seconds;			      /* since the first request */
	bool complete;			      /* nothing is missing that was asked for */
	char doing[64];			      /* "nop, 256 fillers"; empty: nothing */
	char note[WINDOWS_NOTE];	      /* what could not be done; empty: nothing */
};

struct windows;

/* machine must be known, and is borrowed. STATUS_USAGE when the setting's kernel has no such knobs.
 * NULL then. */
struct windows *windows_new(const struct machine *machine, const struct windows_options *options,
	struct status *status);
void windows_free(struct windows *windows);

/* The choices of the knob `filler` that words name, a bit each. STATUS_USAGE with the nearest
 * names. */
struct status windows_read_fillers(
	const struct kernel *kernel, const char *const *words, int count, uint64_t *fillers);

/* The row to go on with, by the value of the knob `filler`: the one that somebody looks at. Nothing
 * happens where there is none. */
void windows_prefer(struct windows *windows, int64_t choice);

/* Other entries to stand beside the knees: those of another core's model. NULL: there is none. */
void windows_model(struct windows *windows, const struct uarch *uarch, bool foreign);

/* A point that was measured elsewhere, or before: of a recording. Nothing happens where it is of
 * other knobs. */
void windows_give(
	struct windows *windows, const struct setting *setting, const struct sample *sample);

/* Measures what is missing, until everything is there or the measurer stops. While a request is
 * under way the functions above may be called. */
void windows_measure(struct windows *windows, const struct measurer *measurer);

/* Nothing will be measured: what was given is all there is. */
void windows_close(struct windows *windows);

/* Whether everything that was asked for is there. */
bool windows_over(const struct windows *windows);

/* Always there, as far as measured; owned by the windows. */
const struct windows_report *windows_report(const struct windows *windows);

/* Why nothing could be measured, where nothing was: the time that was up, or what failed last. */
const char *windows_why(const struct windows_report *report);

/* The row of a value of the knob `filler`, or NULL. */
const struct windows_row *windows_row(const struct windows_report *report, int64_t choice);

#endif
