/* See crew.h.
 *
 * What is shared: `phase` and `counting` are atomics; `lock` guards `reported`. Everything else of
 * a member belongs to its thread from pthread_create() to pthread_join(), and to the caller before
 * and after. */
#include "engine/worker/load_threads.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/clock/clock.h"
#include "engine/memory/arena.h"
#include "engine/memory/working_sets.h"
#include "kernels/knob_rows.h"

/* One call of a member: long against looking at the phase, short against whoever waits for it. */
static const double call_seconds = 30e-6;

/* A member counts its work in spans of this length: an interruption spoils little of it, and asking
 * the system between two spans takes about 2 % of one. */
static const double span_seconds = 100e-6;

/* A member whose processor others use too may need so long to come to count. */
static const double start_seconds = 0.05;

/* What a stream reads between two looks: some microseconds, and slower where memory is. */
enum { STREAM_PIECE = 64 << 10 };

/* Stacks are address space, which may be scarce. */
enum { STACK = 1 << 20 };

enum phase { PHASE_GATHER, PHASE_RUN, PHASE_COUNT, PHASE_REST, PHASE_END };

struct member {
	/* A cache line of its own: what it writes while it runs moves no other's. */
	_Alignas(128) struct spans spans; /* of its work while it counted */
	uint64_t sink;

	struct load_threads *load_threads;
	pthread_t thread;
	int cpu;
	bool streams;
	struct status status;
	struct working_sets working_sets; /* of one that does the same */
	struct arena stream;		  /* of one that streams */
	int stream_node;
	uint64_t may_hold; /* bytes that its store may */
	double used;	   /* seconds, when it was last gathered */
};

struct load_threads {
	_Alignas(128) atomic_int phase;
	char apart[128]; /* members look at the phase all the time: nothing else is written beside
			    it */
	atomic_int counting; /* members that have come to count */
	pthread_mutex_t lock;
	pthread_cond_t reported_more, go;
	int reported; /* members that are ready, or have failed */
	const struct topology *topology;
	const atomic_bool *cancel;
	struct load_threads_request request;
	int64_t v[KNOBS_MAX];
	int count; /* members whose threads run */
	int most;
	struct member *member;
};

/* ---- spans of work */

/* A thread that did not run for a larger share of a span was switched out. Reading both clocks is
 * good to about 1 % of a span of 100 us. */
static const double away_most = 0.05;

bool span_is_disturbed(const struct span *span)
{
	if (span->switches != 0)
		return true;
	/* Some systems count a thread's time in steps longer than a span: no step, no evidence. */
	return span->on > 0 && span->at - span->on > away_most * span->at;
}

