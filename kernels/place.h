/* Knobs that say where and beside whom a kernel runs: the engine reads them by what they ask
 * (struct knob), the kernel's own code need not. Rows for a kernel's table:
 *
 *     [PAGES] = KNOB_ROW_PAGES, [NODE] = KNOB_ROW_NODE, [CORES] = KNOB_ROW_CORES,
 */
#ifndef SLX_KERNELS_PLACE_H
#define SLX_KERNELS_PLACE_H

#include "kernels/kernel.h"

/* "auto 4k huge", in the order of enum page_kind; "local 0 1 … 15". */
extern const char *const place_pages[];
extern const char *const place_nodes[];

/* Bytes that a stream goes through, at least: well beyond what most cores have of a last cache. */
#define STREAM_BYTES ((uint64_t)64 << 20)

/* All that one setting takes. */
struct need {
	int cores;	 /* that do the same at once, from 1 */
	int streams;	 /* others that stream */
	int processors;	 /* both together */
	uint64_t memory; /* bytes of all their working sets; UINT64_MAX: more than can be said */
};

struct need place_need(const struct kernel *kernel, const int64_t *v);

#define KNOB_ROW_PAGES                                                                \
	{                                                                             \
		.name = "pages",                                                      \
		.help = "pages behind the working set, where the system grants them", \
		.kind = KNOB_CHOICE, .choices = place_pages, .asks = ASKS_PAGES       \
	}
#define KNOB_ROW_NODE                                                             \
	{                                                                         \
		.name = "node", .help = "memory node that holds the working set", \
		.kind = KNOB_CHOICE, .choices = place_nodes, .asks = ASKS_NODE    \
	}
#define KNOB_ROW_CORES                                                                      \
	{                                                                                   \
		.name = "cores",                                                            \
		.help = "cores that do the same at once, each on a working set of its own", \
		.kind = KNOB_COUNT, .min = 1, .max = KNOB_MAX_CORES, .initial = 1,          \
		.asks = ASKS_CORES                                                          \
	}
#define KNOB_ROW_STREAMS                                                                       \
	{                                                                                      \
		.name = "streams", .help = "other cores that stream through memory meanwhile", \
		.kind = KNOB_COUNT, .min = 0, .max = KNOB_MAX_CORES, .initial = 0,             \
		.asks = ASKS_STREAMS                                                           \
	}

#endif
