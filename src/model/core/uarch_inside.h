/* Declarations for the files that read, resolve and compare core models. All other files use
 * uarch.h. */
#pragma once

#include "base/rows.h"
#include "model/core/uarch.h"

enum {
	UARCH_WORDS = 128,
	UARCH_RANGES = 16,
	UARCH_FEATURES = 6,
	UARCH_LIST = 120 /* size in bytes of a text that lists ports or micro-ops */
};

/* ---- A core model */

/* The numbers that a `match` line can state; each number is stated as a list of ranges. */
enum { ID_FAMILY, ID_MODEL, ID_STEPPING, ID_IMPLEMENTER, ID_PART, ID_NUMBERS };

struct uarch_ranges {
	int count; /* number of ranges that a number in a `match` line may lie in; 0: any number
		      fits */
	struct {
		unsigned low, high;
	} range[UARCH_RANGES];
};

/* A `match` line of a core file: conditions on the processor. */
struct uarch_id {
	char vendor[16];
	struct uarch_ranges number[ID_NUMBERS];
	int feature_count[2]; /* number of processor features in the `match` line: [0] counts
				 features after the word `with`, [1] those after `without` */
	char feature[2][UARCH_FEATURES][16];
};

/* One mnemonic of a `fuse` line: the instruction fuses with the branch after it, or with the copy,
 * the load or any instruction before it. */
enum fusion_kind { FUSION_BRANCH, FUSION_COPY, FUSION_LOAD, FUSION_ANY, FUSION_KINDS };

/* The end of the key of a `fuse` line, by kind: " after copy". */
extern const char *const uarch_fusion_after[FUSION_KINDS];

struct uarch_fusion {
	enum fusion_kind kind;
	char mnemonic[20];
	unsigned conditions; /* branch conditions that allow fusion: a bit for each condition in
				uarch_conditions() */
	unsigned unless;     /* exceptions that prevent fusion: a bit for each, from FUSE_MEMORY to
				FUSE_IMMEDIATE */
};

struct uarch_chain {
	char producer[UARCH_NAME], consumer[UARCH_NAME];
	double latency, spread;
	double slows; /* cycles by which such an operand makes the consumer take longer from its
			 other operands */
	uint32_t tags;
};

/* ---- The state while a core file is read */

enum {
	READER_FILES = 8, /* largest number of files of a core: its own file and the files that it
			     inherits from */
	READER_SETS = 48,
	READER_EVENTS = 160,
	READER_KEY = 64
};

/* The state while a core file is read, with the files that the core inherits from. All files are
 * read twice: first from the core's own file to the oldest ancestor, then in reverse order. If
 * several files of a core state the same fact, the fact of the file that inherits from the others
 * counts. */
struct reader {
	struct rows rows; /* rows of the current file */
	struct uarch *uarch;
	struct reader_file {
		char name[UARCH_NAME], origin[256], *text;
		int line; /* line number, in the inheriting core file, of the line `from` that names
			     this file */
	} from[READER_FILES]; /* from[0]: the core's own file; from[1]: the file that it inherits
				 from, and so on */
	int files, file, statements;
	bool again;   /* true during the second reading of the files */
	void *stated; /* search tree that maps each key to the file and line that state it (struct
			 stated in uarch_line.c) */

