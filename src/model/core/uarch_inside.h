/* The inside of a core model, for the files that read, resolve and compare models. Other files use
 * uarch.h. */
#pragma once

#include "base/rows.h"
#include "model/core/uarch.h"

enum {
	UARCH_WORDS = 128,
	UARCH_RANGES = 16,
	UARCH_FEATURES = 6,
	UARCH_LIST = 120 /* bytes for a list of ports or micro-ops */
};

/* ---- A core model */

/* The numbers of a `match` line. Each is a list of ranges. */
enum { ID_FAMILY, ID_MODEL, ID_STEPPING, ID_IMPLEMENTER, ID_PART, ID_NUMBERS };

struct uarch_ranges {
	int count; /* 0: any number fits */
	struct {
		unsigned low, high;
	} range[UARCH_RANGES];
};

/* A `match` line. */
struct uarch_id {
	char vendor[16];
	struct uarch_ranges number[ID_NUMBERS];
	int feature_count[2]; /* features after `with`, features after `without` */
	char feature[2][UARCH_FEATURES][16];
};

/* One mnemonic of a `fuse` line. It fuses with the branch after it, or with the copy or load before
 * it. */
enum fusion_kind { FUSION_BRANCH, FUSION_COPY, FUSION_LOAD };

struct uarch_fusion {
	enum fusion_kind kind;
	char mnemonic[20];
	unsigned conditions; /* a bit for each of uarch_conditions() */
	unsigned unless;     /* a bit for each exception, see FUSE_MEMORY */
};

struct uarch_chain {
	char producer[UARCH_NAME], consumer[UARCH_NAME];
	double latency, spread;
	uint32_t tags;
};

/* ---- Reading a core file */

enum {
	READER_FILES = 8, /* files: a core file and the files that it inherits from */
	READER_SETS = 48,
	READER_EVENTS = 160,
	READER_KEY = 64
};

/* Reads a core file and the files that it inherits from. They are read twice: first from the core's
 * own file to the oldest one, then in reverse order. If several files state the same thing, the
 * youngest file counts. */
struct reader {
	struct rows rows; /* of the current file */
	struct uarch *uarch;
	struct reader_file {
		char name[UARCH_NAME], origin[256], *text;
		int line;     /* the line of the younger file that names this file */
	} from[READER_FILES]; /* from[0]: the core's own file */
	int files, file, statements;
	bool again;   /* true during the second reading */
	void *stated; /* a search tree of struct stated, see uarch_line.c */

	/* The current line. */
	char *word[UARCH_WORDS];
	int words;     /* number of words, without the sources */
	bool tagged;   /* the line ends with sources in brackets */
	bool measured; /* one source is [measured]: only then may numbers have a spread */
	uint32_t tags;

	int unit_count, set_count;
	char unit[UARCH_PORTS][12];
	struct reader_set {
		char name[12], members[UARCH_LIST];
	} set[READER_SETS];
	struct event_place {
		int file, line;
	} event_place[READER_EVENTS]; /* the file and line of each event of the core */
};

/* ---- uarch_line.c. A function that fails sets the status of `rows` and returns false. */

struct status sources_load(struct uarch_sources *sources);

/* Starts to read a text. rows_end() ends it. */
void reader_open(struct reader *r, const char *text, const char *origin);
/* Splits the next line into words and reads its sources. Returns false at the end and after an
 * error. */
bool reader_next(struct reader *r);

/* Whether the current line counts for the key ("class fadd"), because no younger file states it. It
 * is an error if this file states it twice. */
bool reader_claims(struct reader *r, const char *key);
/* The file that states the key, as an index into `from`. -1: no file states it, or a line "unknown"
 * removes it. */
int reader_file_of(const struct reader *r, const char *key);
/* Removes what older files state for the key. Returns whether an older file states it. */
bool reader_take_back(struct reader *r, const char *key);
void reader_forget(struct reader *r); /* frees all keys */

bool reader_unsourced(struct reader *r); /* fails: the line has no source */
/* Joins the words `from` to `to` (not included) with blanks. */
bool reader_join(struct reader *r, int from, int to, const char *what, char *buffer, size_t size);
/* Reads a number. In a measured line, it may have a spread: 3±0.01. *spread (spread may be NULL) is
 * 0 without a spread. The spread is cut from the word. */
