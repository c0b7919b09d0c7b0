/* The data of one frame: a read-only copy of the session, filled once per frame. Panels read
 * nothing else. */
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
#include "experiment/sweep/blocks.h"
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

/* Bytes of a search text; long enough for a command line. */
enum { FIND_SIZE = 96 };

/* The overlay in front of the panels. */
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_FIND, OVERLAY_TEXT };

struct view_point {
	int64_t value; /* value of the axis knob */
	bool possible; /* the kernel allows this combination */
	bool valid;    /* measured at least once */
	bool settled;
	struct sample sample;
};

/* A curve along one knob; the other knobs keep their values. The curve shows throughput, or CPE for
 * a kernel that moves no bytes. */
struct characterise_report;

struct view_slice {
	int knob; /* index of the knob; -1: no slice */
	int count;
	int here; /* index of the present setting's point; -1: no point has its value */
	struct axis_place
		place; /* position of the present setting among the points, if count > 0 */
	struct view_point point[VIEW_SLICE];
};

struct view_grid {
	bool present;
	int size_knob, stride_knob;
	int nx, ny;	    /* x: strides, y: sizes, small first */
	int here_x, here_y; /* point nearest to the present setting; place_x and place_y say whether
			       it is equal */
	struct axis_place place_x, place_y;
	int64_t x[VIEW_GRID_X], y[VIEW_GRID_Y];
	float gbps[VIEW_GRID_Y][VIEW_GRID_X]; /* NAN: not measured */
	float bytes_per_cycle[VIEW_GRID_Y][VIEW_GRID_X];
	bool contended[VIEW_GRID_Y][VIEW_GRID_X], unsettled[VIEW_GRID_Y][VIEW_GRID_X];
	float top;		     /* the largest gbps measured */
	double cache[MISSES_LEVELS]; /* bytes of each cache, 0: unknown; from the system, or, if
					`probed`, partly from the probe */
	bool probed;
	int level[VIEW_GRID_Y]; /* the first cache that holds this size, from 1; GRID_MEMORY: no
				   cache holds it; 0: unknown */
	int slope_end; /* the first stride at which each access touches a different cache line; from
			  there, only the number of lines matters; -1: not shown */
	double line;   /* bytes of a cache line */
	bool relief;   /* drawn as a relief, not as shaded cells */
};

/* Data too large for every cache. */
enum { GRID_MEMORY = MISSES_LEVELS + 1 };

/* Cache misses of the present setting: expected, and counted. */
struct view_misses {
	struct misses now;
	struct misses_whatif whatif;
	struct misses then;	       /* misses in the caches of `whatif`, if the user gave some */
	double counted[MISSES_LEVELS]; /* per element; NAN: not counted */
};

/* One entry of the strip: a live trial. */
struct view_tick {
	double cpe;   /* not positive or NAN for a broken trial */
	uint8_t fate; /* enum trial_fate */
};

struct probe_report;
struct windows_report;
struct windows_row;

struct view_found {
	char label[2 * COUNTER_NAME + 24]; /* "combine unroll — elements per iteration" */
	char command[COUNTER_NAME + 16];   /* the command that choosing it runs */
};

/* The event counts of the present setting, and the model's values for these events. */
struct view_counters {
	const struct event_plan
		*plan;	      /* the requested events, in the order of `counts`; NULL: no events */
	struct counts counts; /* counts.id is the plan's id; 0: no counts yet */
	char why[200]; /* one line: why counters are not available; empty: they are available, or
			  this is not known yet */
	double modelled[COUNTERS_MAX]; /* the model's value, per element; NAN: the model has no
					  value */
	double ipc;		       /* counted instructions per counted cycle; NAN: unknown */
	double counted, decoded; /* instructions per element: counted, and found in the code; NAN:
				    unknown */
	bool differ;  /* `counted` and `decoded` differ by over 1 %: one of them is wrong */
	double check; /* cycles by the reference chain ÷ counted cycles; over 2 % from 1: the
			 counters are doubtful; NAN: unknown */
	int first;    /* the first event on screen, if the panel is too small for all */
};

/* The state of the screen that is not a measurement. Only on_screen.c writes it. */
struct screen {
	const char *front;  /* name of the panel in front */
	const char *focus;  /* name of the pane that the arrow keys act on */
	const char *before; /* name of the panel that was in front before the counters */

	char entry[24];	    /* the value that the user is typing for the chosen knob; empty: none */
	bool entry_refused; /* the typed value was refused: the next character begins a new value */

	enum overlay overlay;
	int scroll;	      /* first line of a long overlay */
	char text[VIEW_TEXT]; /* for OVERLAY_TEXT: lines of text, or the command line that reopens
				 this state */
	char text_title[80];  /* title of `text`; empty: `text` is the command line */

