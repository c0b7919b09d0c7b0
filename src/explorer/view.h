/* The view is the data of one frame: a read-only copy of the session's state, filled once per
 * frame. Panels read only the view. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/scale.h"
#include "engine/counters/counters.h"
#include "engine/machine/machine.h"
#include "engine/measure/trials.h"
#include "experiment/advice/advice.h"
#include "experiment/advice/explainer.h"
#include "experiment/advice/gap.h"
#include "experiment/listing.h"
#include "experiment/published.h"
#include "experiment/setting/setting.h"
#include "experiment/sweep/blocks.h"
#include "kernels/kernel.h"
#include "lesson/lesson_judge.h"
#include "model/counts/counts.h"
#include "model/limits/dataflow.h"
#include "model/limits/misses.h"
#include "model/limits/timeline.h"
#include "recording/replay.h"

struct replay_place;

enum {
	VIEW_SLICE = 48,
	VIEW_GRID_X = 40,
	VIEW_GRID_Y = 40,
	VIEW_STRIP = 240,
	VIEW_KERNELS = 256,
	VIEW_FOUND = 64,
	VIEW_SHOT = 400, /* bytes of the name of a screenshot's file */
	VIEW_TEXT = 2400
};

/* Size of a search text in bytes, long enough for a command line. */
enum { FIND_SIZE = 96 };

/* The largest number of panels in a preset, a set of panels that comes to the screen together. */
enum { SCREEN_ORDER = 4 };

/* The overlay: a text or list that the screen shows in front of the panels. */
enum overlay { OVERLAY_NONE, OVERLAY_HELP, OVERLAY_FIND, OVERLAY_TEXT, OVERLAY_PAGE };

struct view_point {
	int64_t value; /* value, at this point, of the knob along which the curve is drawn */
	bool possible; /* the kernel allows this combination */
	bool valid;    /* true: the point of the curve was measured at least once */
	bool settled;
	struct sample sample;
	/* The sample of A, the setting compared with, at this value of the knob; NULL: A was not
	 * measured at this value, or the sample is that of `sample`. */
	const struct sample *a;
};

/* The scales of axes and bars, which only grow until another kernel is chosen or every sample is
 * discarded. A scale with high = 0 has no value yet. */
struct view_scales {
	struct scale limits; /* scale of the bars of the limits, in cycles per element */
	struct scale ports;  /* scale of the bars of the ports, in cycles per iteration */
	struct scale bytes;  /* scale of slices (curves over one knob) that show bytes per cycle */
	struct scale cycles; /* scale of slices (curves) that show cycles per element */
	double top;	     /* largest throughput in the mountain so far, in GB/s */
};

struct characterise_report;

/* A slice is a curve along one knob of the kernel; the other knobs keep their values. A slice's
 * curve shows throughput, or CPE for a kernel that moves no bytes. */
struct view_slice {
	int knob; /* index of the knob along the curve of the slice; -1: there is no slice */
	int count;
	int here; /* index of the present setting's point on the curve; -1: the curve has no such
		     point */
	/* Position of the present setting on the axis of the slice (curve over one knob), if count
	 * > 0. */
	struct axis_place place;
	struct view_point point[VIEW_SLICE];
};

