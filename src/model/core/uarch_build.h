/* Inside uarch_parse.c, uarch_facts.c, uarch_events.c and uarch_resolve.c: a core's file on its way
 * into a struct uarch. */
#ifndef SLX_MODEL_CORE_UARCH_BUILD_H
#define SLX_MODEL_CORE_UARCH_BUILD_H

#include "model/core/uarch_read.h"

enum {
	BUILD_DEPTH = 8, /* files that inherit from each other */
	BUILD_TEXT = 120,
	BUILD_SETS = 48,
	BUILD_CLASSES = 1024,
	BUILD_LINES = 256,  /* of one kind */
	BUILD_EVENTS = 160, /* of all files that inherit from each other */
};

struct build_set {
	char name[12], members[BUILD_TEXT];
	int file, line;
};

struct build_class {
	struct uarch_class facts;
	bool has_slots;
	char terms[BUILD_TEXT];
	int file, line;
};

/* An `event` line. Ports and PMU get their meaning at the end. */
struct build_event {
	enum event_role role;
	char of[BUILD_TEXT];	 /* ports joined by commas, or words; "" neither */
	char name[COUNTER_NAME]; /* "none": takes back what is inherited */
	uint32_t tags;
	int file, line;
};

/* Where something was said: the number of the file, -1 nowhere, and its line. */
struct build_place {
	int file, line;
};

/* A file and those that it inherits from, on the way into one struct uarch. */
struct build {
	struct uarch *uarch;
	int depth, files;
	char name[BUILD_DEPTH][UARCH_NAME]; /* from the file asked for to the one that is read */
	char origin[2 * BUILD_DEPTH]
		   [256]; /* of each file in turn; one that inherits is there twice */
	struct build_place ports_said, units_said, width_said, laminate_said, pmu_said;
	struct build_place fact_said[UARCH_FACTS], cache_said[3];
	char ports[UARCH_PORTS][12], units[UARCH_PORTS][12];
	int port_count, unit_count, set_count, class_count, class_room, event_count;
	struct build_set set[BUILD_SETS];
	struct build_event event[BUILD_EVENTS];
	struct build_class *class;
};

/* One file on the way. */
struct reader {
	struct build *to;
	struct uarch_lines lines;
	int file, statements;
};

/* The index of a word in a list, or -1 and a failure that calls it `what`. */
int reader_find(
	struct reader *r, const char *what, const char *word, const char *const *names, int count);
/* Whether the line has so many words; else a failure that shows the form. */
bool reader_words(struct reader *r, int least, int most, const char *form);
/* Marks a fact as said here; false (and a failure) when this very file said it before. */
bool reader_say(struct reader *r, const char *what, struct build_place *place);
bool reader_said(struct reader *r, const char *what, int line);
bool reader_unsourced(struct reader *r);
/* NAME or NAME.WIDTH. */
bool reader_class_name(struct reader *r, const char *word, char *name);

struct build_class *build_find_class(struct build *to, const char *name);

/* What a line says, by its first word (uarch_facts.c). */
bool read_match(struct reader *r);
bool read_chain(struct reader *r);
bool read_fuse(struct reader *r);
bool read_unlaminate(struct reader *r);
bool read_fact(struct reader *r);
bool read_cache(struct reader *r);
bool read_unknown(struct reader *r);
bool read_pmu(struct reader *r); /* uarch_events.c */
bool read_event(struct reader *r);

/* The end: names of ports and sets become ports (uarch_resolve.c), and events get their PMU
 * (uarch_events.c). */
struct status build_finish(struct build *to, const char *origin);
struct status build_events(struct build *to);

/* The ports that names joined by commas stand for; false: *bad, *bad_length is the one that is
 * unknown. */
bool build_ports(struct build *to, const char *names, size_t length, uint32_t *ports,
	const char **bad, size_t *bad_length);

#endif
