/* What a request costs beyond its trials: a curve of latency over working sets that grow, asked for
 * in requests of some milliseconds each, twice with each kind of pages, and the same setting again
 * and again. A first pass touches memory and lays it out; later ones find it there. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock/clock.h"
#include "engine/worker/worker.h"
#include "kernels/kernel.h"

enum { MOST = 400 };

static struct worker *worker;
static struct engine engine;

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Milliseconds from the request to the answer, less those from the first trial to the end of the
 * last. */
static double cost(struct request *request, struct result *result)
{
	struct pollfd wait = { .fd = engine.descriptor, .events = POLLIN };
	double begin = clock_seconds(), all;

	request->generation++;
	engine.submit(engine.context, request);
	while (!engine.take(engine.context, result) || !result->final)
		poll(&wait, 1, -1);
	all = clock_seconds() - begin;
	if (!status_is_ok(&result->status)) {
		fprintf(stderr, "%s\n", result->status.text);
		exit(1);
	}
	return 1e3 * (all - (double)result->trials.trial[result->trials.count - 1].at);
}

static void row(const char *what, double *ms, int count, double wall)
{
	double sum = 0;

	for (int i = 0; i < count; i++)
		sum += ms[i];
	qsort(ms, (size_t)count, sizeof(*ms), ascending);
	printf("%-40s %8d %10.3f %10.3f %10.1f %10.1f\n", what, count, ms[count / 2], ms[count - 1],
		sum, wall * 1e3);
}

int main(void)
{
	static const char *const kinds[] = { "auto", "4k", "huge" };
	static const int64_t fixed[] = { 16384, 1 << 20, 16 << 20, 128 << 20 };
	const struct worker_options options = { .cpu = -1 };
	struct request request = { .kernel = kernel_find("latency"),
		.seed = 1,
		.budget = { .seconds = 0.005, .quiet_wanted = 1000000 } };
	static struct result result;
	struct status status;
	double ms[MOST];
	int size, pages;

	worker = worker_start(&options, &status);
	if (worker)
		status = worker_wait_ready(worker);
	if (!status_is_ok(&status)) {
		fprintf(stderr, "%s\n", status.text);
		return 1;
	}
	engine = worker_engine(worker);
	size = kernel_knob(request.kernel, "size");
	pages = kernel_knob(request.kernel, "pages");
	for (int i = 0; i < request.kernel->knob_count; i++)
		request.v[i] = request.kernel->knobs[i].initial;
	printf("%-40s %8s %10s %10s %10s %10s\n", "milliseconds beyond the trials", "requests",
		"median", "most", "sum", "wall");
	for (int pass = 0; pass < 2; pass++)
		for (int kind = PAGES_4K; kind <= PAGES_HUGE; kind++) {
			double begin = clock_seconds();
			char what[64];
			int count = 0;

			request.v[pages] = kind;
			for (double bytes = 4096; bytes <= 256 << 20 && count < MOST;
				bytes *= 1.189207115) {
				request.v[size] = (int64_t)bytes / 4096 * 4096;
				ms[count++] = cost(&request, &result);
			}
			snprintf(what, sizeof(what), "4 KiB to 256 MiB, %s, %s", kinds[kind],
				pass ? "again" : "first");
			row(what, ms, count, clock_seconds() - begin);
		}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
		double begin = clock_seconds();
		char what[64];

		request.v[size] = fixed[i];
		for (int count = 0; count < 50; count++)
			ms[count] = cost(&request, &result);
		snprintf(what, sizeof(what), "%lld KiB, 50 times", (long long)fixed[i] >> 10);
		row(what, ms, 50, clock_seconds() - begin);
	}
	worker_stop(worker);
	return 0;
}
