/* A list of all speed limits of a loop, one row each. A new limit needs a row here, a row in
 * data/limits, a call of limits_add() in the file of its group (limits_*.c), and its name in the
 * manual.
 *
 *     LIMIT(identifier, hardness, resource, rank, name, title)
 *
 * hardness  HARD: a lower bound; a correct measurement is never below a hard limit.
 *           SOFT: an estimate of a known effect; a loop may run faster than a soft limit.
 * resource  the kind of resource that limits the loop, from enum limit_resource
 * rank      if two limits are equal, the limit of lower rank is named first: it is more specific
 * name      short name of the limit in scripts, records and the manual
 * title     name of the limit in text for the user
 *
 * limits.h and limit_words.c include this file, and define LIMIT() for their own use. */

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
LIMIT(LOOP_BUFFER, SOFT, PIPELINE, 20, "loop-buffer", "loop buffer")
LIMIT(SCHEDULING, SOFT, PORTS, 20, "scheduling", "port conflicts")
LIMIT(SATURATION, SOFT, PORTS, 20, "alu-saturation", "integer unit saturation")
LIMIT(MISPREDICTION, SOFT, PIPELINE, 20, "misprediction", "branch misprediction")
LIMIT(FORWARDING, SOFT, CHAIN, 20, "forwarding", "store forwarding")
LIMIT(PAGE_WALKS, SOFT, MEMORY, 20, "page-walks", "page table walks")
LIMIT(ALIASING, SOFT, PIPELINE, 20, "4k-aliasing", "4 KiB aliasing")
LIMIT(UNLAMINATION, SOFT, PIPELINE, 20, "un-lamination", "split micro-ops")
LIMIT(EVICTED, SOFT, MEMORY, 20, "evicted-lines", "evicted lines")
LIMIT(WINDOW, SOFT, MEMORY, 20, "window", "out-of-order window")
#undef LIMIT