struct view_grid {
	bool present;
	int size_knob, stride_knob;
	/* Number of strides (nx) and of sizes (ny) in the grid of the mountain. Both axes of the
	 * mountain's grid begin with the smallest value. */
	int nx, ny;
	/* Index, in the mountain's grid, of the stride and of the size nearest to the present
	 * setting. place_x and place_y show whether these grid values are equal to the setting's.
	 */
	int here_x, here_y;
	struct axis_place place_x, place_y;
	int64_t x[VIEW_GRID_X], y[VIEW_GRID_Y];
	/* Throughput of each point of the mountain's grid; NAN: the point was not measured. */
	float gbps[VIEW_GRID_Y][VIEW_GRID_X];
	float bytes_per_cycle[VIEW_GRID_Y][VIEW_GRID_X];
	bool contended[VIEW_GRID_Y][VIEW_GRID_X], unsettled[VIEW_GRID_Y][VIEW_GRID_X];
	float top; /* the largest measured throughput in gbps[][], in GB/s */
	/* For each size in y[]: the level of the first cache that holds a working set of this size,
	 * from 1. GRID_MEMORY: no cache holds the working set; 0: the cache level is unknown. */
	int level[VIEW_GRID_Y];
	/* Index of the first stride at which each access touches a different cache line; -1: not
	 * shown. At strides of a cache line or more, only the number of cache lines matters. */
	int slope_end;
	double line; /* size of a cache line in bytes */
	bool relief; /* true: the mountain (throughput over size and stride) is drawn as a relief,
			not as shaded cells */
};

/* The value of view_grid.level[] for a working set that is too large for every cache. */
enum { GRID_MEMORY = CACHE_LEVELS + 1 };

/* The expected and the counted cache misses of the present setting. */
struct view_misses {
	struct misses now;
	struct misses_whatif whatif;
	/* Expected misses in the caches of `whatif`, if the user named caches. */
	struct misses then;
	double counted[CACHE_LEVELS]; /* counted misses per element for each cache; NAN: not
					  counted */
};

/* One trial of the live measurement, drawn on the strip chart. */
struct view_tick {
	double cpe;   /* cycles per element; NAN, zero or negative for a broken trial */
	uint8_t fate; /* enum trial_fate */
};

struct probe_report;
struct sweep_table_report;
struct cost_report;
struct slack_report;
struct why_report;
struct windows_report;
struct windows_row;

struct view_found {
	/* Text of a search result in the find overlay: "combine unroll — elements per iteration".
	 */
	char label[2 * COUNTER_NAME + 24];
	/* The command that runs when the user chooses this search result. */
	char command[COUNTER_NAME + 16];
	/* Why this search result cannot be opened here; empty: it can. */
	char why[160];
};

/* The event counts of the present setting, and the model's values for these events. */
struct view_counters {
	/* The counter events requested, in the order of `counts`; NULL: no events were requested.
	 */
	const struct event_plan *plan;
	struct counts counts; /* event counts; counts.id is the id of the event plan, or 0 if there
				 are no counts yet */
	/* One line that says why counters are not available; empty: counters are available, or
	 * their availability is not known yet. */
	char why[200];
	/* The core model's value of each event, per element; NAN: the model has no value. */
	double modelled[COUNTERS_MAX];
	double ipc; /* counted instructions per counted cycle; NAN: not counted */
	/* Instructions per element: counted by the processor, and found in the decoded code; NAN:
	 * unknown. */
	double counted, decoded;
	bool differ; /* true: the counted and the decoded instructions per element differ by more
			than 1 %, so one of the two is wrong */
	/* Cycles measured with the reference chain, divided by counted cycles; NAN: unknown. If the
	 * ratio differs from 1 by more than 2 %, the counters are doubtful. */
	double check;
	/* Index of the first event on screen, if the panel is too small for all events. */
	int first;
};

/* The state of the screen that is not a measurement. Only on_screen.c writes a `struct screen`. */
struct screen {
	const char *front;  /* name of the panel in front */
	const char *focus;  /* name of the pane that the arrow keys act on */
	const char *before; /* name of the panel that was in front before the counters */
	const char *under;  /* name of the panel that the user chose before the mountain or a
			       diagram; NULL: that panel came by itself */
	bool chosen; /* true: the user chose the panel in front, or a set of panels (preset), by a
			command */
	bool kept;   /* true: the panel in front stays when the user chooses another kernel */
	bool by_itself; /* true: the program, not the user, brought the panel in front there,
			   because it best explains the kernel */
	/* The kernel whose panel came to the front by itself last; NULL: none yet. */
	const struct kernel *answered;
	/* The preset (set of panels) on screen: its name, empty for none; and its panels, the most
	 * important first. If the preset has fewer panels, a NULL name follows the last one. */
	const char *preset;
	const char *order[SCREEN_ORDER];
	const char *own[SCREEN_ORDER]; /* the panels that the user brought to the front, most
					  recently chosen first */
	bool present; /* presenter mode: large digits, one panel and the last key */

