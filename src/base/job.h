/* Work in a thread of its own, for work that takes longer than a frame. */
#pragma once

#include <stdbool.h>

struct job;

/* Begins work(context). Until job_over() is true or job_end() returns, its inputs must not change
 * and its outputs must not be used. Where no thread can start, it runs at once. */
struct job *job_begin(void (*work)(void *context), void *context);

/* Whether the work is done. Does not wait. */
bool job_over(const struct job *job);

/* Waits for the end, and frees the job. NULL is fine. */
void job_end(struct job *job);
