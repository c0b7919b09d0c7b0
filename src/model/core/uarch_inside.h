/* The inside of a core model, for the files that read, resolve and compare models. Others use
 * uarch.h. */
#pragma once

#include "base/rows.h"
#include "model/core/uarch.h"

enum {
	UARCH_NAME = 24,
	UARCH_PMU = 32,
	UARCH_WORDS = 128,
	UARCH_SOURCES = 32,
	UARCH_RANGES = 16,
	UARCH_FEATURES = 6,
	UARCH_WIDTHS = 8, /* none, 8, 16, 32, 64, 128, 256, 512 bits */
	UARCH_LIST = 120  /* bytes of a list of ports or micro-ops */
};

/* ---- A core model */

/* Where a core file, or one that it inherits from, states something. file: index of struct build,
 * 0: nowhere. */
struct uarch_place {
	int file, line;
};

struct uarch_range {
	unsigned low, high;
};

/* A `match` line. */
struct uarch_id {
	char vendor[16];
	bool has_family, has_part;
	unsigned family, implementer;
	int model_count, stepping_count, part_count; /* 0: any */
	struct uarch_range model[UARCH_RANGES], stepping[UARCH_RANGES], part[UARCH_RANGES];
	int with_count, without_count;
	char with[UARCH_FEATURES][16], without[UARCH_FEATURES][16];
};

/* One mnemonic of a `fuse` line. */
struct uarch_fusion {
	enum fusion_kind {
		FUSION_BRANCH,
		FUSION_COPY,
		FUSION_LOAD
	} kind; /* before a branch; after
		   a copy; after a load */
	char mnemonic[20];
	bool all; /* with every condition */
	int condition_count;
	char condition[16][4];
	unsigned unless; /* a bit for each exception */
	struct uarch_place place;
};

struct uarch_chain {
	char producer[UARCH_NAME], consumer[UARCH_NAME];
	double latency, spread;
	uint32_t tags;
	struct uarch_place place;
};

/* The file "sources": what tags mean. */
struct uarch_sources {
	int count;
	char tag[UARCH_SOURCES][12];
	char text[UARCH_SOURCES][152];
};

struct uarch_ops;

struct uarch {
	char name[UARCH_NAME], title[64], isa[16];
	double width;
	int port_count, unit_count; /* units follow after the ports */
	char port[UARCH_PORTS][12];
	int class_count;
	struct uarch_class *class; /* sorted by name */
	int chain_count, fusion_count, id_count;
	struct uarch_chain *chain;
	struct uarch_fusion *fusion;
	struct uarch_id *id;
	enum { LAMINATE_UNKNOWN, LAMINATE_NEVER, LAMINATE_INDEXED } laminate;
	bool laminate_two_operand, laminate_stores; /* exceptions from LAMINATE_INDEXED */
	double fact[UARCH_FACTS];
	double width_spread, fact_spread[UARCH_FACTS]; /* ±; 0: not stated */
	int cache_count;
	struct uarch_cache cache[UARCH_CACHES];
	struct uarch_sources sources;
	char pmu[UARCH_PMU]; /* libpfm's name of its counters' PMU; "": none */
	int event_count;
	struct uarch_event *event;
	uint32_t tags; /* all sources of the file */

	/* Tables for uarch_insn(). */
	struct uarch_ops *ops;
	const struct uarch_class **resolved;		     /* [class number of ops][width] */
	const struct uarch_class *(*reserved)[UARCH_WIDTHS]; /* [enum reserved] */
};

/* ---- A file on its way into a core model */

enum {
	BUILD_DEPTH = 8, /* files that inherit from each other */
	BUILD_SETS = 48,
	BUILD_CLASSES = 1024,
	BUILD_LINES = 256,  /* of one kind */
	BUILD_EVENTS = 160, /* of all files together */
};

struct build_set {
	char name[12], members[UARCH_LIST];
	struct uarch_place place;
};

struct build_class {
	struct uarch_class facts;
	bool has_slots;
	char terms[UARCH_LIST];
	struct uarch_place place;
};

/* An `event` line. Its ports and its PMU are resolved at the end. */
struct build_event {
	enum event_role role;
	char of[UARCH_LIST];	 /* ports joined by commas, or words; "": neither */
	char name[COUNTER_NAME]; /* "none": takes back an inherited event */
	uint32_t tags;
	struct uarch_place place;
};