	/* The value that the user is typing for the chosen knob; empty: the user is not typing a
	 * value. */
	char entry[64];
	bool entry_refused; /* true: the typed value was refused; the next character begins a new
			       value */

	/* The guess that the student is typing for the question of a lesson. */
	char guess[LESSON_GUESS];
	bool guessing; /* true: the line of the guess is open, and keys are typed into it */

	int mark;   /* row of the screen to which the presenter's arrows point, from 1; 0: no arrows
		     */
	bool blank; /* the presenter has blanked the screen */

	enum overlay overlay;
	int scroll; /* number of the first line on screen of a long overlay */
	/* For OVERLAY_TEXT: the lines of text of the overlay, or the command line that starts the
	 * explorer in its present state. */
	char text[VIEW_TEXT];
	char text_title[80]; /* title of the text in front of the panels; empty: the text is the
				command line that opens the present screen again */

	/* For OVERLAY_PAGE, the result of a long measurement: its lines (owned; NULL: none yet),
	 * its title, and the command that made it. */
	char *page;
	char page_title[80];
	const char *page_command;
	bool page_answers; /* true: the page has the student's answers to a lesson */

	/* The screenshot that the user interface must save: its file, empty for a new name. */
	bool shot_wanted;
	char shot[VIEW_SHOT];

	char find[FIND_SIZE]; /* the text that the user typed to find a command or event */
	int found_count, found_selected;
	int found_more; /* number of results that did not fit in found[] */

	char notice[STATUS_TEXT]; /* the message on screen; empty: there is no message */
	bool notice_bad;
	double notice_until; /* time at which the message on screen disappears by itself; INFINITY:
				never */

	/* The array found[] is the last field of the struct, because a frame copies only its first
	 * found_count entries. */
	struct view_found found[VIEW_FOUND];
};

/* The open lesson. The lesson's texts are valid until the session fills the next view. */
struct view_lesson {
	const char *title;	/* title of the lesson; NULL: no lesson is open */
	const char *step_title; /* title of the present step; NULL: no title */
	int step, steps;	/* index of the present step, and number of steps of the lesson */
	/* The texts of the lesson's step, with measured values in place of the braces; NULL: the
	 * step has no such text, or the text is not shown yet. */
	const char *text, *prompt, *hint, *explain;
	bool has_hint;
	bool asks;	/* the question of the step waits for a guess */
	bool number;	/* the question is answered by a number */
	bool free_text; /* the question is answered by free text, which is not judged */
	bool aside;	/* the usual panels replace the text of the lesson for a while */
	/* The recording has no sample of the step's setting, so the step has no text and no
	 * question. */
	bool absent;
	bool away; /* true: the user has left the setting of the lesson's step */
	int first; /* the first row of the lesson's text on screen */
	/* The explanation has the values of the answer, and the panels have shown other digits
	 * since. */
	bool changed;
	/* Cycles per element of the setting, and of A, when their measured values judged the
	 * answer, if they have clearly changed since then; 0: they have not. */
	double judged_cpe, judged_a;
	/* What the guess waits for before it is judged: "contended", "measuring"; NULL: nothing. */
	const char *awaited;
	const char *guess; /* the guess in words, while it waits; NULL: none, or skipped */
	int answer_count;  /* number of answers that the lesson's question lets the student choose
			      from */
	struct lesson_answer answer[LESSON_OPTIONS];
	/* The judgement of the guess; NULL: the question was not answered yet. */
	const struct lesson_judgement *judgement;
};

struct view_recorded {
	char all[96];  /* all recorded values of a knob: "4k, 32k, 512k" */
	char ends[40]; /* the smallest and the largest recorded value: "4k…512k" */
};