bool reader_number(struct reader *r, const char *what, char *word, double least, double most,
	double *value, double *spread);

/* A name that is followed by a number. */
struct reader_pair {
	const char *name;
	double least, most, *value, *spread; /* value NULL: the list of pairs ends at this name */
	bool *unknown; /* set to true for "NAME unknown"; NULL: "unknown" is not allowed */
};
/* Reads pairs, beginning with the word `at`. Returns the index after the last pair; -1: an error.
 */
int reader_pairs(struct reader *r, int at, const struct reader_pair *pairs, int count);

/* ---- uarch_classes.c: ports, sets, classes, chains and fusion */

bool read_ports(struct reader *r); /* also for `units` */
bool read_set(struct reader *r);
bool read_class(struct reader *r);
bool read_chain(struct reader *r);
bool read_fuse(struct reader *r);
bool read_unlaminate(struct reader *r);
/* Converts the names of ports, joined by commas, to bits. */
bool reader_ports(struct reader *r, const char *names, size_t length, uint32_t *ports);

/* ---- uarch_events.c: PMU and events */

extern const char event_form[];
bool read_pmu(struct reader *r);
bool read_event(struct reader *r);

/* ---- uarch_insn.c: how one instruction executes */

/* The exceptions of a `fuse` line, a bit for each of uarch_exceptions. */
enum {
	FUSE_MEMORY = 1,
	FUSE_MEMORY_IMMEDIATE = 2,
	FUSE_RELATIVE = 4,
	FUSE_STORE = 8,
	FUSE_IMMEDIATE = 16,
	EXCEPTIONS = 5
};
extern const char *const uarch_exceptions[EXCEPTIONS];

/* The names of the branch conditions, ended by NULL: pairs of a condition and its inverse. */
const char *const *uarch_conditions(const char *isa);
/* ".8" … ".512"; the first: "". */
extern const char *const uarch_width_suffix[UARCH_WIDTHS];
/* Whether a class with this name accesses memory. Such a class needs one slot for any number of
 * micro-ops. */
bool uarch_class_is_memory(const char *name);
/* Loads the instruction table, and resolves all classes. */
struct status uarch_bind(struct uarch *uarch);

/* ---- uarch.c */

/* Loads the text of a core's file, which the caller frees. origin may be NULL (see data_load()). */
struct status uarch_text(const char *name, char **text, char origin[256]);

/* ---- uarch_read.c */

/* Reads a core file without the instruction table. This is enough to recognise a core. */
struct status uarch_read(const char *text, const char *origin, struct uarch **uarch);
/* Reads only the match lines of a file into id and id_count. The rest of the file may be malformed.
 * Returns false if a match line is malformed. */
bool uarch_read_matches(const char *text, struct uarch *uarch);

/* ---- instruction_classes.c: the class of an instruction */

struct ops_class {
	char name[UARCH_NAME]; /* first: by_name compares the classes as strings */
	int number;
	int fallback; /* the class that replaces this class on a core without it; -1: none */
	int line;     /* the line that states the fallback */
};

struct uarch_ops {
	int rule_count, class_count;
	struct ops_rule *rule;
	struct ops_class **classes;
	void *by_name;	  /* search tree of the classes, by name */
	unsigned buckets; /* a power of two */
	int *bucket;	  /* the first rule of each list; the last list has the starred rules */
};

/* Loads ISA.ops. The caller frees it. */
struct status ops_load(const char *isa, struct uarch_ops **ops);
struct status ops_parse(const char *text, const char *origin, struct uarch_ops **ops);
void ops_free(struct uarch_ops *ops);

enum { OPS_NONE = -2, OPS_MEMORY_ONLY = -1 };
/* The class number in the first rule that fits. OPS_MEMORY_ONLY: the rule says "-". OPS_NONE: no
 * rule fits. */
int ops_find(const struct uarch_ops *ops, const struct insn *insn);

/* The number of the class with this name; a width after it (".64") is ignored. -1: no rule names
 * the class. */
int ops_class_find(const struct uarch_ops *ops, const char *name);
