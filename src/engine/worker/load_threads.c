/* State shared by the load threads: `phase` and `counting` are atomic; `lock` guards `reported`.
 * All other fields of a member (a load thread's data) belong to the member's thread while this
 * thread exists. Before pthread_create() and after pthread_join(), the fields of a load thread's
 * data belong to the caller. */
#include "engine/worker/load_threads.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "engine/clock/clock.h"
#include "engine/memory/arena.h"
#include "engine/memory/working_sets.h"
#include "kernels/knob_rows.h"

/* Duration of one call of a load thread's work, seconds: long compared with reading the phase, but
 * short for a caller that waits. */
static const double call_seconds = 30e-6;

/* A member (a load thread) counts its work in spans of this length, seconds. An interruption spoils
 * only one span of a load thread, and the system calls between two spans cost about 2 % of a span.
 */
static const double span_seconds = 100e-6;

/* Time limit in seconds for all load threads to begin counting: a load thread may share its
 * processor with other processes. */
static const double start_seconds = 0.05;

/* Bytes that a load thread streams through between two checks of the phase. Reading this many bytes
 * takes some microseconds, and more time with slow memory. */
enum { STREAM_PIECE = 64 << 10 };

/* Bytes of a load thread's stack: few, because the address space may be limited. */
enum { STACK = 1 << 20 };

enum phase { PHASE_GATHER, PHASE_RUN, PHASE_COUNT, PHASE_REST, PHASE_END };

struct member {
	/* Each load thread (member) has its own cache lines, so that running threads do not write
	 * to each other's lines. */
	_Alignas(128) struct spans
		spans; /* number of bytes and seconds that the load thread counted */
	uint64_t sink;

	struct load_threads *threads;
	pthread_t thread;
	int cpu;
	bool streams;
	struct status status;
	struct working_sets sets; /* working sets of a load thread that runs the kernel */
	struct arena stream;	  /* memory of a load thread that streams */
	int stream_node;
	uint64_t may_hold; /* limit for the load thread's working sets, bytes */
	double used;	   /* time of the last use of the load thread's memory, seconds */
};

struct load_threads {
	_Alignas(128) atomic_int phase;
	char apart[128]; /* the load threads read `phase` all the time, so no other written field
			    may share its cache line */
	atomic_int counting; /* number of load threads that count their bytes */
	pthread_mutex_t lock;
	pthread_cond_t reported_more, go;
	int reported; /* number of load threads that are ready or have failed */
	const struct topology *topology;
	const atomic_bool *cancel;
	struct load_threads_request request;
	int64_t v[KNOBS_MAX];
	int count; /* number of load threads that run */
	int most;
	unsigned char *shared; /* memory that all cores share (kernel_run.shared) */
	struct member member[];
};

/* ---- spans of work */

/* A load thread was switched out if it did not run for more than this share of a span. Reading the
 * two clocks has an error of about 1 % of a span of 100 us. */
static const double away_most = 0.05;

bool span_disturbed(const struct span *span)
{
	/* Some systems count a thread's run time in steps longer than a span of a load thread's
	 * work. If the counted run time span->on is 0, it proves nothing for this reason. */
	return span->switches != 0 || (span->on > 0 && span->at - span->on > away_most * span->at);
}

void spans_add(struct spans *spans, const struct span *span)
{
	if (span->on > 0) {
		spans->at += span->at;
		spans->on += span->on;
	}
	if (span_disturbed(span)) {
		spans->rejected++;
		return;
	}
	spans->bytes += span->bytes;
	spans->seconds += span->seconds;
}

double spans_rate(const struct spans *spans)
{
	return spans->seconds > 0 ? (double)spans->bytes / spans->seconds : NAN;
}

double spans_on(const struct spans *spans)
{
	if (!(spans->seconds > 0) && spans->rejected == 0)
		return 0;
	return spans->at > 0 ? fmin(1, spans->on / spans->at) : (double)NAN;
}

/* ---- */

struct load_threads *load_threads_new(const struct topology *topology, int cpu)
{
	int most = topology_processors(topology), *others = memory_new((size_t)most, sizeof(int));
	size_t bytes;
	struct load_threads *threads;

