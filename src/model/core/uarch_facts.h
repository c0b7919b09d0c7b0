/* Facts: numbers that a core file states with two words, for example "size rob 224". Each row is
 * one fact. uarch.h and uarch.c include these rows, with their own definition of FACT(identifier,
 * words). The rows must stay in the order sizes, caps, extras, because SIZE_COUNT and
 * uarch_fact_range() depend on it. */

/* Sizes: the number of entries of a queue, register file or cache of the core. */
FACT(SIZE_ROB, "size rob")
FACT(SIZE_SCHEDULER, "size scheduler")
FACT(SIZE_LOAD_QUEUE, "size load-queue")
FACT(SIZE_STORE_QUEUE, "size store-queue")
FACT(SIZE_REGISTERS, "size registers")
/* registers for the flags of results, on cores where they have a register file of their own */
FACT(SIZE_FLAGS, "size flags")
FACT(SIZE_VECTORS, "size vectors")
FACT(SIZE_BRANCHES, "size branches")
/* number of micro-ops that fit in the micro-op cache */
FACT(SIZE_OPCACHE, "size opcache")
FACT(SIZE_TLB1, "size tlb1")
/* number of entries of the last-level data TLB */
FACT(SIZE_TLB2, "size tlb2")
/* number of calls whose return addresses fit in the return stack */
FACT(SIZE_CALLS, "size calls")
/* number of loads that can wait for their address, on cores with a separate scheduler for loads */
FACT(SIZE_LOAD_SCHEDULER, "size load-scheduler")
/* number of vector operations that can wait for an operand, on cores with a separate scheduler for
 * vector operations */
FACT(SIZE_VECTOR_SCHEDULER, "size vector-scheduler")
/* number of further vector operations that can wait in a queue in front of the scheduler for vector
 * operations; no operation begins from this queue */
FACT(SIZE_VECTOR_QUEUE, "size vector-queue")
/* vector operations that can wait at the same time for a load that misses, in their scheduler and
 * in the queue before it; unknown: as many as "size vector-scheduler" */
FACT(SIZE_WAITING_VECTORS, "size waiting-vectors")
/* number of integer micro-ops that can wait for one port, if each port has its own scheduler */
FACT(SIZE_PORT_SCHEDULER, "size port-scheduler")
/* largest number of iterations of an inner loop whose end the core's fast branch predictor predicts
 * correctly */
FACT(SIZE_LOOP_EXIT_HISTORY, "size loop-exit-history")
/* largest number of iterations of an inner loop whose end the core predicts at all; unknown: the
 * core predicts every end */
FACT(SIZE_LOOP_EXIT_PREDICTED, "size loop-exit-predicted")
/* number of executed branches in one repetition of the same branches, up to which the fast branch
 * predictor learns their directions (extra override) */
FACT(SIZE_FAST_BRANCHES, "size fast-branches")
/* number of taken branches of an aligned block of 32 bytes of code that the core predicts without a
 * wait (extra dense-branch) */
FACT(SIZE_BLOCK_BRANCHES, "size block-branches")
/* number of mispredictions per repetition of the same random branches, or indirect jumps, of which
 * the core has learnt half after many repetitions; the two rows stay together (learn_repeated()) */
FACT(SIZE_LEARNT_BRANCHES, "size learnt-branches")
FACT(SIZE_LEARNT_JUMPS, "size learnt-jumps")
/* bytes of code that the first-level instruction cache holds */
FACT(SIZE_CODE, "size code")
/* number of micro-ops of a loop that the micro-op queue can repeat without fetching (Intel: loop
 * stream detector) */
FACT(SIZE_LOOP_BUFFER, "size loop-buffer")
/* number of rename slots, from the first of a cycle, that can hold an instruction that rename
 * splits in two (un-lamination), counted before it is split; unknown: all slots */
FACT(SIZE_SPLIT_SLOTS, "size split-slots")

/* Caps: the largest number of operations of one kind that can begin per cycle. */
FACT(CAP_LOADS, "cap loads")
FACT(CAP_LOADS_VECTOR, "cap loads-vector")
/* largest number of 512-bit loads per cycle; a 512-bit load also counts for the other two caps on
 * loads */
