/* Runs work in a separate thread, for work that needs longer than one frame. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread in which all signals are blocked but those of the thread's own faults (SIGSEGV,
 * SIGABRT …): other threads handle the other signals. A handler of a fault, which restores the
 * terminal, thus runs after a fault in any thread. Returns 0, or an errno. */
int job_thread(pthread_t *thread, void *(*main)(void *context), void *context);

struct job;

/* Starts work(context) in a thread. While the thread runs, do not change the inputs of the work or
 * use its outputs: wait until job_over() is true or job_end() returns. If no thread can start,
 * job_begin() itself runs the work. */
struct job *job_begin(void (*work)(void *context), void *context);

/* Whether the work is done. Does not wait. */
bool job_over(const struct job *job);

/* Waits for the end of the work and frees the job. Ignores NULL. */
void job_end(struct job *job);