	most = topology_others(topology, cpu, others, most);
	bytes = sizeof(*threads) + (size_t)most * sizeof(struct member);
	threads = aligned_alloc(_Alignof(struct load_threads), bytes);
	if (threads) {
		memset(threads, 0, bytes);
		threads->topology = topology;
		threads->most = most;
		bytes = round_up((uint64_t)(most + 1) * KERNEL_SHARED_EACH, 4096);
		threads->shared = aligned_alloc(4096, bytes);
		if (threads->shared)
			memset(threads->shared, 0, bytes);
		pthread_mutex_init(&threads->lock, NULL);
		pthread_cond_init(&threads->reported_more, NULL);
		pthread_cond_init(&threads->go, NULL);
	}
	for (int i = 0; threads && i < most; i++) {
		threads->member[i].threads = threads;
		threads->member[i].cpu = others[i];
		threads->member[i].sets =
			(struct working_sets){ .topology = topology, .cpu = others[i] };
	}
	free(others);
	return threads;
}

void load_threads_free(struct load_threads *threads)
{
	if (!threads)
		return;
	load_threads_give_back(threads, 0, 0);
	pthread_cond_destroy(&threads->go);
	pthread_cond_destroy(&threads->reported_more);
	pthread_mutex_destroy(&threads->lock);
	free(threads->shared);
	free(threads);
}

/* ---- a member's thread ---- */

static enum phase phase_of(struct load_threads *threads)
{
	return (enum phase)atomic_load_explicit(&threads->phase, memory_order_acquire);
}

/* Reports that the load thread (member) is ready or has failed, and waits for all other load
 * threads. Returns whether the load thread may run. */
static bool report(struct member *member)
{
	struct load_threads *threads = member->threads;

	pthread_mutex_lock(&threads->lock);
	threads->reported++;
	pthread_cond_signal(&threads->reported_more);
	while (phase_of(threads) == PHASE_GATHER)
		pthread_cond_wait(&threads->go, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
	return status_is_ok(&member->status);
}

/* The work of a load thread: call() makes one call and returns the bytes that it moved. */
struct work {
	uint64_t (*call)(struct work *work);
	struct kernel_run run;
	uint64_t elements; /* number of elements that one call of the work processes */
	const unsigned char *stream;
	uint64_t at, bytes, sink;
};

static uint64_t call_same(struct work *work)
{
	work->run.kernel->call(&work->run, work->elements);
	return work->elements * work->run.bytes;
}

/* Reads the words of the load thread's memory in address order. Each cache line is read by eight
 * loads into four sums, so that only the memory limits the speed. */
static KERNEL_LOOP uint64_t read_all(const uint64_t *from, size_t words)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i < words; i += 8) {
		a += from[i] + from[i + 4];
		b += from[i + 1] + from[i + 5];
		c += from[i + 2] + from[i + 6];
		d += from[i + 3] + from[i + 7];
	}
	return a + b + c + d;
}

static uint64_t call_stream(struct work *work)
{
	work->sink += read_all((const uint64_t *)(const void *)(work->stream + work->at),
		STREAM_PIECE / sizeof(uint64_t));
	work->at = (work->at + STREAM_PIECE) % work->bytes;
	return STREAM_PIECE;
}

/* Makes calls of a load thread's work until a span is over or the phase changes, but at least one
 * call. */
static struct span run_span(
	struct load_threads *threads, struct work *work, struct clock_thread *before)
{
	double begin = clock_seconds(), end;
	uint64_t bytes = 0;
	struct clock_thread was = *before;

	do {
		bytes += work->call(work);
		end = clock_seconds();
	} while (end - begin < span_seconds && phase_of(threads) == PHASE_COUNT);
	*before = clock_thread();
	return (struct span){ .bytes = bytes,
		.seconds = end - begin,
		.at = before->at - was.at,
		.on = before->on - was.on,
		.switches = before->switches - was.switches };
}

