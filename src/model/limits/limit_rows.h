/* Every limit, a row each. A new limit is a row here, a call of limits_add() in the file of its
 * group (limits_*.c), and its name in the manual.
 *
 *     LIMIT(identifier, hardness, resource, rank, name, title, ease, remedy)
 *
 * hardness  HARD: a lower bound, which a true measurement never beats. SOFT: a known effect that
 *           usually costs that much, but is no bound.
 * resource  what binds, by enum limit_resource
 * rank      of two equal limits the one of lower rank is named first: the more particular one
 * name      for scripts, records and the manual
 * title     for people
 * ease      what a change of the code that lowers the limit does
 * remedy    a sentence: what to do where no knob does it
 *
 * limits.h and limit_words.c include the rows, with LIMIT() defined as they need it. */
#ifndef SLX_MODEL_LIMITS_LIMIT_ROWS_H
#define SLX_MODEL_LIMITS_LIMIT_ROWS_H
#endif

LIMIT(WIDTH, HARD, PIPELINE, 12, "width", "pipeline width", "needs fewer micro-ops",
	"Do the same with fewer instructions: unroll, fold loads into operations, drop moves, use "
	"vectors.")
LIMIT(PORTS, HARD, PORTS, 11, "ports", "port pressure", "relieves the ports",
	"Use operations that run on other ports, or fewer of those that share the crowded ones.")
LIMIT(DIVIDER, HARD, PORTS, 3, "divider", "divider", "spares the divider",
	"Divide less: multiply by a reciprocal computed once, or divide narrower numbers.")
LIMIT(LOADS, HARD, PIPELINE, 6, "loads", "load throughput", "needs fewer loads",
	"Load less often: keep values in registers, or fetch several at once with one wider load.")
LIMIT(VECTOR_LOADS, HARD, PIPELINE, 5, "vector-loads", "vector load throughput",
	"needs fewer vector loads",
	"Do more with each vector that is loaded: keep it in a register and reuse it.")
LIMIT(STORES, HARD, PIPELINE, 7, "stores", "store throughput", "needs fewer stores",
	"Store less often: keep results in registers, or write several at once with one wider "
	"store.")
LIMIT(ADDRESSES, HARD, PIPELINE, 9, "addresses", "address generation", "needs fewer addresses",
	"Fewer memory accesses: combine neighbouring ones, or keep values in registers.")
LIMIT(COMPLEX, HARD, PIPELINE, 8, "complex-addressing", "complex addressing",
	"needs simpler addresses",
	"Address stores by one register and a small constant: move the pointer, not an index.")
LIMIT(SPLITS, HARD, PIPELINE, 4, "split-lines", "split cache lines", "crosses fewer lines",
	"Align the data, so that no access crosses the end of a 64-byte line.")
LIMIT(BANKS, HARD, PIPELINE, 4, "bank-conflicts", "bank conflicts", "spreads loads over banks",
	"Spread loads over different places of their lines: pad rows, so that their distance is no "
	"multiple of 64 bytes.")
LIMIT(STORE_LINES, HARD, PIPELINE, 5, "store-lines", "lines stored to", "stores to fewer lines",
	"Store to one line after the other: neighbouring stores to the same line go together.")
LIMIT(TAKEN, HARD, PIPELINE, 10, "taken-branches", "taken branches", "takes fewer branches",
	"Jump less: unroll the loop, and let the likely way fall through.")
LIMIT(LATENCY, HARD, CHAIN, 2, "latency", "loop-carried latency", "breaks the chain",
	"Break the chain: use more accumulators, or an operation of lower latency.")
LIMIT(MEMORY_LATENCY, HARD, MEMORY, 0, "memory-latency", "memory latency",
	"waits for a nearer level",
	"Make the data smaller or put it in the order of use; walk several chains at the same "
	"time.")
LIMIT(MEMORY_LINES, HARD, MEMORY, 1, "memory-lines", "memory bandwidth", "fetches fewer lines",
	"Touch fewer cache lines: pack the data, use all of a line, work in blocks that fit a "
	"cache.")
LIMIT(MISSES, HARD, MEMORY, 1, "misses-in-flight", "misses in flight", "misses less often",
	"Put loads that miss closer together, with fewer instructions between, or prefetch ahead.")
LIMIT(ALIGNMENT, SOFT, PIPELINE, 20, "alignment", "code alignment", "fits the front end",
	"Align the loop's start to 64 bytes, or make it shorter.")
LIMIT(OPCACHE, SOFT, PIPELINE, 20, "op-cache", "op cache", "fits the op cache",
	"Unroll less: a loop that fits the op cache need not be decoded again.")
LIMIT(DECODE, SOFT, PIPELINE, 20, "decode", "instruction decoding", "decodes faster",
	"Use shorter instructions: small constants, low registers, no needless prefixes.")
LIMIT(SCHEDULING, SOFT, PORTS, 20, "scheduling", "port conflicts", "crowds no port by chance",
	"Fewer operations that may only go to the crowded ports, or unroll, so that a bad choice "
	"of port matters less.")
LIMIT(SATURATION, SOFT, PORTS, 20, "alu-saturation", "integer unit saturation",
	"needs fewer ALU operations",
	"Fewer single-cycle operations beside the loads: unroll, or use vectors.")
LIMIT(MISPREDICTION, SOFT, PIPELINE, 20, "misprediction", "branch misprediction",
	"mispredicts less",
	"Compute both ways and select (conditional move), or sort the data so that branches "
	"repeat.")
LIMIT(FORWARDING, SOFT, CHAIN, 20, "forwarding", "store forwarding", "forwards without a stall",
	"Keep the value in a register instead of storing it and loading it again.")
LIMIT(PAGE_WALKS, SOFT, MEMORY, 20, "page-walks", "page table walks", "walks fewer pages",
	"Use huge pages, or work on fewer pages at a time.")
LIMIT(ALIASING, SOFT, PIPELINE, 20, "4k-aliasing", "4 KiB aliasing", "keeps addresses apart",
	"Shift one of the arrays, so that loads do not follow stores at a multiple of 4 KiB.")
LIMIT(UNLAMINATION, SOFT, PIPELINE, 20, "un-lamination", "split micro-ops", "keeps micro-ops fused",
	"Address by a pointer alone: with an index, an operation and its load count as two.")
LIMIT(WINDOW, SOFT, MEMORY, 20, "window", "out-of-order window", "has more misses in the window",
	"Between loads that miss, take less of what is full; put these loads together, or prefetch "
	"ahead.")
#undef LIMIT
