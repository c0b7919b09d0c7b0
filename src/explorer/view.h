/* What a frame shows: a read-only picture of the session, plain data, filled once a frame. Panels
 * draw from this alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/advice/advice.h"
#include "experiment/advice/explainer.h"
#include "experiment/advice/gap.h"
#include "experiment/listing.h"
#include "experiment/setting/setting.h"
#include "kernels/kernel.h"
#include "model/counts/counts.h"
#include "model/limits/misses.h"
#include "recording/replay.h"

struct replay_place;

enum {
	VIEW_SLICE = 48,
	VIEW_GRID_X = 40,
	VIEW_GRID_Y = 40,
	VIEW_STRIP = 240,
	VIEW_KERNELS = 256,
	VIEW_FOUND = 32,
	VIEW_TEXT = 2400
};

/* Bytes of a text that is looked for: a command line has room. */
enum { FIND_SIZE = 96 };

/* What lies over the panels. */
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_FIND, OVERLAY_TEXT };

struct view_point {
	int64_t value; /* of the axis knob */
	bool possible; /* the kernel allows this combination */
	bool valid;    /* measured at least once */
	bool settled;
	struct sample sample;
};

/* Throughput (or CPE, for a kernel that moves no bytes) along one knob, the others as they are. */
struct characterise_report;

struct view_slice {
	int knob; /* index of the knob; -1: there is no slice */
	int count;
	int here; /* the point of the present setting, or -1 when it is at none of them */
	struct axis_place place; /* of the present setting among the points (count > 0) */
	struct view_point point[VIEW_SLICE];
};

struct view_grid {
	bool present;
	int size_knob, stride_knob;
	int nx, ny; /* x: strides, y: sizes, small first */
	int here_x,
		here_y; /* nearest point to the present setting: at it only if the places say so */
	struct axis_place place_x, place_y;
	int64_t x[VIEW_GRID_X], y[VIEW_GRID_Y];
	float gbps[VIEW_GRID_Y][VIEW_GRID_X]; /* NAN: not measured */
	float bytes_per_cycle[VIEW_GRID_Y][VIEW_GRID_X];
	bool contended[VIEW_GRID_Y][VIEW_GRID_X], unsettled[VIEW_GRID_Y][VIEW_GRID_X];
	float top;		     /* the largest gbps measured */
	double cache[MISSES_LEVELS]; /* bytes of each, 0 unknown; as the system states them, or
					where `probed` as the probe found some */
	bool probed;
	int level[VIEW_GRID_Y]; /* the first cache that holds this size, from 1; GRID_MEMORY: none
				   does; 0: unknown */
	int slope_end; /* the first stride at which each access touches a line of its own: beyond it
			  only lines count; -1: none shown */
	double line;   /* bytes of it */
	bool relief;   /* shown as a relief instead of as shaded cells */
};

/* Beyond every cache. */
enum { GRID_MEMORY = MISSES_LEVELS + 1 };

/* What the present setting is expected to miss, and what was counted. */
struct view_misses {
	struct misses now;
	struct misses_whatif whatif;
	struct misses then;	       /* in the caches of whatif, if it is asked */
	double counted[MISSES_LEVELS]; /* per element; NAN: not counted */
};

/* One entry of the strip: a live sample or one of its trials, in the order of time. */
struct view_tick {
	double cpe;   /* not positive or NAN for a broken trial */
	uint8_t fate; /* enum trial_fate */
};

struct probe_report;
struct windows_report;
struct windows_row;

struct view_found {
	char label[2 * COUNTER_NAME + 24]; /* "combine unroll — elements an iteration" */
	char command[COUNTER_NAME + 16];   /* what choosing it runs */
};

/* The counts of the present setting, next to the values of the model. */
struct view_counters {
	const struct event_plan
		*plan;	      /* NULL: nothing is asked for; its events are those of counts */
	struct counts counts; /* counts.id is the plan's, or 0: nothing has come yet */
	char why[200]; /* one line why there are no counters here; empty: there are, or nobody knows
			  yet */
	double modelled[COUNTERS_MAX]; /* per element, what the model says; NAN: nothing */
	double ipc;		       /* instructions a cycle, both counted; NAN */
	double counted, decoded; /* instructions per element: counted, and in the code as read or
				    stepped; NAN */
	bool differ;		 /* these two by over 1 %: one of them is wrong */
	double check; /* reference chain ÷ counted cycles; NAN; over 2 % from 1: a doubt */
	int first;    /* the first event that is shown, if there are more than fit */
};

/* What the user sees in addition to the measurements. on_screen.c alone writes it. */
struct screen {
	const char *front;  /* the panel in front, by its name */
	const char *focus;  /* the pane that the arrows act on, by its name */
	const char *before; /* in front before the counters */