static void run(struct member *member, struct work *work)
{
	struct load_threads *threads = member->threads;
	struct spans spans = { 0 };

	while (phase_of(threads) == PHASE_RUN)
		work->call(work);
	if (phase_of(threads) == PHASE_COUNT) {
		struct clock_thread before = clock_thread();

		atomic_fetch_add(&threads->counting, 1);
		do {
			struct span span = run_span(threads, work, &before);

			spans_add(&spans, &span);
		} while (phase_of(threads) == PHASE_COUNT);
	}
	while (phase_of(threads) == PHASE_REST)
		work->call(work);
	member->spans = spans;
	member->sink = work->sink;
}

/* Chooses the number of elements that one call of the load thread's work processes. The calls that
 * search for the number of elements also bring the working set into the caches. */
static void choose_call(struct member *member, struct work *work)
{
	double seconds = 0;

	kernel_rewind(&work->run);
	for (work->elements = work->run.granule; seconds < call_seconds / 2; work->elements *= 2) {
		double begin = clock_seconds();

		call_same(work);
		seconds = clock_seconds() - begin;
		if (atomic_load(member->threads->cancel))
			return;
	}
}

static struct status prepare_same(struct member *member, struct work *work)
{
	const struct load_threads *threads = member->threads;
	const struct working_set_request wanted = { .kernel = threads->request.kernel,
		.v = threads->v,
		.seed = threads->request.seed,
		.limit = member->may_hold,
		.now = threads->request.now };
	struct slot *slot;
	struct status status =
		working_sets_lay(&member->sets, &wanted, threads->cancel, &work->run, &slot);

	work->call = call_same;
	work->run.shared = threads->shared;
	work->run.member = 1 + (unsigned)(member - threads->member);
	if (status_is_ok(&status))
		choose_call(member, work);
	return status;
}

static struct status prepare_stream(struct member *member, struct work *work)
{
	const struct load_threads *threads = member->threads;
	int64_t node = kernel_asked(threads->request.kernel, threads->v, ASKS_NODE);
	struct arena_place place = { .topology = threads->topology,
		.node = node > 0 ? (int)node - 1
				 : topology_node_of(threads->topology, member->cpu) };
	struct status status;
	bool kept;

	if (member->stream_node != place.node)
		arena_free(&member->stream);
	member->stream_node = place.node;
	work->call = call_stream;
	work->bytes = threads->request.stream_bytes / STREAM_PIECE * STREAM_PIECE;
	status = arena_need(
		&member->stream, work->bytes, work->bytes, &place, threads->cancel, &kept);
	work->stream = member->stream.memory;
	return status;
}

static void *member_main(void *context)
{
	struct member *member = context;
	struct work work = { 0 };

	member->status = topology_bind(member->threads->topology, member->cpu);
	if (status_is_ok(&member->status))
		member->status = (member->streams ? prepare_stream : prepare_same)(member, &work);
	if (report(member))
		run(member, &work);
	return NULL;
}

/* ---- the caller ---- */

static uint64_t held_by(const struct member *member)
{
	return working_sets_held(&member->sets) + member->stream.touched;
}

unsigned char *load_threads_shared(const struct load_threads *threads)
{
	return threads->shared;
}

uint64_t load_threads_held(const struct load_threads *threads)
{
	uint64_t held = 0;

	for (int i = 0; i < threads->most; i++)
		held += held_by(&threads->member[i]);
	return held;
}

void load_threads_give_back(struct load_threads *threads, double now, double idle)
{
	for (int i = 0; i < threads->most; i++)
		if (idle <= 0 || now - threads->member[i].used > idle) {
			working_sets_free(&threads->member[i].sets);
			arena_free(&threads->member[i].stream);
		}
}

/* Returns the maximum bytes that a load thread (member) holds after it has received the memory for
 * this request. */
static uint64_t will_hold(const struct load_threads *threads, int index, uint64_t set)
{
	const struct member *member = &threads->member[index];
	uint64_t stream = threads->request.stream_bytes, touched = member->stream.touched;

	if (index >= threads->count)
		return held_by(member);
	if (!member->streams)
		return held_by(member) + set;
	return held_by(member) - touched + (stream > touched ? stream : touched);
}

/* Frees memory of load threads that this request does not need, but only if the total would exceed
 * the limit. */