FACT(CAP_LOADS_512, "cap loads-512")
FACT(CAP_STORES, "cap stores")
FACT(CAP_STORES_VECTOR, "cap stores-vector")
FACT(CAP_STORES_512, "cap stores-512")
/* largest number of loads and stores together per cycle */
FACT(CAP_MEMORY, "cap memory")
/* largest number per cycle of loads, plus stores whose address is not base + 0…2047 */
FACT(CAP_COMPLEX, "cap complex")
/* largest number of vector operations renamed per cycle; loads and copies of vectors count, and
 * stores count twice */
FACT(CAP_VECTORS, "cap vectors")
/* largest number of taken branches per cycle */
FACT(CAP_TAKEN, "cap taken")
/* largest number of taken branches per cycle, in a loop that takes several branches in an iteration
 */
FACT(CAP_TAKEN_SEVERAL, "cap taken-several")
/* largest number of calls and returns per cycle; no other branch is taken in these cycles */
FACT(CAP_CALLS, "cap calls")
/* largest number of loads per cycle from one bank of the first-level cache */
FACT(CAP_LOADS_BANK, "cap loads-bank")
/* largest number of cache lines per cycle that stores write to; stores to one line share a cycle
 * only if they are adjacent */
FACT(CAP_STORE_LINES, "cap store-lines")

/* largest number of instructions per cycle that rename splits in two (un-lamination) */
FACT(CAP_SPLITS, "cap splits")
/* largest number of rename slots that retire per cycle */
FACT(CAP_RETIRE, "cap retire")

/* Extras: each extra is a number of cycles, or another number, for one mechanism of the core. */
/* cycles added to a load's latency if the chain runs through its scaled index */
FACT(EXTRA_SCALED_INDEX, "extra scaled-index")
/* cycles added to a load's latency if the chain runs through its index; for a scaled index, "extra
 * scaled-index" replaces this number */
FACT(EXTRA_INDEX, "extra index")
/* cycles added to the latency of a full multiplication if the chain runs through the upper half of
 * the product */
FACT(EXTRA_MULTIPLY_HIGH, "extra multiply-high")
/* cycles added to the latency of a division of general registers if the chain runs through the
 * remainder */
FACT(EXTRA_REMAINDER, "extra remainder")
/* cycles added to a load's latency if the load extends the sign */
FACT(EXTRA_SIGN, "extra sign")
/* store forwarding with general registers: cycles from the store's data to the loaded value, if the
 * load is not renamed to the store */
FACT(EXTRA_FORWARD, "extra forward")
/* store forwarding with general registers: cycles from the store's data to the loaded value, if the
 * core renames the load to the store */
FACT(EXTRA_FORWARD_RENAMED, "extra forward-renamed")
FACT(EXTRA_FORWARD_VECTOR, "extra forward-vector")
/* store forwarding from a vector register to a general one, or from a general register to a vector
 * one */
FACT(EXTRA_FORWARD_MIXED, "extra forward-mixed")
FACT(EXTRA_FORWARD_512, "extra forward-512")
/* store forwarding: cycles from the store's data to the loaded value, if the store wrote only some
 * of the loaded bytes */
FACT(EXTRA_FORWARD_FAILS, "extra forward-fails")
/* the same, cycles for which such a load keeps its own and all later instructions from retiring; if
 * unknown: "extra forward-fails" */
FACT(EXTRA_FORWARD_WAIT, "extra forward-wait")
/* cycles that a branch misprediction costs */
FACT(EXTRA_MISPREDICT, "extra mispredict")
/* cycles that a branch costs if the first, fast predictor is wrong and a slower one corrects it */
FACT(EXTRA_OVERRIDE, "extra override")
/* cycles that a taken branch costs beyond "size block-branches" of its block of code */
FACT(EXTRA_DENSE_BRANCH, "extra dense-branch")
/* cycles that a miss in the first-level TLB adds to a load, if the second-level TLB has the page */
FACT(EXTRA_TLB2, "extra tlb2")
/* 1: while operations of 512 bits are in flight, vector operations of less width execute only on
 * the ports of those of 512 bits */
