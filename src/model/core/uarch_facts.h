/* The numbers that a core file states with two words, for example "size rob 224". Each row is one
 * fact. uarch.h and uarch.c include these rows, with their own definition of FACT(identifier,
 * words). The order is sizes, caps, extras: SIZE_COUNT and uarch_fact_range() depend on it. */

/* Sizes: entries that can be in flight. */
FACT(SIZE_ROB, "size rob")
FACT(SIZE_SCHEDULER, "size scheduler")
FACT(SIZE_LOAD_QUEUE, "size load-queue")
FACT(SIZE_STORE_QUEUE, "size store-queue")
FACT(SIZE_REGISTERS, "size registers")
FACT(SIZE_VECTORS, "size vectors")
FACT(SIZE_BRANCHES, "size branches")
/* micro-ops that the op cache holds */
FACT(SIZE_OPCACHE, "size opcache")
FACT(SIZE_TLB1, "size tlb1")
/* data TLB entries */
FACT(SIZE_TLB2, "size tlb2")
/* calls that the return stack holds */
FACT(SIZE_CALLS, "size calls")
/* loads that wait for their address, on cores with a separate scheduler for loads */
FACT(SIZE_LOAD_SCHEDULER, "size load-scheduler")
/* vector operations that wait for an operand, on cores with a separate scheduler for them */
FACT(SIZE_VECTOR_SCHEDULER, "size vector-scheduler")

/* Caps: operations per cycle, at most. */
FACT(CAP_LOADS, "cap loads")
FACT(CAP_LOADS_VECTOR, "cap loads-vector")
/* a load of 512 bits counts for all three caps on loads */
FACT(CAP_LOADS_512, "cap loads-512")
FACT(CAP_STORES, "cap stores")
FACT(CAP_STORES_VECTOR, "cap stores-vector")
FACT(CAP_STORES_512, "cap stores-512")
/* loads and stores together */
FACT(CAP_MEMORY, "cap memory")
/* loads, plus stores whose address is not base + 0…2047 */
FACT(CAP_COMPLEX, "cap complex")
/* taken branches */
FACT(CAP_TAKEN, "cap taken")
/* the same in a loop that takes several branches in an iteration */
FACT(CAP_TAKEN_SEVERAL, "cap taken-several")
/* loads from the same bank of the first-level cache */
FACT(CAP_LOADS_BANK, "cap loads-bank")
/* lines that stores write to; only adjacent stores to one line share a cycle */
FACT(CAP_STORE_LINES, "cap store-lines")

/* Extras: cycles or counts, each for one mechanism. */
/* cycles added to a load's latency if the chain runs through its scaled index */
FACT(EXTRA_SCALED_INDEX, "extra scaled-index")
/* cycles added if the chain runs through any index */
FACT(EXTRA_INDEX, "extra index")
/* cycles added if the load extends the sign */
FACT(EXTRA_SIGN, "extra sign")
/* store forwarding with general registers: cycles from the store's data to the loaded value, if the
 * load is not renamed to the store */
FACT(EXTRA_FORWARD, "extra forward")
/* the same cycles if the core renames the load to the store */
FACT(EXTRA_FORWARD_RENAMED, "extra forward-renamed")
FACT(EXTRA_FORWARD_VECTOR, "extra forward-vector")
FACT(EXTRA_FORWARD_512, "extra forward-512")
/* the same cycles if the load is wider than the store that it reads from */
FACT(EXTRA_FORWARD_FAILS, "extra forward-fails")
/* cycles that a branch misprediction costs */
FACT(EXTRA_MISPREDICT, "extra mispredict")
/* cycles that a miss in the first-level TLB adds if it hits the second level */
FACT(EXTRA_TLB2, "extra tlb2")
/* soft limit: single-cycle integer operations per cycle that loops reach, where ports would allow
 * more */
FACT(EXTRA_ALU_SATURATION, "extra alu-saturation")
/* 1: rename eliminates the addition of a constant. It still needs a port if an instruction uses its
 * result for anything except an address or another addition of a constant */
FACT(EXTRA_MATERIALISES, "extra materialises")
/* 1: the port of a micro-op is chosen at rename (see pipeline.h) */
FACT(EXTRA_BINDS_PORTS, "extra binds-ports")
/* bytes of code per cycle from the decoders, if the loop does not fit in the op cache */
FACT(EXTRA_FETCH_BYTES, "extra fetch-bytes")
/* instructions per cycle from the decoders, if the loop does not fit in the op cache */
FACT(EXTRA_DECODE, "extra decode")
/* micro-ops per cycle from the op cache */
FACT(EXTRA_OPCACHE_OPS, "extra opcache-ops")
/* micro-ops per cycle, at most, from one 64-byte line of code */
FACT(EXTRA_LINE_OPS, "extra line-ops")
/* L1 misses that can be in flight */
FACT(EXTRA_MISSES, "extra misses")
/* the number of accesses that one load or store across a line boundary counts as */
FACT(EXTRA_SPLIT_LOAD, "extra split-load")
FACT(EXTRA_SPLIT_STORE, "extra split-store")