static void make_room(struct load_threads *threads)
{
	const struct load_threads_request *request = &threads->request;
	uint64_t all = 0,
		 set = round_up(kernel_footprint(request->kernel, threads->v) + 1, ARENA_PIECE);

	for (int i = 0; i < threads->most; i++) {
		threads->member[i].may_hold = will_hold(threads, i, set);
		all += threads->member[i].may_hold;
	}
	if (all <= request->limit)
		return;
	for (int i = 0; i < threads->most; i++) {
		struct member *member = &threads->member[i];

		member->may_hold = request->share;
		if (i >= threads->count || member->streams)
			working_sets_free(&member->sets);
		if (i >= threads->count || !member->streams ||
			member->stream.touched > request->stream_bytes)
			arena_free(&member->stream);
	}
}

static void advance(struct load_threads *threads, enum phase phase)
{
	if (threads->count == 0)
		return;
	pthread_mutex_lock(&threads->lock);
	atomic_store_explicit(&threads->phase, (int)phase, memory_order_release);
	pthread_cond_broadcast(&threads->go);
	pthread_mutex_unlock(&threads->lock);
}

struct status load_threads_gather(struct load_threads *threads,
	const struct load_threads_request *request, const atomic_bool *cancel)
{
	int wanted = request->cores + request->streams, error = 0;
	pthread_attr_t attributes;

	if (wanted > threads->most)
		return status_failed(
			"%d other cores are requested, but this process may use only %d", wanted,
			threads->most);
	threads->request = *request;
	memcpy(threads->v, request->v, sizeof(threads->v));
	threads->cancel = cancel;
	threads->reported = 0;
	atomic_store(&threads->counting, 0);
	threads->count = wanted;
	atomic_store(&threads->phase, PHASE_GATHER);
	for (int i = 0; i < wanted; i++) {
		struct member *member = &threads->member[i];

		member->streams = i >= request->cores;
		member->spans = (struct spans){ 0 };
		member->used = request->now;
	}
	make_room(threads);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (threads->count = 0; threads->count < wanted; threads->count++) {
		struct member *member = &threads->member[threads->count];

		error = pthread_create(&member->thread, &attributes, member_main, member);
		if (error)
			break;
	}
	pthread_attr_destroy(&attributes);
	if (error == 0)
		return status_ok();
	load_threads_dismiss(threads, NULL);
	return status_failed("no thread for another core: %s", strerror(error));
}

struct status load_threads_begin(struct load_threads *threads)
{
	struct status status = status_ok();

	if (threads->count == 0)
		return status;
	pthread_mutex_lock(&threads->lock);
	while (threads->reported < threads->count)
		pthread_cond_wait(&threads->reported_more, &threads->lock);
	pthread_mutex_unlock(&threads->lock);
	for (int i = 0; i < threads->count && status_is_ok(&status); i++)
		status = threads->member[i].status;
	if (status_is_ok(&status) && atomic_load(threads->cancel))
		status = status_make(STATUS_CANCELLED, "stopped");
	if (status_is_ok(&status))
		advance(threads, PHASE_RUN);
	else
		load_threads_dismiss(threads, NULL);
	return status;
}

void load_threads_count(struct load_threads *threads)
{
	double until = clock_seconds() + start_seconds;

	advance(threads, PHASE_COUNT);
	while (atomic_load(&threads->counting) < threads->count && clock_seconds() < until &&
		!atomic_load(threads->cancel))
		;
}

void load_threads_rest(struct load_threads *threads)
{
	advance(threads, PHASE_REST);
}

double load_threads_dismiss(struct load_threads *threads, double *on)
{
	double gbps = threads->count > 0 ? 0 : NAN, least = NAN;

	advance(threads, PHASE_END);
	for (int i = 0; i < threads->count; i++) {
		pthread_join(threads->member[i].thread, NULL);
		gbps += spans_rate(&threads->member[i].spans) * 1e-9;
		least = fmin(least, spans_on(&threads->member[i].spans));
	}
	if (on)
		*on = least;
	threads->count = 0;
	return gbps;
}