FACT(EXTRA_CLOSES_512, "extra closes-512")
/* soft limit: single-cycle integer operations per cycle that loops reach in practice, although the
 * ports allow more */
/* 1: rename eliminates an addition of a constant. The addition still needs a port if an instruction
 * uses the sum for anything except an address or another addition of a constant */
FACT(EXTRA_MATERIALISES, "extra materialises")
/* 1: operations of one class that a unit executes one after the other take whole cycles together
 */
FACT(EXTRA_UNIT_RUNS, "extra unit-runs")
/* 1, 2, 3: rename chooses the port of each micro-op, by one of three rules (enum binds) */
FACT(EXTRA_BINDS_PORTS, "extra binds-ports")
/* number of parts of the scheduler of integer operations; each part has its own ports, and selects
 * operations before their producers have started (see pipeline_parts.c) */
FACT(EXTRA_SCHEDULER_PARTS, "extra scheduler-parts")
/* most vector micro-ops that compete for ports, on a core with scheduler-parts whose rename chooses
 * the port of each vector micro-op (see pipeline_parts.c) */
FACT(EXTRA_BINDS_VECTORS, "extra binds-vectors")
/* 1, 2: a multiplication's result keeps its port from the result of another integer operation in
 * the same cycle (soft limit; enum late_results) */
FACT(EXTRA_LATE_RESULTS, "extra late-results")
/* 1: the scheduler of each port receives one micro-op per cycle, in program order (soft limit, see
 * limits_intake.c) */
FACT(EXTRA_SCHEDULER_INTAKE, "extra scheduler-intake")
/* rename slots of the vector unit that a vector load takes in addition to one (soft limit) */
FACT(EXTRA_VECTOR_LOAD_SLOTS, "extra vector-load-slots")
/* loads and stores per cycle that loops with both reach in practice, if most accesses are loads of
 * general registers (soft limit) */
FACT(EXTRA_MIXED_MEMORY, "extra mixed-memory")
/* loads and stores of vectors per cycle that loops with both reach in practice (soft limit) */
FACT(EXTRA_MIXED_VECTORS, "extra mixed-vectors")
/* 1: an operation of 512 bits with three sources also needs a port that reads the data of vector
 * stores */
FACT(EXTRA_THIRD_SOURCE, "extra third-source")
/* cycles from the cycle in which a micro-op begins to execute to the cycle in which its scheduler
 * entry is free again */
FACT(EXTRA_SCHEDULER_HOLD, "extra scheduler-hold")
/* bytes of code per cycle that reach the decoders */
FACT(EXTRA_FETCH_BYTES, "extra fetch-bytes")
/* bytes of code per cycle that come from the second-level cache */
FACT(EXTRA_CODE_RATE, "extra code-rate")
/* bytes of code that one access to the micro-op cache covers: an aligned window */
FACT(EXTRA_LINE_BYTES, "extra line-bytes")
/* bytes of the longest instruction that every decoder takes; only the first decoder takes longer
 * instructions */
FACT(EXTRA_DECODE_LONG, "extra decode-long")
/* 1: a jump that crosses or ends at a 32-byte boundary keeps its window of code out of the micro-op
 * cache */
FACT(EXTRA_JCC_ERRATUM, "extra jcc-erratum")
/* instructions per cycle from the decoders */
FACT(EXTRA_DECODE, "extra decode")
/* most micro-ops of an instruction that every decoder takes; only the first decoder takes
 * instructions with more micro-ops */
FACT(EXTRA_DECODE_SIMPLE, "extra decode-simple")
/* instructions per cycle whose ends are found in an aligned block of fetch-bytes bytes */
FACT(EXTRA_PREDECODE, "extra predecode")
/* instructions per cycle, for any number of micro-ops; a fused pair is one instruction */
FACT(EXTRA_INSTRUCTIONS, "extra instructions")
/* micro-ops per cycle from the micro-op cache */
FACT(EXTRA_OPCACHE_OPS, "extra opcache-ops")
/* 1: each block of code that ends in a taken branch takes whole cycles from the micro-op cache; if
 * line-bytes is unknown, only the block of a loop with one taken branch */