void spans_add(struct spans *spans, const struct span *span)
{
	if (span_is_disturbed(span)) {
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

/* ---- */

struct load_threads *load_threads_new(const struct topology *topology, int cpu)
{
	int most = topology_processors(topology),
	    *others = calloc((size_t)most + 1, sizeof(*others));
	struct load_threads *load_threads =
		aligned_alloc(_Alignof(struct load_threads), sizeof(*load_threads));

	if (!load_threads || !others) {
		free(load_threads);
		free(others);
		return NULL;
	}
	memset(load_threads, 0, sizeof(*load_threads));
	load_threads->topology = topology;
	load_threads->most = topology_others(topology, cpu, others, most);
	load_threads->member = aligned_alloc(
		_Alignof(struct member), sizeof(struct member) * (size_t)(load_threads->most + 1));
	if (!load_threads->member) {
		free(load_threads);
		free(others);
		return NULL;
	}
	memset(load_threads->member, 0, sizeof(struct member) * (size_t)(load_threads->most + 1));
	for (int i = 0; i < load_threads->most; i++) {
		load_threads->member[i].load_threads = load_threads;
		load_threads->member[i].cpu = others[i];
		load_threads->member[i].working_sets =
			(struct working_sets){ .topology = topology, .cpu = others[i] };
	}
	free(others);
	pthread_mutex_init(&load_threads->lock, NULL);
	pthread_cond_init(&load_threads->reported_more, NULL);
	pthread_cond_init(&load_threads->go, NULL);
	return load_threads;
}

void load_threads_free(struct load_threads *load_threads)
{
	if (!load_threads)
		return;
	load_threads_give_back(load_threads, 0, 0);
	pthread_cond_destroy(&load_threads->go);
	pthread_cond_destroy(&load_threads->reported_more);
	pthread_mutex_destroy(&load_threads->lock);
	free(load_threads->member);
	free(load_threads);
}

/* ---- what a member does ---- */

static enum phase phase_of(struct load_threads *load_threads)
{
	return (enum phase)atomic_load_explicit(&load_threads->phase, memory_order_acquire);
}

/* Tells that it is ready, or has failed, and waits for the others; returns whether there is
 * something to run for. */
static bool report(struct member *member)
{
	struct load_threads *load_threads = member->load_threads;

	pthread_mutex_lock(&load_threads->lock);
	load_threads->reported++;
	pthread_cond_signal(&load_threads->reported_more);
	while (phase_of(load_threads) == PHASE_GATHER)
		pthread_cond_wait(&load_threads->go, &load_threads->lock);
	pthread_mutex_unlock(&load_threads->lock);
	return status_is_ok(&member->status);
}

/* One call, which returns the bytes that it moved. */
struct work {
	uint64_t (*call)(struct work *work);
	struct kernel_run run;
	uint64_t elements; /* of a call */
	const unsigned char *stream;
	uint64_t at, bytes, sink;
};

static uint64_t call_same(struct work *work)
{
	work->run.kernel->call(&work->run, work->elements);
	return work->elements * work->run.bytes;
}

/* Reads all of it in its order: eight loads a line into four sums, far more than any memory gives.
 */
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

/* Calls for the length of a span, or until the phase is another; once at least. */
static struct span run_span(
	struct load_threads *load_threads, struct work *work, struct clock_thread *before)
{
	double begin = clock_seconds(), end;
	struct span span = { 0 };
	struct clock_thread after;

	do {
		span.bytes += work->call(work);
		end = clock_seconds();
	} while (end - begin < span_seconds && phase_of(load_threads) == PHASE_COUNT);
	after = clock_thread();
	span.seconds = end - begin;
	span.at = after.at - before->at;
	span.on = after.on - before->on;
	span.switches = after.switches - before->switches;
	*before = after;
	return span;
}

static void run(struct member *member, struct work *work)
{
	struct load_threads *load_threads = member->load_threads;
	struct spans spans = { 0 };

	while (phase_of(load_threads) == PHASE_RUN)
		work->call(work);
	if (phase_of(load_threads) == PHASE_COUNT) {
		struct clock_thread before = clock_thread();

		atomic_fetch_add(&load_threads->counting, 1);
		do {
			struct span span = run_span(load_threads, work, &before);

			spans_add(&spans, &span);
		} while (phase_of(load_threads) == PHASE_COUNT);
	}
	while (phase_of(load_threads) == PHASE_REST)
		work->call(work);
	member->spans = spans;
	member->sink = work->sink;
}

/* As many elements as a call should take; this also walks the working set warm. */
static void choose_call(struct member *member, struct work *work)
{
	double seconds = 0;

	kernel_rewind(&work->run);
	for (work->elements = work->run.granule; seconds < call_seconds / 2; work->elements *= 2) {
		double begin = clock_seconds();

		call_same(work);
		seconds = clock_seconds() - begin;
		if (atomic_load(member->load_threads->cancel))
			return;
	}
}

static void do_the_same(struct member *member)
{
	const struct load_threads_request *request = &member->load_threads->request;
	const struct working_set_request wanted = { .kernel = request->kernel,
		.v = member->load_threads->v,
		.seed = request->seed,
		.limit = member->may_hold,
		.now = request->now };
	struct work work = { .call = call_same };
	struct slot *slot;

	member->status = working_sets_lay(
		&member->working_sets, &wanted, member->load_threads->cancel, &work.run, &slot);
	if (status_is_ok(&member->status))
		choose_call(member, &work);
	if (report(member))
		run(member, &work);
}

static void stream(struct member *member)
{
	const struct load_threads_request *request = &member->load_threads->request;
	int64_t node = kernel_asked(request->kernel, member->load_threads->v, ASKS_NODE);
	struct arena_place place = { .topology = member->load_threads->topology,
		.node = node > 0 ? (int)node - 1
				 : topology_node_of(member->load_threads->topology, member->cpu) };
	struct work work = { .call = call_stream,
		.bytes = request->stream_bytes / STREAM_PIECE * STREAM_PIECE };
	bool kept;

	if (member->stream_node != place.node)
		arena_free(&member->stream);
	member->stream_node = place.node;
	member->status = arena_need(&member->stream, work.bytes, work.bytes, &place,
		member->load_threads->cancel, &kept);
	work.stream = member->stream.memory;
	if (report(member))
		run(member, &work);
}

static void *member_main(void *context)
{
	struct member *member = context;
	struct status bound = topology_bind(member->load_threads->topology, member->cpu);

	member->status = bound;
	if (!status_is_ok(&bound))
		report(member);
	else if (member->streams)
		stream(member);
	else
		do_the_same(member);
	return NULL;
}

/* ---- who leads them ---- */

static uint64_t held_by(const struct member *member)
{
	return working_sets_held(&member->working_sets) + member->stream.touched;
}

static void free_member(struct member *member)
{
	working_sets_free(&member->working_sets);
	arena_free(&member->stream);
}

uint64_t load_threads_held(const struct load_threads *load_threads)
{
	uint64_t held = 0;

	for (int i = 0; i < load_threads->most; i++)
		held += held_by(&load_threads->member[i]);
	return held;
}

void load_threads_give_back(struct load_threads *load_threads, double now, double idle)
{
	for (int i = 0; i < load_threads->most; i++)
		if (idle <= 0 || now - load_threads->member[i].used > idle)
			free_member(&load_threads->member[i]);
}

/* What a member holds at most when it has what it needs now. */
static uint64_t will_hold(const struct load_threads *load_threads, int index, uint64_t set)
{
	const struct member *member = &load_threads->member[index];
	uint64_t held = held_by(member), stream = load_threads->request.stream_bytes;

	if (index >= load_threads->count)
		return held;
	if (!member->streams)
		return held + set;
	return held - member->stream.touched +
	       (stream > member->stream.touched ? stream : member->stream.touched);
}

/* Memory that is needed for nothing now stays, unless all of it together would be too much. */
static void make_room(struct load_threads *load_threads)
{
	const struct load_threads_request *request = &load_threads->request;
	uint64_t set = kernel_footprint(request->kernel, load_threads->v), all = 0;

	/* In whole pieces. */
	set = set / ARENA_PIECE * ARENA_PIECE + ARENA_PIECE;
	for (int i = 0; i < load_threads->most; i++) {
		load_threads->member[i].may_hold = will_hold(load_threads, i, set);
		all += load_threads->member[i].may_hold;
	}
	if (all <= request->limit)
		return;
	for (int i = 0; i < load_threads->most; i++) {
		struct member *member = &load_threads->member[i];

		member->may_hold = request->share;
		if (i >= load_threads->count || member->streams)
			working_sets_free(&member->working_sets);
		if (i >= load_threads->count || !member->streams ||
			member->stream.touched > request->stream_bytes)
			arena_free(&member->stream);
	}
}

static void advance(struct load_threads *load_threads, enum phase phase)
{
	if (load_threads->count == 0)
		return;
	pthread_mutex_lock(&load_threads->lock);
	atomic_store_explicit(&load_threads->phase, (int)phase, memory_order_release);
	pthread_cond_broadcast(&load_threads->go);
	pthread_mutex_unlock(&load_threads->lock);
}

struct status load_threads_gather(struct load_threads *load_threads,
	const struct load_threads_request *request, const atomic_bool *cancel)
{
	int wanted = request->cores + request->streams, error = 0;
	pthread_attr_t attributes;

	if (wanted > load_threads->most)
		return status_failed("%d other cores are asked for: this process may use %d",
			wanted, load_threads->most);
	load_threads->request = *request;
	memcpy(load_threads->v, request->v, sizeof(load_threads->v));
	load_threads->cancel = cancel;
	load_threads->reported = 0;
	atomic_store(&load_threads->counting, 0);
	load_threads->count = wanted;
	atomic_store(&load_threads->phase, PHASE_GATHER);
	for (int i = 0; i < wanted; i++) {
		struct member *member = &load_threads->member[i];

		member->streams = i >= request->cores;
		member->spans = (struct spans){ 0 };
		member->used = request->now;
	}
	make_room(load_threads);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (load_threads->count = 0; load_threads->count < wanted && error == 0;
		load_threads->count++) {
		struct member *member = &load_threads->member[load_threads->count];

		error = pthread_create(&member->thread, &attributes, member_main, member);
		if (error)
			break;
	}
	pthread_attr_destroy(&attributes);
	if (error == 0)
		return status_ok();
	load_threads_dismiss(load_threads);
	return status_failed("no thread for another core: %s", strerror(error));
}

struct status load_threads_begin(struct load_threads *load_threads)
{
	struct status status = status_ok();

	if (load_threads->count == 0)
		return status;
	pthread_mutex_lock(&load_threads->lock);
	while (load_threads->reported < load_threads->count)
		pthread_cond_wait(&load_threads->reported_more, &load_threads->lock);
	pthread_mutex_unlock(&load_threads->lock);
	for (int i = 0; i < load_threads->count && status_is_ok(&status); i++)
		status = load_threads->member[i].status;
	if (status_is_ok(&status) && atomic_load(load_threads->cancel))
		status = status_make(STATUS_CANCELLED, "stopped");
	if (status_is_ok(&status))
		advance(load_threads, PHASE_RUN);
	else
		load_threads_dismiss(load_threads);
	return status;
}

void load_threads_count(struct load_threads *load_threads)
{
	double until = clock_seconds() + start_seconds;

	advance(load_threads, PHASE_COUNT);
	while (atomic_load(&load_threads->counting) < load_threads->count &&
		clock_seconds() < until && !atomic_load(load_threads->cancel))
		;
}

void load_threads_rest(struct load_threads *load_threads)
{
	advance(load_threads, PHASE_REST);
}

double load_threads_dismiss(struct load_threads *load_threads)
{
	double gbps = load_threads->count > 0 ? 0 : NAN;

	advance(load_threads, PHASE_END);
	for (int i = 0; i < load_threads->count; i++) {
		pthread_join(load_threads->member[i].thread, NULL);
		gbps += spans_rate(&load_threads->member[i].spans) * 1e-9;
	}
	load_threads->count = 0;
	return gbps;
}
