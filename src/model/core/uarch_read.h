/* Inside the core models: what the files uarch*.c share. Others read uarch.h. */
#ifndef SLX_MODEL_CORE_UARCH_READ_H
#define SLX_MODEL_CORE_UARCH_READ_H

#include "model/core/uarch.h"
#include "model/counts/events.h"

enum {
	UARCH_NAME = 24,
	UARCH_PMU = 32,
	UARCH_WORDS = 128,
	UARCH_SOURCES = 32,
	UARCH_RANGES = 16,
	UARCH_FEATURES = 6,
	UARCH_WIDTHS = 8 /* none, 8, 16, 32, 64, 128, 256, 512 bits */
};

/* ---- Lines of words (uarch_lines.c) */

/* What the tags stand for: the file "sources". */
struct uarch_sources {
	int count;
	char tag[UARCH_SOURCES][12];
	char text[UARCH_SOURCES][152];
};

/* Goes through a text line by line. Comments and empty lines are passed over. */
struct uarch_lines {
	const char *origin;
	const struct uarch_sources
		*sources; /* not NULL: a last word in brackets is taken off as the line's tags */
	const char *next;
	int line;
	char *buffer;
	size_t room;
	char *word[UARCH_WORDS];
	int words;
	bool tagged;
	bool measured; /* [measured] is among the tags: numbers may have their spread beside them */
	double spread; /* of the number that was read last, 0 when it has none */
	uint32_t tags;
	struct status status;
};

void lines_begin(struct uarch_lines *lines, const char *text, const char *origin,
	const struct uarch_sources *sources);
/* The next line that has words: true. False at the end, and once status is not OK. */
bool lines_next(struct uarch_lines *lines);
void lines_end(struct uarch_lines *lines);

/* Sets the status to "ORIGIN:LINE: …", unless it already is a failure. Always false. */
bool lines_fail(struct uarch_lines *lines, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct status lines_status(const char *origin, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Words `from` up to the end joined by blanks; false (and a failure that calls it `what`) when
 * there is no room. */
bool lines_join(struct uarch_lines *lines, int from, const char *what, char *buffer, size_t size);

/* A decimal number without sign or exponent, whatever the locale. */
bool lines_decimal(const char *word, size_t length, double *value);
/* The same, within bounds, and with a spread behind it where that may be (3±0.01); what: names it
 * in messages. */
bool lines_number(struct uarch_lines *lines, const char *word, const char *what, double least,
	double most, double *value);
/* Letters, digits, and any of `more`, of less than `size` bytes: copied. */
bool lines_name(struct uarch_lines *lines, const char *word, const char *what, const char *more,
	char *name, size_t size);
/* The names near a mistyped one, or some of them all: "zen3 or zen4", "one of zen3, zen4". */
void lines_names(
	const char *word, const char *const *names, size_t count, char *buffer, size_t size);
/* Fails with "unknown WHAT "word": near are …, or one of …". */
bool lines_unknown(struct uarch_lines *lines, const char *what, const char *word,
	const char *const *names, size_t count);

struct status sources_load(struct uarch_sources *sources);

/* ---- Which instruction is of which class (uarch_ops.c) */

struct uarch_ops;

/* Loads NAME.ops of an instruction set; the caller frees. */
struct status ops_load(const char *isa, struct uarch_ops **ops);
struct status ops_parse(const char *text, const char *origin, struct uarch_ops **ops);
void ops_free(struct uarch_ops *ops);

enum { OPS_NONE = -2, OPS_MEMORY_ONLY = -1 };
/* The number of the class whose rule comes first; OPS_MEMORY_ONLY: the rule says "-"; OPS_NONE: no
 * rule fits. */
int ops_find(const struct uarch_ops *ops, const struct insn *insn);

int ops_class_count(const struct uarch_ops *ops);
const char *ops_class(const struct uarch_ops *ops, int number);
/* The number of a class of that name, -1 when no rule names it. */
int ops_class_find(const struct uarch_ops *ops, const char *name);
/* The class that stands in for it, or -1. */
int ops_fallback(const struct uarch_ops *ops, int number);

/* ---- A core */

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

enum fusion_kind {
	FUSION_BRANCH,
	FUSION_COPY,
	FUSION_LOAD
}; /* before a branch; behind a copy; behind a load */

struct uarch_fusion {
	enum fusion_kind kind;
	char mnemonic[20];
	bool all;
	int condition_count;
	char condition[16][4];
	unsigned unless;
	int file, line;
};

struct uarch_chain {
	char producer[UARCH_NAME], consumer[UARCH_NAME];
	double latency, spread;
	uint32_t tags;
	int file, line;
};

enum {
	FUSE_MEMORY = 1,
	FUSE_MEMORY_IMMEDIATE = 2,
	FUSE_RELATIVE = 4,
	FUSE_STORE = 8,
	FUSE_IMMEDIATE = 16
};
enum { LAMINATE_UNKNOWN, LAMINATE_NEVER, LAMINATE_INDEXED };

/* Classes that are looked up by what an instruction is, not by its name: the reserved ones. */
enum uarch_reserved {
	RESERVED_ZERO,
	RESERVED_MOVE,
	RESERVED_VMOVE,
	RESERVED_BRANCH,
	RESERVED_TAKEN,
	RESERVED_JUMP,
	RESERVED_INDIRECT,
	RESERVED_CALL,
	RESERVED_RETURN,
	RESERVED_LOAD,
	RESERVED_VLOAD,
	RESERVED_STORE,
	RESERVED_VSTORE,
	RESERVED_STORE_COMPLEX,
	RESERVED_VSTORE_COMPLEX,
	RESERVED_LOAD_PAIR,
	RESERVED_VLOAD_PAIR,
	RESERVED_STORE_PAIR,
	RESERVED_VSTORE_PAIR,
	RESERVED_GATHER,
	RESERVED_SCATTER,
	RESERVED_WRITEBACK,
	RESERVED_MODIFY,
	RESERVED_COUNT
};
extern const char *const uarch_reserved_name[RESERVED_COUNT];
/* Whether a class of that name is of a memory access: one slot whatever its micro-ops. */
bool uarch_reserved_is_memory(const char *name);

struct uarch {
	char name[UARCH_NAME], title[64], isa[16];
	double width;
	int port_count, unit_count; /* units stand behind the ports */
	char port[UARCH_PORTS][12];
	int class_count;
	struct uarch_class *class; /* sorted by name */
	int chain_count, fusion_count, id_count;
	struct uarch_chain *chain;
	struct uarch_fusion *fusion;
	struct uarch_id *id;
	int laminate;
	bool laminate_two_operand, laminate_stores;
	double fact[UARCH_FACTS];
	double width_spread, fact_spread[UARCH_FACTS]; /* ±; 0: not said */
	int cache_count;
	struct uarch_cache cache[UARCH_CACHES];
	struct uarch_sources sources;
	char pmu[UARCH_PMU]; /* libpfm's name of its counters' PMU; "" none */
	int event_count;
	struct uarch_event *event;
	uint32_t tags; /* all that the file uses */

	struct uarch_ops *ops;
	const struct uarch_class **resolved; /* [class number of ops][width] */
	const struct uarch_class *reserved[RESERVED_COUNT][UARCH_WIDTHS];
};

/* Reads a file without the tables of instructions: enough to recognise a core. */
struct status uarch_read(const char *text, const char *origin, struct uarch **uarch);
/* Adds them, and looks up every class once. */
struct status uarch_bind(struct uarch *uarch);
#endif
