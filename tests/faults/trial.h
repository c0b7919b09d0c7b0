/* One run of the program in which a call fails: its folders, its end, and whether it passes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "fault.h"
#include "faults.h"

struct trial_options {
	const char *shim, *program, *sources, *work;
};
extern struct trial_options trial_options;

struct trial {
	const struct fault_scenario *scenario;
	enum fault_kind kind;
	long call; /* 0: no call fails */
	bool forever;
};

struct place {
	char top[256], here[300], temporary[300], home[300];
	struct fault *fault;
};

/* How a trial ended. */
struct end {
	int how; /* the status from waitpid() */
	bool late, orphan, raw, screen_left;
	char orphan_name[32];
};

_Noreturn void trial_stop(const char *what);

/* Makes the folders of a job. */
void place_make(struct place *place, int job);

/* Joins the name of a folder and the name of a file. */
void place_path(char *path, size_t size, const char *folder, const char *name);

/* Reads the first bytes of a file as a string; an unreadable file gives "". */
void place_read(const char *folder, const char *name, char *bytes, size_t size);

void trial_run(const struct trial *trial, const struct place *place, struct end *end);

/* Seconds after which a run hangs. */
int trial_patience(const struct trial *trial);

/* Returns why the trial failed, or NULL. */
const char *trial_judge(
	const struct trial *trial, const struct place *place, const struct end *end);