	char find[FIND_SIZE]; /* the search text of find */
	int found_count, found_selected;
	int found_more; /* number of events that did not fit in found[] */
	struct view_found found[VIEW_FOUND];

	char notice[STATUS_TEXT]; /* the last message; empty: none */
	bool notice_bad;
	double notice_until; /* when the notice disappears by itself; INFINITY: never */
};

struct view_recorded {
	char all[96];  /* "4k, 32k, 512k" */
	char ends[40]; /* "4k…512k" */
};

struct view {
	const struct machine *machine; /* may not be known completely yet */
	struct setting setting;
	struct memory_limits memory_limits;
	int kernel_index; /* index in kernel_registry; the index after its end: the own loop; -1:
			     neither */
	bool kernel_absent[VIEW_KERNELS]; /* for each of kernel_registry: the replayed recording
					   * does not contain it */
	const char *own;    /* name of the own loop, listed after the kernels; NULL: no own loop */
	int knob;	    /* index of the selected knob */
	const char *remark; /* the kernel's remark on the present setting, or on the next; NULL: no
			       remark */
	struct blocks_text blocks; /* the recommended block size, and the best measured one; empty:
			       the kernel has no blocks */
	char order[480];  /* whether equivalent variants rank in the published order here, and if
			     not, why; empty: nothing to compare */
	const char *hint; /* the first key to press; NULL: the user has already changed a knob */

	/* The sample of the present setting. While a new setting has no sample, `sample.valid` is
	 * false: the sample of another setting is never shown. */
	struct sample sample;
	struct run_facts facts;
	struct sample quiet; /* the last quiet sample of this same setting; not valid: none yet */
	double quiet_age;    /* seconds since `quiet` was measured */
	double last_ghz;     /* last measured core clock, at any setting; NAN: none yet */
	enum source last_source;    /* source of its cycles */
	bool measuring;		    /* a request for the present setting is at the engine */
	double waiting;		    /* seconds since the request without any answer */
	struct progress_seen ahead; /* progress of a long preparation or a long run; STAGE_NONE: no
				       progress known */
	double ahead_left;	    /* estimated seconds left; NAN: too early to estimate */
	char failure[STATUS_TEXT];  /* why the setting cannot be measured; empty: it can be measured
				     */
	bool frozen;

	bool pinned; /* A, the setting to compare with, exists */
	struct setting a_setting;
	struct sample a;
	enum limit_kind a_limit; /* the binding limit of A; LIMIT_COUNT: unknown */
	double ratio; /* CPE of the present setting ÷ CPE of A; NAN: one of them is missing */

	int strip_count;
	struct view_tick strip[VIEW_STRIP]; /* oldest first */
	double strip_span;		    /* seconds from the oldest to the newest */

	/* Every limit of the present setting. If NULL, limits_note says why; an empty limits_note
	 * gives no reason. */
	const struct explanation *explanation;
	char limits_note[300];
	/* The previous explanation, while the new code is being read. Panels keep its layout, but
	 * do not show its contents. */
	const struct explanation *outline;
	const struct core *core; /* the core of the limits; NULL: no core model */
	bool foreign;		 /* `core` is not the running core */
	bool nearest;		 /* the running core has no model; `core` is the nearest model */
	struct gap gap;
	struct advice advice;	       /* ADVICE_NONE: not found yet, or no advice */
	const struct listing *listing; /* NULL: not embedded, or unknown */
	struct view_counters counters;
	struct sample_ratios sample_ratios; /* ratios shown next to the cycles: instructions and
					       memory traffic */
	const struct replay_place *place; /* for a replay: where and when the recording was made */
	const char *replay; /* file name of the replayed recording; NULL: this machine is measured
			       live */
	struct view_recorded
		recorded[KNOBS_MAX];	  /* for a replay: the recorded values of each knob */
	bool recording;			  /* samples are written to a file */
	const struct probe_report *probe; /* NULL: no probe was requested */
	bool probing; /* a probe or a core measurement runs: there is no live measurement */
	const struct characterise_report
		*characterising; /* report of the running core measurement; NULL: none runs */
	const struct windows_report
		*windows; /* report of the kernel `window`; NULL: the kernel was not chosen yet */
	const struct windows_row *window; /* the row of the present filler; NULL: none */
	bool windowing;			  /* not all points are measured yet */
	int code_first; /* the first line of code on screen, if the panel is too small for all */

	struct view_slice by_size,
		by_stride; /* by_stride: over the selected knob, if the kernel has no stride */
	struct view_grid grid;
	struct view_misses misses;
	unsigned cells_wanted, cells_settled; /* cells of the slices and the grid */

	struct screen screen;
};
