/* The explorer as a person has it: the program on a pseudo-terminal of its own, its keys, and what
 * its screen shows. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "bench/vt.h"

struct explorer {
	pid_t pid;
	int terminal; /* the master's end */
	struct vt vt;
	double started_at; /* seconds, as all times here: before the fork */
	double read_at;	   /* when the last bytes came */
	double ended_at;
	unsigned long bytes, bursts; /* received; a burst is what comes within 5 ms: a frame */
	bool ended;
	int status; /* of waitpid(), once ended */
};

double explorer_now(void);

/* Starts $SLEXPLORE with words separated by blanks, on all processors that this program was given.
 * Ends this program when it cannot. */
void explorer_start(struct explorer *explorer, int width, int height, const char *words);
/* Kills what still runs, and frees. */
void explorer_free(struct explorer *explorer);
void explorer_key(struct explorer *explorer, const char *bytes);
/* Takes what the program writes for so many seconds. */
void explorer_pump(struct explorer *explorer, double seconds);

/* Waits until the screen is in a state, and stays in it for 2 ms, so that a frame half received
 * does not count. Returns when the bytes came that brought it about; NAN when that did not happen
 * before `limit` seconds were over. */
typedef bool explorer_state(struct explorer *explorer, const void *context);
double explorer_wait(
	struct explorer *explorer, explorer_state *state, const void *context, double limit);
/* The seconds from `since` until the process was gone; NAN when it was not after ten. */
double explorer_wait_end(struct explorer *explorer, double since);

/* States. */
explorer_state explorer_complete; /* every panel's title and the key bar */
explorer_state explorer_figure;	  /* a figure, provisional or not */
explorer_state explorer_settled;  /* a figure that is not provisional */
explorer_state explorer_quiet;	  /* and not contended either */
explorer_state explorer_says;	  /* the header ends in the word given as context */

/* The figure on screen, NAN: none. */
double explorer_cpe(const struct explorer *explorer);
bool explorer_contended(const struct explorer *explorer);
/* A knob's value as on screen; "" when it is not there. */
void explorer_knob(const struct explorer *explorer, const char *knob, char *value, size_t size);
/* Whether the knobs are the chosen pane. */
bool explorer_in_knobs(const struct explorer *explorer);
/* Where the pointers stand (the chosen kernel, knob and pane): changes whenever one of them moves.
 */
uint64_t explorer_pointers(const struct explorer *explorer);
/* The measured processor by the header, -1: not shown. */
int explorer_cpu(const struct explorer *explorer);

/* Keeps this program off a processor; programs started from then on still get all. */
void explorer_keep_off(int cpu);
/* What a child process calls before it becomes another program. */
void explorer_child(void);
