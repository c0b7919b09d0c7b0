/* Macros for the rows of the knob tables of kernels. Additional fields of struct knob are the last
 * arguments, by name:
 *
 *     [UNROLL] = KNOB_ROW_COUNT("unroll", "elements in an iteration", 1, 8, 1, .role = KNOB_FORM),
 *
 * The rows KNOB_ROW_PAGES, KNOB_ROW_NODE, KNOB_ROW_CORES and KNOB_ROW_STREAMS define knobs for
 * memory and cores. The engine, which measures, reads the values of the knobs pages, node, cores
 * and streams. */
#pragma once

#include "kernels/kernel.h"

#define KERNEL_KNOBS(rows) .knobs = (rows), .knob_count = sizeof(rows) / sizeof((rows)[0])

#define KERNEL_RULES(rows) .rules = (rows), .rule_count = sizeof(rows) / sizeof((rows)[0])

#define KNOB_ROW_COUNT(name_is, help_is, min_is, max_is, initial_is, ...)                  \
	{                                                                                  \
		.name = (name_is), .help = (help_is), .kind = KNOB_COUNT, .min = (min_is), \
		.max = (max_is), .initial = (initial_is), __VA_ARGS__                      \
	}
#define KNOB_ROW_CHOICE(name_is, help_is, names, ...)                                          \
	{                                                                                      \
		.name = (name_is), .help = (help_is), .kind = KNOB_CHOICE, .choices = (names), \
		__VA_ARGS__                                                                    \
	}
#define KNOB_ROW_BYTES(name_is, help_is, min_is, max_is, initial_is, ...)                  \
	{                                                                                  \
		.name = (name_is), .help = (help_is), .kind = KNOB_BYTES, .min = (min_is), \
		.max = (max_is), .initial = (initial_is), __VA_ARGS__                      \
	}
/* KNOB_WORD: the bytes of the largest element. A size that is no multiple of them ends within an
 * element, which the loop would not read. */
#define KNOB_WORD 8
#define KNOB_ROW_SIZE(help_is, initial_is, ...)                                               \
	KNOB_ROW_BYTES("size", help_is, 4096, KNOB_MAX_MEMORY, initial_is, .axis = AXIS_SIZE, \
		.multiple = KNOB_WORD, .factor = 2, __VA_ARGS__)

/* The names of choices. knob_pages: "auto", "4k", "huge", in the order of enum page_kind.
 * knob_nodes: "local", "0", "1" … "15". */
extern const char *const knob_pages[];
extern const char *const knob_nodes[];

#define KNOB_ROW_PAGES                                                                       \
	KNOB_ROW_CHOICE("pages", "page size of the working set, where the system grants it", \
		knob_pages, .asks = ASKS_PAGES)
#define KNOB_ROW_NODE \
	KNOB_ROW_CHOICE("node", "memory node of the working set", knob_nodes, .asks = ASKS_NODE)
#define KNOB_ROW_CORES                                                                            \
	KNOB_ROW_COUNT("cores", "cores that run the kernel at once, each on its own working set", \
		1, KNOB_MAX_CORES, 1, .asks = ASKS_CORES)
#define KNOB_ROW_STREAMS                                                                        \
	KNOB_ROW_COUNT("streams", "other cores that stream through memory at the same time", 0, \
		KNOB_MAX_CORES, 0, .asks = ASKS_STREAMS)
