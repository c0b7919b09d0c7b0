/* A list of all speed limits of a loop, one row each. A new limit needs a row here, a row in
 * data/limits, a call of limits_add() in the file of its group (limits_*.c), and its name in the
 * manual.
 *
 *     LIMIT(identifier, hardness, resource, rank, name)
 *
 * hardness  HARD: a lower bound; a correct measurement is never below a hard limit.
 *           SOFT: an estimate of a known effect; a loop may run faster than a soft limit.
 * resource: the kind of resource */

LIMIT(WIDTH, HARD, PIPELINE, 12, "width")
LIMIT(PORTS, HARD, PORTS, 11, "ports")
LIMIT(DIVIDER, HARD, PORTS, 3, "divider")
LIMIT(UNIT, HARD, PORTS, 3, "busy-unit")
LIMIT(LOADS, HARD, PIPELINE, 6, "loads")
LIMIT(VECTOR_LOADS, HARD, PIPELINE, 5, "vector-loads")
LIMIT(STORES, HARD, PIPELINE, 7, "stores")
LIMIT(ADDRESSES, HARD, PIPELINE, 9, "addresses")
LIMIT(COMPLEX, HARD, PIPELINE, 8, "complex-addressing")
LIMIT(SPLITS, HARD, PIPELINE, 4, "split-lines")
LIMIT(BANKS, HARD, PIPELINE, 4, "bank-conflicts")
LIMIT(STORE_LINES, HARD, PIPELINE, 5, "store-lines")
LIMIT(TAKEN, HARD, PIPELINE, 10, "taken-branches")
LIMIT(LATENCY, HARD, CHAIN, 2, "latency")
LIMIT(MEMORY_LATENCY, HARD, MEMORY, 0, "memory-latency")
LIMIT(MEMORY_LINES, HARD, MEMORY, 1, "memory-lines")
LIMIT(MISSES, HARD, MEMORY, 1, "misses-in-flight")
LIMIT(ALIGNMENT, SOFT, PIPELINE, 20, "alignment")
LIMIT(OPCACHE, SOFT, PIPELINE, 20, "op-cache")
LIMIT(DECODE, SOFT, PIPELINE, 20, "decode")
LIMIT(LOOP_BUFFER, SOFT, PIPELINE, 20, "loop-buffer")
LIMIT(LOOP_EXITS, SOFT, PIPELINE, 20, "loop-exits")
LIMIT(DENSE_BRANCHES, SOFT, PIPELINE, 20, "dense-branches")
LIMIT(SCHEDULING, SOFT, PORTS, 20, "scheduling")
LIMIT(MISPREDICTION, SOFT, PIPELINE, 20, "misprediction")
LIMIT(SPLIT_STORES, SOFT, PIPELINE, 20, "split-stores")
LIMIT(FORWARDING, SOFT, CHAIN, 20, "forwarding")
LIMIT(PAGE_WALKS, SOFT, MEMORY, 20, "page-walks")
LIMIT(ALIASING, SOFT, PIPELINE, 20, "4k-aliasing")
LIMIT(UNLAMINATION, SOFT, PIPELINE, 20, "un-lamination")
LIMIT(EVICTED, SOFT, MEMORY, 20, "evicted-lines")
LIMIT(PAST, SOFT, MEMORY, 20, "write-bandwidth")
LIMIT(MOVING, SOFT, MEMORY, 20, "moving-lines")
LIMIT(WINDOW, SOFT, MEMORY, 20, "window")
LIMIT(OVERLAP, SOFT, CHAIN, 20, "chain-overlap")
LIMIT(UNKNOWN_LATENCY, SOFT, CHAIN, 20, "unknown-latency")
LIMIT(SHARED, SOFT, MEMORY, 19, "shared-l3")
#undef LIMIT