	/* The following fields describe the current line of a core file. */
	char *word[UARCH_WORDS];
	int words;   /* number of words of the line, without the marks such as [measured] at its end
		      */
	bool tagged; /* true: the line ends with marks in brackets that say where its numbers come
			from */
	bool measured; /* true: the line has the mark [measured], so its numbers may have a spread
			*/
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

/* ---- uarch_line.c. If a bool function of the core file reader fails, it sets the status of `rows`
 * (the lines of the file) and returns false. */

struct status sources_load(struct uarch_sources *sources);

/* Starts to read a text. rows_end() ends the reading. */
void reader_open(struct reader *r, const char *text, const char *origin);
/* Splits the next line of the core file into words, and reads the marks that say where each number
 * comes from, such as [measured]. Returns false at the end of the core file and after an error. */
bool reader_next(struct reader *r);

/* Whether the current line of the core file is used for a fact ("class fadd"): no inheriting core
 * file may state the fact, too. Fails if the current core file states the same fact, such as "class
 * fadd", twice. */
bool reader_claims(struct reader *r, const char *key);
/* The core file that states the fact called by a key such as "class fadd", as an index into `from`.
 * -1: no core file states the fact, or a line "unknown" removes the fact. */
int reader_file_of(const struct reader *r, const char *key);
/* Removes a fact, called by its key, that the core inherits from other core files. Returns whether
 * an inherited core file states the fact. */
bool reader_take_back(struct reader *r, const char *key);
void reader_forget(
	struct reader *r); /* frees the reader's table of the facts that core files have stated */

/* Writes the file and the number of the current line of a core file. If the path of the core file
 * is too long for `where`, the start of the path is left out. */
void reader_where(const struct reader *r, char *where, size_t size);

bool reader_unsourced(
	struct reader *r); /* Always fails: the message says that the current line of the core file
			      does not name the source of its numbers. */
/* Joins the words `from` to `to` - 1 of the current line of a core file with blanks. `what` names
 * the text in messages. */
bool reader_join(struct reader *r, int from, int to, const char *what, char *buffer, size_t size);
/* Reads a number. In a line of a core file that ends with the mark [measured], the number may have
 * a spread: 3±0.01. *spread is 0 if the number has no spread; the pointer may be NULL.
 * reader_number() cuts the spread from the word. */
bool reader_number(struct reader *r, const char *what, char *word, double least, double most,
	double *value, double *spread);

/* A name in a line of a core file that a number follows ("latency 4"). */
struct reader_pair {
	const char *name;
	double least, most, *value,
		*spread; /* the number must lie between `least` and `most`; value NULL: the pairs of
			    the line end at this name */
	bool *unknown;	 /* *unknown becomes true for "NAME unknown"; NULL: "unknown" is not allowed
			  */
};
/* Reads pairs of a name and a number, beginning with the word `at`. Returns the index of the word
 * after the last pair; -1: an error. */
int reader_pairs(struct reader *r, int at, const struct reader_pair *pairs, int count);

/* ---- uarch_classes.c: ports, sets, classes, chains and fusion */

bool read_ports(struct reader *r); /* Reads a line `ports` or `units` of a core file, which names
				      ports or other execution units. */
bool read_set(struct reader *r);
bool read_class(struct reader *r);
bool read_chain(struct reader *r);
bool read_crossing(struct reader *r);
bool read_fuse(struct reader *r);
bool read_unlaminate(struct reader *r);
/* Converts the names of ports, joined by commas, to bits. */
bool reader_ports(struct reader *r, const char *names, size_t length, uint32_t *ports);

/* ---- uarch_events.c: PMU and events */

extern const char event_form[];
bool read_pmu(struct reader *r);
bool read_event(struct reader *r);

/* ---- uarch_insn.c: how one instruction executes */

/* The exceptions of a `fuse` line: a bit for each word in uarch_exceptions. */
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
/* The ends of class names for each width: "" for no width, then ".8" … ".512". */
extern const char *const uarch_width_suffix[UARCH_WIDTHS];
/* Whether an instruction class with this name accesses memory. A class of loads or stores needs one
 * rename slot for any number of micro-ops. */
bool uarch_class_is_memory(const char *name);
/* Loads the instruction table, and finds the core's class for each class of the table. */
struct status uarch_bind(struct uarch *uarch);

/* ---- uarch.c */

/* Loads the text of a core's file. The caller frees the text. `origin` may be NULL (see
 * data_load()). */
struct status uarch_text(const char *name, char **text, char origin[256]);

/* ---- uarch_read.c */

/* Reads a core file without the instruction table. The result of uarch_read() is enough to
 * recognise a core. */
struct status uarch_read(const char *text, const char *origin, struct uarch **uarch);
/* Reads only the match lines (conditions on the processor) of a core file into id and id_count. The
 * rest of the file may be malformed. Returns false if a match line is malformed, or has a tag that
 * is not among the sources. */
bool uarch_read_matches(const char *text, const struct uarch_sources *sources, struct uarch *uarch);

/* ---- instruction_classes.c: the class of an instruction */

struct ops_class {
	char name[UARCH_NAME]; /* the name of the class must be the first field, because by_name()
				  compares classes as strings */
	int number;
	int fallback; /* number of the class that replaces this class on a core without it; -1: no
			 class */
	int line;     /* line number of the line that states the fallback */
};

struct uarch_ops {
	int rule_count, class_count;
	struct ops_rule *rule;
	struct ops_class **classes;
	void *by_name;	  /* search tree that finds classes by name */
	unsigned buckets; /* number of hash buckets, a power of two */
	int *bucket; /* index of the first instruction rule in each hash bucket; the last entry is
			for rules whose mnemonic has a * at the end */
};

/* Returns the instruction table ISA.ops. It is read at the first call for this instruction set, and
 * stays until the program ends: reading it takes as long as reading a core file, and a start of the
 * explorer reads several core files. */
struct status ops_load(const char *isa, const struct uarch_ops **ops);
/* Reads an instruction table. The caller frees it with ops_free(). */
struct status ops_parse(const char *text, const char *origin, struct uarch_ops **ops);
void ops_free(struct uarch_ops *ops);

enum { OPS_NONE = -2, OPS_MEMORY_ONLY = -1 };
/* The class number that the first fitting rule of the instruction table gives to the instruction.
 * OPS_MEMORY_ONLY: the rule has "-" in place of a class, for an instruction that is only a load or
 * store. OPS_NONE: no rule fits. */
int ops_find(const struct uarch_ops *ops, const struct insn *insn);

/* The number of the class with this name; a width at the end of the name (".64") is ignored. -1: no
 * rule names the class. */
int ops_class_find(const struct uarch_ops *ops, const char *name);
