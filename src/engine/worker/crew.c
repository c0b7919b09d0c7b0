/* See crew.h.
 *
 * What is shared: `phase` and `counting` are atomics; `lock` guards `reported`. Everything else of
 * a member belongs to its thread from pthread_create() to pthread_join(), and to the caller before
 * and after. */
#include "engine/worker/crew.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "engine/clock/clock.h"
#include "engine/measure/spans.h"
#include "engine/memory/arena.h"
#include "engine/memory/store.h"
#include "kernels/place.h"

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

	struct crew *crew;
	pthread_t thread;
	int cpu;
	bool streams;
	struct status status;
	struct store store;  /* of one that does the same */
	struct arena stream; /* of one that streams */
	int stream_node;
	uint64_t may_hold; /* bytes that its store may */
	double used;	   /* seconds, when it was last gathered */
};

struct crew {
	_Alignas(128) atomic_int phase;
	char apart[128]; /* members look at the phase all the time: nothing else is written beside
			    it */
	atomic_int counting; /* members that have come to count */
	pthread_mutex_t lock;
	pthread_cond_t reported_more, go;
	int reported; /* members that are ready, or have failed */
	const struct topology *topology;
	const atomic_bool *cancel;
	struct crew_request request;
	int64_t v[KNOBS_MAX];
	int count; /* members whose threads run */
	int most;
	struct member *member;
};

struct crew *crew_new(const struct topology *topology, int cpu)
{
	int most = topology_processors(topology),
	    *others = calloc((size_t)most + 1, sizeof(*others));
	struct crew *crew = aligned_alloc(_Alignof(struct crew), sizeof(*crew));

	if (!crew || !others) {
		free(crew);
		free(others);
		return NULL;
	}
	memset(crew, 0, sizeof(*crew));
	crew->topology = topology;
	crew->most = topology_others(topology, cpu, others, most);
	crew->member = aligned_alloc(
		_Alignof(struct member), sizeof(struct member) * (size_t)(crew->most + 1));
	if (!crew->member) {
		free(crew);
		free(others);
		return NULL;
	}
	memset(crew->member, 0, sizeof(struct member) * (size_t)(crew->most + 1));
	for (int i = 0; i < crew->most; i++) {
		crew->member[i].crew = crew;
		crew->member[i].cpu = others[i];
		crew->member[i].store = (struct store){ .topology = topology, .cpu = others[i] };
	}
	free(others);
	pthread_mutex_init(&crew->lock, NULL);
	pthread_cond_init(&crew->reported_more, NULL);
	pthread_cond_init(&crew->go, NULL);
	return crew;
}

void crew_free(struct crew *crew)
{
	if (!crew)
		return;
	crew_give_back(crew, 0, 0);
	pthread_cond_destroy(&crew->go);
	pthread_cond_destroy(&crew->reported_more);
	pthread_mutex_destroy(&crew->lock);
	free(crew->member);
	free(crew);
}

/* ---- what a member does ---- */

static enum phase phase_of(struct crew *crew)
{
	return (enum phase)atomic_load_explicit(&crew->phase, memory_order_acquire);
}

/* Tells that it is ready, or has failed, and waits for the others; returns whether there is
 * something to run for. */