	char entry[24];	    /* a value being typed for the chosen knob; empty: none */
	bool entry_refused; /* it was refused: the next character begins another one */

	enum overlay overlay;
	int scroll;	      /* first line of a long overlay */
	char text[VIEW_TEXT]; /* OVERLAY_TEXT: the command line that reopens this state; or lines of
				 text … */
	char text_title[80];  /* … under this title; empty: the command line */

	char find[FIND_SIZE]; /* the text that find searches for */
	int found_count, found_selected;
	int found_more; /* events that have no space in found */
	struct view_found found[VIEW_FOUND];

	char notice[244]; /* the last message; empty: none */
	bool notice_bad;
	double notice_until; /* when it disappears by itself; INFINITY: never */
};

struct view_recorded {
	char all[96];  /* "4k, 32k, 512k" */
	char ends[40]; /* "4k…512k" */
};

struct view {
	const struct machine *machine; /* may not be known yet */
	struct setting setting;
	struct memory_limits memory_limits;
	int kernel_index; /* in kernel_registry; after its end: the own loop; -1: neither */
	bool kernel_absent[VIEW_KERNELS]; /* of kernel_registry: not in the recording that is played
					   */
	const char *own;    /* an own loop's name, listed after the kernels; NULL: none */
	int knob;	    /* the selected one */
	const char *remark; /* the kernel's on this setting, or the next; NULL: none */
	char blocks[600]; /* how large its blocks should be, beside the best measured; empty: it has
			     none */
	char order[480];  /* whether ways to do the same come in the published order here, and if
			     not, why; empty: nothing to compare */
	const char *hint; /* what to press first, or NULL: a knob has been turned */

	/* Of the present setting. While a new setting has none yet, `sample.valid` is false: a
	 * sample of another setting is never shown in its place. */
	struct sample sample;
	struct run_facts facts;
	struct sample quiet;	 /* the last quiet one of this very setting; not valid: none yet */
	double quiet_age;	 /* seconds since */
	double last_ghz;	 /* core clock last seen at any setting; NAN: none yet */
	enum source last_source; /* of its cycles */
	bool measuring;		 /* a request for it is under way */
	double waiting;		 /* seconds since it was asked for without any answer */
	struct progress_seen ahead; /* how far it is, where it takes long to prepare or to run
				       completely; STAGE_NONE: nothing is known */
	double ahead_left;	    /* seconds that it will take yet; NAN: too early to tell */
	char failure[244];	    /* why it cannot be measured; empty: it can */
	bool frozen;

	bool pinned; /* A exists */
	struct setting a_setting;
	struct sample a;
	enum limit_kind a_limit; /* the one that bound it; LIMIT_COUNT: unknown */
	double ratio;		 /* B's CPE ÷ A's; NAN when either is missing */

	int strip_count;
	struct view_tick strip[VIEW_STRIP]; /* oldest first */
	double strip_span;		    /* seconds from the oldest to the newest */

	/* Every limit of the present setting. Where it is NULL, limits_note says why, or is empty:
	 * nothing is known of limits. */
	const struct explanation *explanation;
	char limits_note[300];
	/* While the code is being read, the explanation before: panels keep the room that it
	 * needed, and show none of it. */
	const struct explanation *outline;
	const struct core *core; /* the core that limits are for; NULL: none */
	bool foreign;		 /* it is not the running one */
	bool nearest;		 /* the running one has no model, and this was taken in its place */
	struct gap gap;
	struct advice advice;	       /* ADVICE_NONE: not found yet, or nothing to say */
	const struct listing *listing; /* NULL: not embedded, or unknown */
	struct view_counters counters;
	struct sample_ratios sample_ratios; /* what stands beside the cycles: instructions, and what
					       memory brings */
	const struct replay_place *place;   /* of a replay: where and when it was recorded */
	const char *replay; /* what is shown was recorded: the file's name; NULL: it is measured
			       here and now */
	struct view_recorded recorded[KNOBS_MAX]; /* of a replay: where each knob was */
	bool recording;				  /* samples are written to a file */
	const struct probe_report *probe;	  /* NULL: none was asked for */
	bool probing; /* it is under way, or this core measures itself: nothing is measured live */
	const struct characterise_report *characterising; /* the latter, while it does; else NULL */
	const struct windows_report
		*windows;		  /* of the kernel `window`; NULL: it was not chosen yet */
	const struct windows_row *window; /* of its present filler; NULL: none */
	bool windowing;			  /* more of its points are to come */
	int code_first; /* the first line of the code that is shown, if there are more than fit */

	struct view_slice by_size, by_stride; /* by_stride: or over the selected knob */
	struct view_grid grid;
	struct view_misses misses;
	unsigned cells_wanted, cells_settled; /* of slices and grid */

	struct screen screen;
};
