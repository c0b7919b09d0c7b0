/* Every limit, one row each. A new limit needs a row here, a row in data/limits, a call of
 * limits_add() in the file of its group (limits_*.c), and its name in the manual.
 *
 *     LIMIT(identifier, hardness, resource, rank, name, title)
 *
 * hardness  HARD: a lower bound; a correct measurement is never below it. SOFT: a known effect that
 *           usually costs this much, but is no bound.
 * resource  the resource that binds, from enum limit_resource
 * rank      of two equal limits, the limit of lower rank is named first: it is more specific
 * name      for scripts, records and the manual
 * title     for people
 *
 * The formats of all causes are here, too. limits.h and limit_words.c include the rows, and define
 * LIMIT() as they need it. */
#ifndef SLX_MODEL_LIMITS_LIMIT_ROWS_H
#define SLX_MODEL_LIMITS_LIMIT_ROWS_H

/* ---- Causes: formats for limits_add() and limits_add_unknown() */

/* Formats that several limits share. */
#define CAUSE_RATE	    "%s %s, %s a cycle"
#define CAUSE_NOT_MEASURED  "%s %s of this machine not measured yet"
#define CAUSE_NOT_IN_FILE   "%s %s is not in the file of this core"
#define CAUSE_NO_CACHE_SIZE "size of the %s cache is not known"

/* The core: rates, ports, the first-level cache. */
#define CAUSE_PORTS	     "%s on %s"
#define CAUSE_UNIT	     "%s, %s cycles of %s"
#define CAUSE_SPLITS	     "%s %s%s; %s of them cross a line and count as %s"
#define CAUSE_SPLITS_UNKNOWN "%s %ss cross a line; the cost of that is not known"
#define CAUSE_BANKS	     "%s load%s at the same offset in their lines, %s a cycle from one bank"
#define CAUSE_STORE_LINES    "%s store%s, %s line%s a cycle: few neighbours share a line"

/* Chains and memory. */
#define CAUSE_CHAIN "chain of %s: %s cycle%s"
#define CAUSE_CHAIN_AGAIN \
	"chain of %s: %s cycle%s; a new one begins every %s%s, and up to %.0f of them overlap"
#define CAUSE_LOADS_IN_TURN "%s load%s one after the other: %s%s"
#define CAUSE_CHAINED_LOADS "%s chained load%s at %s cycles: %s"
#define CAUSE_LINES	    "%s line%s at %s a cycle: %s"
#define CAUSE_MISSES	    "misses of %s cycles, %s at a time %s"
#define CAUSE_WINDOW	    "misses of %s cycles, %s at a time: the %s entries of %s fill up between them"

/* The front end. */
#define CAUSE_DECODED_BYTES  "%s%s code bytes, %s a cycle from the decoders"
#define CAUSE_DECODED	     "%s%s instructions, %s decoded a cycle"
#define CAUSE_DECODE_UNKNOWN "%sthe decoding rate of this core is not known"
#define CAUSE_OPCACHE	     "%s micro-ops, %s a cycle from the op cache"
#define CAUSE_ALIGNMENT	     "%s micro-ops in %s lines of code, %s a cycle from each"
#define CAUSE_UNLAMINATION   "%s micro-ops, %s of them split off for indexed addresses, %s a cycle"

/* Execution. */
#define CAUSE_SATURATION       "%s integer operations next to loads, about %s a cycle"
#define CAUSE_SCHEDULING       "ports chosen at rename, before operations are ready: %s cycles"
#define CAUSE_FORWARDING       "store to load through the store queue: %s cycles"
#define CAUSE_FORWARDING_MAYBE "%s cycles whenever the core does not link a load to its store"
#define CAUSE_ALIASING	       "%s load%s a multiple of 4 KiB from a recent store; cost not known"

/* Page walks and mispredictions, on top of the binding limit. */
#define CAUSE_WALKS "the binding limit, and %s %% of %sloads miss the first TLB: +%s"
#define CAUSE_WALKS_OVERLAP \
	"more pages than the %s entries of the first TLB; the overlap of page walks is not known"
#define CAUSE_WALKS_COST "%.0f %% of chained loads miss the first TLB; cost not known"
#define CAUSE_BRANCHES \
	"%s branches that depend on the data: +%s cycles until the predictor has learnt them"
#define CAUSE_BRANCHES_COST \
	"%s branches that depend on the data; the cost of a misprediction is not known"
#define CAUSE_MISPREDICTED_COST "%s mispredictions; the cost of one is not known"
#define CAUSE_MISPREDICTED_LATE \
	"the binding limit, and %s mispredictions of %s cycles, after a load of %s"
#define CAUSE_MISPREDICTED_CHAINS "chains that do not overlap, and %s mispredictions of %s cycles"
#define CAUSE_MISPREDICTED	  "the binding limit, and %s mispredictions of %s cycles"

#endif

/* ---- The rows */

LIMIT(WIDTH, HARD, PIPELINE, 12, "width", "pipeline width")
LIMIT(PORTS, HARD, PORTS, 11, "ports", "port pressure")
LIMIT(DIVIDER, HARD, PORTS, 3, "divider", "divider")
LIMIT(LOADS, HARD, PIPELINE, 6, "loads", "load throughput")
LIMIT(VECTOR_LOADS, HARD, PIPELINE, 5, "vector-loads", "vector load throughput")
LIMIT(STORES, HARD, PIPELINE, 7, "stores", "store throughput")
LIMIT(ADDRESSES, HARD, PIPELINE, 9, "addresses", "address generation")
LIMIT(COMPLEX, HARD, PIPELINE, 8, "complex-addressing", "complex addressing")
LIMIT(SPLITS, HARD, PIPELINE, 4, "split-lines", "split cache lines")
LIMIT(BANKS, HARD, PIPELINE, 4, "bank-conflicts", "bank conflicts")
LIMIT(STORE_LINES, HARD, PIPELINE, 5, "store-lines", "lines stored to")
LIMIT(TAKEN, HARD, PIPELINE, 10, "taken-branches", "taken branches")
LIMIT(LATENCY, HARD, CHAIN, 2, "latency", "loop-carried latency")
LIMIT(MEMORY_LATENCY, HARD, MEMORY, 0, "memory-latency", "memory latency")
LIMIT(MEMORY_LINES, HARD, MEMORY, 1, "memory-lines", "memory bandwidth")
LIMIT(MISSES, HARD, MEMORY, 1, "misses-in-flight", "misses in flight")
LIMIT(ALIGNMENT, SOFT, PIPELINE, 20, "alignment", "code alignment")
LIMIT(OPCACHE, SOFT, PIPELINE, 20, "op-cache", "op cache")
LIMIT(DECODE, SOFT, PIPELINE, 20, "decode", "instruction decoding")
LIMIT(SCHEDULING, SOFT, PORTS, 20, "scheduling", "port conflicts")
LIMIT(SATURATION, SOFT, PORTS, 20, "alu-saturation", "integer unit saturation")
LIMIT(MISPREDICTION, SOFT, PIPELINE, 20, "misprediction", "branch misprediction")
LIMIT(FORWARDING, SOFT, CHAIN, 20, "forwarding", "store forwarding")
LIMIT(PAGE_WALKS, SOFT, MEMORY, 20, "page-walks", "page table walks")
LIMIT(ALIASING, SOFT, PIPELINE, 20, "4k-aliasing", "4 KiB aliasing")
LIMIT(UNLAMINATION, SOFT, PIPELINE, 20, "un-lamination", "split micro-ops")
LIMIT(WINDOW, SOFT, MEMORY, 20, "window", "out-of-order window")
#undef LIMIT