static bool report(struct member *member)
{
	struct crew *crew = member->crew;

	pthread_mutex_lock(&crew->lock);
	crew->reported++;
	pthread_cond_signal(&crew->reported_more);
	while (phase_of(crew) == PHASE_GATHER)
		pthread_cond_wait(&crew->go, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
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

/* What the system says of this thread. */
struct presence {
	long switches; /* involuntary context switches */
	double at, on; /* seconds of the clock, and that the thread ran */
};

static struct presence presence(void)
{
	struct rusage usage;
	struct timespec on;
	struct presence presence;

	getrusage(RUSAGE_THREAD, &usage);
	presence.switches = usage.ru_nivcsw;
	presence.at = clock_seconds();
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &on);
	presence.on = (double)on.tv_sec + (double)on.tv_nsec * 1e-9;
	return presence;
}

/* Calls for the length of a span, or until the phase is another; once at least. */
static struct span run_span(struct crew *crew, struct work *work, struct presence *before)
{
	double begin = clock_seconds(), end;
	struct span span = { 0 };
	struct presence after;

	do {
		span.bytes += work->call(work);
		end = clock_seconds();
	} while (end - begin < span_seconds && phase_of(crew) == PHASE_COUNT);
	after = presence();
	span.seconds = end - begin;
	span.at = after.at - before->at;
	span.on = after.on - before->on;
	span.switches = after.switches - before->switches;
	*before = after;
	return span;
}

static void run(struct member *member, struct work *work)
{
	struct crew *crew = member->crew;
	struct spans spans = { 0 };

	while (phase_of(crew) == PHASE_RUN)
		work->call(work);
	if (phase_of(crew) == PHASE_COUNT) {
		struct presence before = presence();

		atomic_fetch_add(&crew->counting, 1);
		do {
			struct span span = run_span(crew, work, &before);

			spans_add(&spans, &span);
		} while (phase_of(crew) == PHASE_COUNT);
	}
	while (phase_of(crew) == PHASE_REST)
		work->call(work);
	member->spans = spans;
	member->sink = work->sink;
}

/* As many elements as a call should take; this also walks the working set warm. */
static void choose_call(struct member *member, struct work *work)
{
	double seconds = 0;

	work->run.kernel->rewind(&work->run);
	for (work->elements = work->run.granule; seconds < call_seconds / 2; work->elements *= 2) {
		double begin = clock_seconds();

		call_same(work);
		seconds = clock_seconds() - begin;
		if (atomic_load(member->crew->cancel))
			return;
	}
}

static void do_the_same(struct member *member)
{
	const struct crew_request *request = &member->crew->request;
	const struct store_request wanted = { .kernel = request->kernel,
		.v = member->crew->v,
		.seed = request->seed,
		.limit = member->may_hold,
		.now = request->now };
	struct work work = { .call = call_same };
	struct slot *slot;

	member->status = store_lay(&member->store, &wanted, member->crew->cancel, &work.run, &slot);
	if (status_is_ok(&member->status))
		choose_call(member, &work);
	if (report(member))
		run(member, &work);
}

static void stream(struct member *member)
{
	const struct crew_request *request = &member->crew->request;
	int64_t node = kernel_asked(request->kernel, member->crew->v, ASKS_NODE);
	struct arena_place place = { .topology = member->crew->topology,
		.node = node > 0 ? (int)node - 1
				 : topology_node_of(member->crew->topology, member->cpu) };
	struct work work = { .call = call_stream,
		.bytes = request->stream_bytes / STREAM_PIECE * STREAM_PIECE };
	bool kept;

	if (member->stream_node != place.node)
		arena_free(&member->stream);
	member->stream_node = place.node;
	member->status = arena_need(
		&member->stream, work.bytes, work.bytes, &place, member->crew->cancel, &kept);
	work.stream = member->stream.memory;
	if (report(member))
		run(member, &work);
}

static void *member_main(void *context)
{
	struct member *member = context;
	struct status bound = topology_bind(member->crew->topology, member->cpu);

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
	return store_held(&member->store) + member->stream.touched;
}

static void free_member(struct member *member)
{
	store_free(&member->store);
	arena_free(&member->stream);
}

uint64_t crew_held(const struct crew *crew)
{
	uint64_t held = 0;

	for (int i = 0; i < crew->most; i++)
		held += held_by(&crew->member[i]);
	return held;
}

void crew_give_back(struct crew *crew, double now, double idle)
{
	for (int i = 0; i < crew->most; i++)
		if (idle <= 0 || now - crew->member[i].used > idle)
			free_member(&crew->member[i]);
}

/* What a member holds at most when it has what it needs now. */
static uint64_t will_hold(const struct crew *crew, int index, uint64_t set)
{
	const struct member *member = &crew->member[index];
	uint64_t held = held_by(member), stream = crew->request.stream_bytes;

	if (index >= crew->count)
		return held;
	if (!member->streams)
		return held + set;
	return held - member->stream.touched +
	       (stream > member->stream.touched ? stream : member->stream.touched);
}

/* Memory that is needed for nothing now stays, unless all of it together would be too much. */
static void make_room(struct crew *crew)
{
	const struct crew_request *request = &crew->request;
	uint64_t set = request->kernel->footprint(crew->v), all = 0;

	/* In whole pieces. */
	set = set / ARENA_PIECE * ARENA_PIECE + ARENA_PIECE;
	for (int i = 0; i < crew->most; i++) {
		crew->member[i].may_hold = will_hold(crew, i, set);
		all += crew->member[i].may_hold;
	}
	if (all <= request->limit)
		return;
	for (int i = 0; i < crew->most; i++) {
		struct member *member = &crew->member[i];

		member->may_hold = request->share;
		if (i >= crew->count || member->streams)
			store_free(&member->store);
		if (i >= crew->count || !member->streams ||
			member->stream.touched > request->stream_bytes)
			arena_free(&member->stream);
	}
}

static void advance(struct crew *crew, enum phase phase)
{
	if (crew->count == 0)
		return;
	pthread_mutex_lock(&crew->lock);
	atomic_store_explicit(&crew->phase, (int)phase, memory_order_release);
	pthread_cond_broadcast(&crew->go);
	pthread_mutex_unlock(&crew->lock);
}

struct status crew_gather(
	struct crew *crew, const struct crew_request *request, const atomic_bool *cancel)
{
	int wanted = request->cores + request->streams, error = 0;
	pthread_attr_t attributes;

	if (wanted > crew->most)
		return status_make(STATUS_FAILED,
			"%d other cores are asked for: this process may use %d", wanted,
			crew->most);
	crew->request = *request;
	memcpy(crew->v, request->v, sizeof(crew->v));
	crew->cancel = cancel;
	crew->reported = 0;
	atomic_store(&crew->counting, 0);
	crew->count = wanted;
	atomic_store(&crew->phase, PHASE_GATHER);
	for (int i = 0; i < wanted; i++) {
		struct member *member = &crew->member[i];

		member->streams = i >= request->cores;
		member->spans = (struct spans){ 0 };
		member->used = request->now;
	}
	make_room(crew);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (crew->count = 0; crew->count < wanted && error == 0; crew->count++) {
		struct member *member = &crew->member[crew->count];

		error = pthread_create(&member->thread, &attributes, member_main, member);
		if (error)
			break;
	}
	pthread_attr_destroy(&attributes);
	if (error == 0)
		return status_ok();
	crew_dismiss(crew);
	return status_make(STATUS_FAILED, "no thread for another core: %s", strerror(error));
}

struct status crew_begin(struct crew *crew)
{
	struct status status = status_ok();

	if (crew->count == 0)
		return status;
	pthread_mutex_lock(&crew->lock);
	while (crew->reported < crew->count)
		pthread_cond_wait(&crew->reported_more, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
	for (int i = 0; i < crew->count && status_is_ok(&status); i++)
		status = crew->member[i].status;
	if (status_is_ok(&status) && atomic_load(crew->cancel))
		status = status_make(STATUS_CANCELLED, "stopped");
	if (status_is_ok(&status))
		advance(crew, PHASE_RUN);
	else
		crew_dismiss(crew);
	return status;
}

void crew_count(struct crew *crew)
{
	double until = clock_seconds() + start_seconds;

	advance(crew, PHASE_COUNT);
	while (atomic_load(&crew->counting) < crew->count && clock_seconds() < until &&
		!atomic_load(crew->cancel))
		;
}

void crew_rest(struct crew *crew)
{
	advance(crew, PHASE_REST);
}

double crew_dismiss(struct crew *crew)
{
	double gbps = crew->count > 0 ? 0 : NAN;

	advance(crew, PHASE_END);
	for (int i = 0; i < crew->count; i++) {
		pthread_join(crew->member[i].thread, NULL);
		gbps += spans_rate(&crew->member[i].spans) * 1e-9;
	}
	crew->count = 0;
	return gbps;
}
