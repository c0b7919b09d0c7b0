/* One piece of work in a thread of its own, so that whoever wants it can go on meanwhile: what
 * takes longer than a frame and needs nobody else. */
#ifndef SLX_BASE_JOB_H
#define SLX_BASE_JOB_H

#include <stdbool.h>

struct job;

/* Begins work(context). What it reads stays as it is, and what it writes is left alone, until
 * job_over() has said so, or job_end() is back. Where there can be no thread it is done at once. */
struct job *job_begin(void (*work)(void *context), void *context);

/* Whether it is done. Never waits. */
bool job_over(const struct job *job);

/* Waits until it is, and frees it. NULL is fine. */
void job_end(struct job *job);

#endif