struct view {
	const struct machine
		*machine; /* the measured machine; some of its fields may still be unknown */
	struct setting setting;
	struct memory_limits memory_limits;
	/* Index of the kernel in kernel_registry. kernel_count (one more than the last index) means
	 * the user's own loop, and kernel_count + 1 a function of a program; -1 means any other
	 * kernel. */
	int kernel_index;
	/* For each kernel of kernel_registry: whether the replayed recording does not contain the
	 * kernel. */
	bool kernel_absent[VIEW_KERNELS];
	/* Name of the own loop, which is listed after the kernels; NULL: no own loop is open. */
	const char *own;
	/* Name of the function of a program, which is listed last; NULL: no function was shown. */
	const char *function;
	int knob; /* index of the selected knob */
	/* The kernel's remark on the present setting, or the recommended block size; NULL: no
	 * remark. */
	const char *remark;
	/* The recommended and the best measured block size of a blocked matrix kernel; empty: the
	 * kernel has no blocks. */
	struct blocks_text blocks;
	/* Text that says whether the measured order of a kernel's variants, by speed, agrees with
	 * the published order. The text on the order of variants is empty if there is no order to
	 * compare. */
	char order[480];
	/* Hint that names the first key to press; NULL: the user has already changed a knob. */
	const char *hint;
	bool turned; /* true: the user has changed the setting at least once */

	/* The groups of numbers that the open question of a lesson asks for (enum lesson_hidden),
	 * which mask_view() has removed from this view; 0: none. */
	unsigned hidden;
	/* Whether the present setting has a sample (`measured`), and one that is not provisional
	 * (`measured_well`), even while a lesson hides the sample. */
	bool measured, measured_well;
	/* The sample of the present setting. While a new setting has no sample, `sample.valid` is
	 * false: the sample of another setting is never shown. */
	struct sample sample;
	struct run_facts facts;
	/* The last quiet sample of the present setting; `quiet.valid` is false if there is none
	 * yet. */
	struct sample quiet;
	double quiet_age; /* seconds since `quiet` was measured */
	double last_ghz;  /* last measured core clock of any setting; NAN: no clock was measured yet
			   */
	enum source last_source; /* source of the cycles (counter or clock) from which `last_ghz`
				    was computed */
	bool measuring;		 /* a request for the present setting is at the engine */
	double waiting; /* seconds since the setting's measurement was requested from the engine,
			   while no answer has arrived */
	/* Progress of a long preparation or a long run; STAGE_NONE: the progress is unknown. */
	struct progress_seen ahead;
	double ahead_left; /* estimated seconds until the long preparation or run ends; NAN: too
			      early to estimate */
	/* Why the present setting cannot be measured; empty: the setting can be measured. */
	char failure[STATUS_TEXT];
	bool frozen;

	bool pinned; /* true: there is a setting A, chosen by the user, with which the present
			setting is compared */
	struct setting a_setting;
	bool a_outdated; /* true: the file of A's own loop was saved since, but cannot be measured
			  */
	/* Name of the recording that is A: A has the present setting; NULL: A is a setting. */
	const char *a_recording;
	struct sample a;
	enum limit_kind a_limit; /* the binding limit of A; LIMIT_COUNT: the limit is unknown */
	bool a_comparable; /* true: A and the present setting count the same kind of element */
	double ratio; /* CPE of the present setting ÷ CPE of A; NAN: one of the two is missing, or
			 A is not comparable */

	int strip_count;
	struct view_tick strip[VIEW_STRIP]; /* the trials on the strip chart, oldest first */
	double strip_span; /* seconds from the oldest to the newest trial on the strip */

