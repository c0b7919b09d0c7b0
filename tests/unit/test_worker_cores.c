/* The worker with other cores that run the same kernel: that they ran, and that they end. */
#include "real_worker.h"

#include <dirent.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"

static unsigned threads(void)
{
	DIR *directory = opendir("/proc/self/task");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count - 2;
}

/* One that was joined may be listed a moment longer: who joins is woken before the kernel has taken
 * it away. */
static void await_threads(unsigned expected)
{
	const time_t patience = 600;
	time_t until = time(NULL) + patience;

	while (threads() != expected && time(NULL) < until)
		sched_yield();
	assert_int_equal(threads(), expected);
}

static void ask(struct request *request, const char *knob, int64_t value)
{
	request->v[kernel_knob(request->kernel, knob)] = value;
}

/* How fast others are is theirs to say; that they ran, and that they are gone, is ours. */
TEST_WITH(others_run_beside_the_measured_core, start, stop)
{
	int processors = engine.machine->processors;
	unsigned before = threads();
	struct sample sample;

	for (int round = 0; round < 6; round++) {
		struct request request = request_for("latency", "size", 1 << 20);
		int cores = round % 3 == 1   ? 1
			    : processors > 4 ? 4
					     : processors,
		    streams = round % 3 == 1 ? processors > 1 : 0;

		request.seed = 5;
		request.budget.provisional = 3;
		ask(&request, "cores", cores);
		ask(&request, "streams", streams);
		submit(&request);
		await();
		if (!result.final) {
			assert_true(cores + streams == 1 ? result.facts.others_gbps == 0
							 : isnan(result.facts.others_gbps));
			await();
		}
		check_ok(result.status);
		assert_int_equal(result.facts.cores, cores);
		assert_int_equal(result.facts.streams, streams);
		sample_summarise(&result.trials, &result.facts, &sample);
		if (cores + streams == 1) {
			assert_true(result.facts.others_gbps == 0);
			assert_true(isnan(sample.total_gbps));
		} else {
			/* NAN where one of them never got its core. */
			assert_false(result.facts.others_gbps < 0);
			assert_false(result.facts.watched);
			if (sample.valid && result.facts.others_gbps > 0)
				assert_true(sample.total_gbps > sample.gbps);
		}
		await_threads(before);
	}
}

/* Between trials, another core that writes to the same line has it alone. */
TEST_WITH(cores_that_write_to_one_line_have_no_bandwidth_together, start, stop)
{
	struct request request = request_for("sharing", NULL, 0);
	struct sample sample;

	if (engine.machine->processors < 2)
		skip();
	ask(&request, "cores", 2);
	for (int padding = 8; padding <= 256; padding += 248) {
		ask(&request, "padding", padding);
		submit(&request);
		do
			await();
		while (!result.final);
		check_ok(result.status);
		sample_summarise(&result.trials, &result.facts, &sample);
		if (padding == 8)
			assert_true(result.facts.others_gbps == 0 && isnan(sample.total_gbps));
		else
			assert_false(result.facts.others_gbps <= 0);
	}
}

TEST_WITH(more_cores_than_there_are_are_refused, start, stop)
{
	struct request request = request_for("latency", NULL, 0);

	ask(&request, "cores", engine.machine->processors + 1);
	submit(&request);
	await();
	assert_int_equal(result.status.code, STATUS_FAILED);
	check_contains(result.status.text, "this process may use ");
	ask(&request, "cores", 1 << 20);
	ask(&request, "size", 1 << 20);
	submit(&request);
	await();
	assert_int_equal(result.status.code, STATUS_FAILED);
	ask(&request, "cores", 1);
	measure_one(&request);
}

/* At any moment: while they lay out, while they run. */
TEST_WITH(cancelling_ends_the_others_too, start, stop)
{
	int processors = engine.machine->processors;
	unsigned cancelled = 0, before = threads();

	for (int round = 0; round < CHECK_REPEATS(20, 4); round++) {
		struct request request = request_for("latency", "size", 8 << 20);

		/* An hour, unless it is cancelled. */
		request.budget = (struct budget){
			.seconds = 3600, .quiet_wanted = 1000000, .provisional = 3
		};
		request.seed = (uint64_t)round;
		ask(&request, "cores", processors > 1 ? 2 : 1);
		ask(&request, "streams", processors > 2 ? 1 : 0);
		submit(&request);
		if (round % 2)
			await();
		engine.cancel(engine.context);
		/* What had not begun is never answered; the next request tells. */
		request.budget = (struct budget){ .seconds = 0.001, .quiet_wanted = 1 };
		request.generation = 1;
		submit(&request);
		do {
			await();
			cancelled += result.status.code == STATUS_CANCELLED;
		} while (result.generation != 1);
		check_ok(result.status);
		await_threads(before);
	}
	assert_true(cancelled > 0);
}

RUN_TESTS()