/* A core file and the files that it inherits from. Sets, classes and events keep the text of their
 * lines until the end, so that a core can redefine ports and sets, and inherited lines follow. */
struct build {
	struct uarch *uarch;
	int depth, files;
	char name[BUILD_DEPTH][UARCH_NAME];    /* the files that are open, outermost first */
	char origin[2 * BUILD_DEPTH + 1][256]; /* by file; a file that inherits has two numbers */
	struct uarch_place ports_place, units_place, width_place, laminate_place, pmu_place;
	struct uarch_place fact_place[UARCH_FACTS], cache_place[3];
	char ports[UARCH_PORTS][12], units[UARCH_PORTS][12];
	int port_count, unit_count, set_count, class_count, class_room, event_count;
	struct build_set set[BUILD_SETS];
	struct build_event event[BUILD_EVENTS];
	struct build_class *class;
};

/* One file, and its current line. */
struct reader {
	struct rows rows;
	struct build *to;
	int file, statements;
	const struct uarch_sources *sources;
	char *word[UARCH_WORDS];
	int words;     /* without the sources */
	bool tagged;   /* the line has sources, in brackets */
	bool measured; /* [measured] is one of them: numbers may have a spread */
	uint32_t tags;
	double spread; /* of the last reader_number(); 0: none */
};

/* ---- uarch_line.c. A function that fails sets the status of rows and returns false. */

struct status sources_load(struct uarch_sources *sources);

/* The next line with words; false at the end and after a failure. */
bool reader_next(struct reader *r);
/* Whether the line has from `least` to `most` words; a failure shows the form. */
bool reader_words(struct reader *r, int least, int most, const char *form);
/* Marks something as stated here; fails when this very file stated it before. */
bool reader_state(struct reader *r, const char *what, struct uarch_place *place);
bool reader_unsourced(struct reader *r); /* fails */
/* Words from `from` to the end, joined by blanks. */
bool reader_join(struct reader *r, int from, const char *what, char *buffer, size_t size);
/* A number, with a spread in a measured line: 3±0.01. */
bool reader_number(struct reader *r, const char *what, const char *word, double least, double most,
	double *value);
/* NAME or NAME.WIDTH. */
bool reader_class_name(struct reader *r, const char *word, char name[UARCH_NAME]);

/* ---- uarch_classes.c: ports, sets and classes */

bool read_ports(struct reader *r); /* and units */
bool read_set(struct reader *r);
bool read_class(struct reader *r);
/* Takes back an inherited class. */
bool forget_class(struct reader *r, const char *name);
/* Turns names into ports. */
struct status finish_classes(struct build *to);
/* The ports of names joined by commas; false: *bad, *bad_length is the unknown name. */
bool find_ports(struct build *to, const char *names, size_t length, uint32_t *ports,
	const char **bad, size_t *bad_length);

/* ---- uarch_events.c: PMU and events */

bool read_pmu(struct reader *r);
bool read_event(struct reader *r);
struct status finish_events(struct build *to);

/* ---- uarch_insn.c: how one instruction executes */

bool read_fuse(struct reader *r);
bool read_unlaminate(struct reader *r);
/* Whether classes of that name access memory: they take one slot for any number of micro-ops. */
bool uarch_class_is_memory(const char *name);
/* Loads the table of instructions, and looks up every class once. */
struct status uarch_bind(struct uarch *uarch);

/* ---- uarch_read.c */

/* Reads a file without the table of instructions: enough to recognise a core. */
struct status uarch_read(const char *text, const char *origin, struct uarch **uarch);

/* ---- instruction_classes.c: the class of an instruction */

/* Loads ISA.ops; the caller frees. */
struct status ops_load(const char *isa, struct uarch_ops **ops);
struct status ops_parse(const char *text, const char *origin, struct uarch_ops **ops);
void ops_free(struct uarch_ops *ops);

enum { OPS_NONE = -2, OPS_MEMORY_ONLY = -1 };
/* The number of the class in the first rule that fits; OPS_MEMORY_ONLY: the rule says "-";
 * OPS_NONE: no rule fits. */
int ops_find(const struct uarch_ops *ops, const struct insn *insn);

int ops_class_count(const struct uarch_ops *ops);
const char *ops_class(const struct uarch_ops *ops, int number);
/* The number of a class of that name; -1: no rule names it. */
int ops_class_find(const struct uarch_ops *ops, const char *name);
/* The class that stands in for it, or -1. */
int ops_fallback(const struct uarch_ops *ops, int number);