FACT(EXTRA_OPCACHE_BLOCKS, "extra opcache-blocks")
/* most micro-ops in one entry of the micro-op cache */
FACT(EXTRA_LINE_OPS, "extra line-ops")
/* most entries of the micro-op cache for one window of code */
FACT(EXTRA_LINE_ENTRIES, "extra line-entries")
/* entries of the micro-op cache that are read per cycle, all from one window of code; unknown: one
 * window per cycle, with any number of entries */
FACT(EXTRA_OPCACHE_ENTRIES, "extra opcache-entries")
/* the loop buffer repeats a short loop until the copies have this number of micro-ops */
FACT(EXTRA_LOOP_COPIES, "extra loop-copies")
/* cycles of a pass of the clock's window loop on a core that one thread uses, divided by those of
 * the pass's dependent multiplications (clock_window_of()) */
FACT(EXTRA_WINDOW_PASS, "extra window-pass")
/* largest number of L1 misses that can be in flight at the same time */
FACT(EXTRA_MISSES, "extra misses")
/* cycles for which a line that arrives in the first-level cache keeps loads to general registers
 * from beginning */
FACT(EXTRA_LINE_FILL, "extra line-fill")
/* number of loads that one load counts as, if its line comes from the second-level cache: the load
 * begins again when the line has arrived */
FACT(EXTRA_MISSED_LOAD, "extra missed-load")
/* cycles per line from the second-level cache of loops whose lines the prefetchers fetch in time,
 * so that no load begins again */
FACT(EXTRA_PREFETCHED_LINE, "extra prefetched-line")
/* cycles per line that the loop writes, if the second-level cache holds it: the line comes and goes
 * back */
FACT(EXTRA_WRITTEN_LINE, "extra written-line")
/* cycles for which a store waits for its line, if other lines of the same set evicted the line from
 * the first-level cache after a load */
FACT(EXTRA_STORE_REFETCH, "extra store-refetch")
/* cycles for which a store waits for its line, if the loop does not load the line, and lines of the
 * same set compete for the first-level cache */
FACT(EXTRA_STORE_FETCH, "extra store-fetch")
/* cycles from the address of a store to a load that waits for it, because the core found out that
 * earlier executions of the load read too early */
FACT(EXTRA_LATE_STORE, "extra late-store")
/* number of accesses that a load (with split-store: a store) across a line boundary counts as */
FACT(EXTRA_SPLIT_LOAD, "extra split-load")
FACT(EXTRA_SPLIT_STORE, "extra split-store")
/* number of lines to which the last stores wrote: a store to one of these lines shares the cycle of
 * an earlier store to it (cap store-lines); unknown: only the line of the previous store */
FACT(EXTRA_STORE_MERGE, "extra store-merge")
/* cycles by which vector operations may be faster than their latency while their scheduler is
 * almost empty, as in loops that wait for cache lines */
FACT(EXTRA_EARLY_VECTORS, "extra early-vectors")
/* 1: taken branches are predicted in pairs, so an odd number in each iteration counts as one more
 */
FACT(EXTRA_TAKEN_PAIRS, "extra taken-pairs")
/* 1: branches that are not taken need no entry of "size branches" */
FACT(EXTRA_TAKEN_ENTRIES, "extra taken-entries")
/* cycles per line from the second-level cache that loops reach in practice. Unlike the lines per
 * cycle of the cache, this number is no bound */
FACT(EXTRA_SUSTAINED_LINE, "extra sustained-line")
/* cycles per line from the second-level cache if the loop reads lines in address order, but skips
 * lines between */
FACT(EXTRA_SKIPPED_LINES, "extra skipped-lines")
/* 1: a vector load across a line boundary begins alone in its cycle, and vector loads begin in
 * order */
FACT(EXTRA_SPLIT_ALONE, "extra split-alone")
/* cycles for which the front end waits after the end of an inner loop; the same if the loop had
 * more iterations than "size loop-exit-history" */
FACT(EXTRA_LOOP_EXIT, "extra loop-exit")
FACT(EXTRA_LOOP_EXIT_LONG, "extra loop-exit-long")
/* bytes of the aligned blocks that "cap store-lines" counts; unknown: a cache line. A store across
 * the end of a block writes two blocks */
FACT(EXTRA_STORE_BLOCK, "extra store-block")