	/* All limits of the present setting; NULL: there is no explanation. limits_note then says
	 * why there is no explanation; an empty limits_note gives no reason. */
	const struct explanation *explanation;
	char limits_note[300];
	/* true: the limits are computed again, because L3 or memory was measured again; until then,
	 * `explanation` has the old limits. */
	bool limits_renewed;
	/* The limits and code of the previous setting, while the code of the new setting is being
	 * read. While new code is read, panels keep the layout of the previous explanation, but do
	 * not show its contents. */
	const struct explanation *outline;
	/* The core for which the limits are computed; NULL: there is no core model. */
	const struct core *core;
	bool foreign; /* true: the limits are computed for a `core` that is not the running core */
	bool nearest; /* true: the running core has no model; `core` is the nearest model */
	struct gap gap;
	/* The published cycles of the present setting; NULL: no cycles are published. */
	const struct published *published;
	const struct published_limits *published_limits; /* the limits that judge `published` */
	/* Advice for the present setting; ADVICE_NONE: there is no advice, or the search has not
	 * ended. */
	struct advice advice;
	/* Source code of the kernel; NULL: the source code is not embedded in the program, or is
	 * unknown. */
	const struct listing *listing;
	struct view_counters counters;
	/* Ratios that are shown next to the cycles, for example instructions and memory traffic. */
	struct sample_ratios sample_ratios;
	/* Where and when the replayed recording was made; NULL: there is no replay. */
	const struct replay_place *place;
	const char *replay; /* file name of the replayed recording; NULL: this machine is measured
			       live */
	/* The recorded values of each knob, for a replay only. */
	struct view_recorded recorded[KNOBS_MAX];
	bool recording;			  /* true: the session is writing samples to a recording */
	const struct probe_report *probe; /* report of the probe; NULL: no probe was requested */
	/* A probe, a core measurement or a named sweep runs: there is no live measurement. */
	bool probing;
	const struct sweep_table_report *sweep; /* the last named sweep; NULL: there was none */
	bool sweeping;				/* the named sweep runs */
	/* Report of the running core measurement; NULL: no core measurement is running. */
	const struct characterise_report *characterising;
	/* Report on buffer sizes, measured with the kernel `window`; NULL: the user has not chosen
	 * this kernel yet. */
	const struct windows_report *windows;
	/* The costs of the present setting's instructions, perhaps not complete yet; NULL: none. */
	const struct cost_report *cost;
	/* The probed pressure of the present setting, perhaps not complete yet; NULL: none. */
	const struct slack_report *slack;
	/* The measured causes of the gap of the present setting, perhaps not complete yet; NULL:
	 * not measured. */
	const struct why_report *why;
	/* The row of the buffer report for the present kind of filler instruction; NULL: there is
	 * no row. */
	const struct windows_row *window;
	bool windowing; /* true: some points of the curves over filler instructions are not measured
			   yet */
	/* Index of the first line of machine code on screen, if the panel is too small for all
	 * lines. */
	int code_first;
	/* The diagrams of the explanation, each while its panel is in front; NULL: not in front.
	 * diagram_row is the chosen row, diagram_shift the number of columns scrolled. */
	const struct timeline *timeline;
	const struct dataflow *dataflow;
	int diagram_row, diagram_shift;

	/* by_size is a slice (curve) along the size, by_stride along the stride. If the kernel has
	 * no knob for the stride, by_stride is a slice (curve) along the selected knob. */
	struct view_slice by_size, by_stride;
	struct view_grid grid;
	struct view_lesson lesson;
	struct cache_sizes caches; /* the caches of the measured core, even if the limits on screen
				      are for another core */
	struct view_misses misses;
	/* Number of settings (cells) of the slices and the grid on screen, and how many of them
	 * have enough trials. */
	unsigned cells_wanted, cells_settled;

	/* Number of times that the user chose a kernel or discarded all samples; at each change,
	 * the scales of axes and bars start again from nothing. */
	unsigned epoch;
	struct view_scales scales; /* filled by steady_hold() (ui/steady.h), which keeps scales
				      constant from frame to frame */

	struct screen screen;

	/* A copy of the setting's explanation without the limits, shown while a lesson's question
	 * hides the limits. The field is filled only in frames whose limits are hidden. */
	struct explanation masked;
};
