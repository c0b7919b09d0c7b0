/* A short workload that raises most events that a core can count, so that those that do not work
 * can be told from those that a loop does not raise. */
#ifndef SLX_ENGINE_COUNTERS_STIMULUS_H
#define SLX_ENGINE_COUNTERS_STIMULUS_H

struct stimulus;

/* Memory for it: some 2 MiB of address space. NULL when that is refused. */
struct stimulus *stimulus_new(void);
void stimulus_free(struct stimulus *stimulus);

/* Loads and stores, on pages that no TLB knows and lines that no cache holds; branches that nobody
 * can predict; integer and floating-point arithmetic, on vectors too; loads and stores alone until
 * their queues are full. Takes 1 to 2 ms. */
void stimulus_run(struct stimulus *stimulus);

#endif
