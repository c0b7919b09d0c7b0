/* The numbers that a core file states by two words, "size rob 224": a row each. uarch.h and uarch.c
 * include the rows, with FACT(identifier, words) defined as they need it. Sizes come first, then
 * caps, then extras, as SIZE_COUNT and uarch_fact_range() expect. */

/* Entries that can be in flight. */
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
/* return stack: calls */
FACT(SIZE_CALLS, "size calls")
/* loads that wait for an address, where loads have their own scheduler */
FACT(SIZE_LOAD_SCHEDULER, "size load-scheduler")
/* likewise vector operations that wait for an operand */
FACT(SIZE_VECTOR_SCHEDULER, "size vector-scheduler")

/* Operations a cycle, at most. */
FACT(CAP_LOADS, "cap loads")
FACT(CAP_LOADS_VECTOR, "cap loads-vector")
/* a load of 512 bits counts for all three caps */
FACT(CAP_LOADS_512, "cap loads-512")
FACT(CAP_STORES, "cap stores")
FACT(CAP_STORES_VECTOR, "cap stores-vector")
FACT(CAP_STORES_512, "cap stores-512")
/* loads and stores together */
FACT(CAP_MEMORY, "cap memory")
/* loads, and stores whose address is not base + 0…2047 */
FACT(CAP_COMPLEX, "cap complex")
/* taken branches */
FACT(CAP_TAKEN, "cap taken")
/* loads from the same bank of the first-level cache */
FACT(CAP_LOADS_BANK, "cap loads-bank")
/* lines that stores go to; only adjacent stores to one line share a cycle */
FACT(CAP_STORE_LINES, "cap store-lines")

/* Cycles or counts, each with a mechanism. */
/* cycles added to a load whose chain runs through a scaled index */
FACT(EXTRA_SCALED_INDEX, "extra scaled-index")
/* likewise any index */
FACT(EXTRA_INDEX, "extra index")
/* likewise a load that extends the sign */
FACT(EXTRA_SIGN, "extra sign")
/* store forwarding, general registers: cycles from the store's data to the loaded value, when
 * it is not renamed away */
FACT(EXTRA_FORWARD, "extra forward")
/* likewise when the core has predicted the pair */
FACT(EXTRA_FORWARD_RENAMED, "extra forward-renamed")
FACT(EXTRA_FORWARD_VECTOR, "extra forward-vector")
FACT(EXTRA_FORWARD_512, "extra forward-512")
/* a load wider than the store that it takes bytes from */
FACT(EXTRA_FORWARD_FAILS, "extra forward-fails")
/* cycles lost by a misprediction */
FACT(EXTRA_MISPREDICT, "extra mispredict")
/* cycles added by a first-level TLB miss that hits the second */
FACT(EXTRA_TLB2, "extra tlb2")
/* soft: single-cycle integer operations a cycle that loops reach where ports allow more */
FACT(EXTRA_ALU_SATURATION, "extra alu-saturation")
/* 1: an addition of a constant that rename eliminates needs a port after all when something
 * other than an address or another addition of a constant uses its result */
FACT(EXTRA_MATERIALISES, "extra materialises")
/* 1: a micro-op's port is chosen when it is renamed (see pipeline.h) */
FACT(EXTRA_BINDS_PORTS, "extra binds-ports")
/* code bytes a cycle from the decoders, when the op cache does not hold the loop */
FACT(EXTRA_FETCH_BYTES, "extra fetch-bytes")
/* instructions a cycle likewise */
FACT(EXTRA_DECODE, "extra decode")
/* micro-ops a cycle from the op cache */
FACT(EXTRA_OPCACHE_OPS, "extra opcache-ops")
/* micro-ops a cycle at most from one 64-byte (32-byte) line of code, see data/uarch/README.md
 * */
FACT(EXTRA_LINE_OPS, "extra line-ops")
/* L1 misses in flight */
FACT(EXTRA_MISSES, "extra misses")
/* accesses that one load across a line boundary counts as */
FACT(EXTRA_SPLIT_LOAD, "extra split-load")
FACT(EXTRA_SPLIT_STORE, "extra split-store")
