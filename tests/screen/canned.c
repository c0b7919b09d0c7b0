/* Formulas instead of measurements. */
#include "canned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double GHZ = 4.12;
/* Seconds from a request to its first answer. */
static const double DELAY = 0.004;

void canned_init(struct canned *canned, bool machine_known)
{
	struct machine *machine = &canned->machine;

	memset(canned, 0, sizeof(*canned));
	canned->now = 100;
	canned->ready = INFINITY;
	canned->match = UARCH_EXACT;
	snprintf(machine->host, sizeof(machine->host), "canned");
	snprintf(machine->name, sizeof(machine->name), "AMD EPYC, family 1ah model 02h");
	snprintf(machine->arch, sizeof(machine->arch), "x86_64");
	snprintf(machine->clock_name, sizeof(machine->clock_name), "imul chain, 3 cycles a link");
	machine->virtualised = true;
	machine->processors = 2;
	machine->cpu = 1;
	machine->bound = true;
	machine->apart = true;
	machine->cache_count = 3;
	machine->cache[0] = (struct machine_cache){ 1, 48 << 10, 64 };
	machine->cache[1] = (struct machine_cache){ 2, 1 << 20, 64 };
	machine->cache[2] = (struct machine_cache){ 3, 32 << 20, 64 };
	machine->processor.dtlb[0] = 96;
	machine->memory_limit = (uint64_t)4 << 30;
	machine->tick_hz = 2.6e9;
	machine->tick_step = 26;
	machine->watched = true;
	machine->huge_pages = true;
	atomic_store(&machine->known, machine_known);
}

void canned_limit(struct canned *canned)
{
	struct machine *machine = &canned->machine;

	machine->bound = machine->huge_pages = machine->watched = false;
	snprintf(machine->bind_note, sizeof(machine->bind_note),
		"core 1 refused: Operation not permitted");
	snprintf(machine->huge_note, sizeof(machine->huge_note), "huge pages are off");
}

int64_t canned_knob(
	const struct kernel *kernel, const int64_t *v, const char *name, int64_t otherwise)
{
	int index = kernel_knob(kernel, name);

	return index >= 0 ? v[index] : otherwise;
}

static int64_t knob(const struct request *request, const char *name, int64_t otherwise)
{
	return canned_knob(request->kernel, request->v, name, otherwise);
}

/* Cycles that a line costs on top, by where the working set lives. */
static double line_cost(uint64_t footprint)
{
	return footprint <= 48 << 10   ? 0
	       : footprint <= 1 << 20  ? 2
	       : footprint <= 32 << 20 ? 6
				       : 22;
}

/* Two misses with fillers between them: as on a Zen 5, but that loads are spread over two buffers,
 * and branches fill none. */
static double window_cycles(const struct request *request)
{
	static const double knees[] = { 442, 204, 203, 103, 85, 64, INFINITY },
			    spreads[] = { 0, 0, 40, 0, 0, 0, 0 };
	int64_t filler = knob(request, "filler", 0);
	double fillers = (double)knob(request, "fillers", 0), knee = knees[filler],
	       spread = spreads[filler], share = fillers > knee;

	if (spread > 0)
		share = fmin(1, fmax(0, (fillers - knee + spread / 2) / spread));
	if (knob(request, "remedy", 0))
		share = 0;
	return 610 * (1 + share) + fmax(0, 2 * fillers - 448) / 6;
}

double canned_cpe(const struct request *request)
{
	static const double latency[2][4] = { { 1, 1, 2, 2 }, { 3, 3, 3, 3 } };
	uint64_t footprint = kernel_footprint(request->kernel, request->v);
	double cost = line_cost(footprint), chain;
	int64_t type = knob(request, "type", 3), bytes = type % 2 ? 8 : 4;
	double lines = fmin(1, (double)(knob(request, "stride", 1) * bytes) / 64);

	if (strcmp(request->kernel->name, "list-length") == 0)
		return 4 + cost * (knob(request, "order", 0)
						  ? 8
						  : (double)knob(request, "spacing", 16) / 64);
	if (strcmp(request->kernel->name, "mountain") == 0)
		return 0.5 + lines * cost;
	if (strcmp(request->kernel->name, "window") == 0)
		return window_cycles(request);
	chain = latency[knob(request, "op", 0)][type] /
		(double)(knob(request, "shape", 0) ? knob(request, "unroll", 1)
						   : knob(request, "acc", 1));
	return fmax(fmax(chain, 0.5), lines * cost);
}

/* A number from 0 to 999 that looks random, the same for the same trial. */
static unsigned scramble(unsigned i)
{
	i = (i ^ 61) * 2654435761u;
	i = (i ^ i >> 15) * 2246822519u;
	return (i >> 13) % 1000;
}

/* A number for the luck of a request's trials. While a campaign computes, the session may ask for
 * other things first, so the number of a campaign's request is not the same in each run. */
static unsigned luck_of(const struct request *request)
{
	unsigned sum = 0;

	if (!request->background)
		return (unsigned)(request->generation % 16);
	for (int i = 0; i < request->kernel->knob_count; i++)
		sum += (unsigned)request->v[i];
	return scramble(sum) % 16;
}

static bool is_combine(const struct request *request, int64_t unroll)
{
	return strcmp(request->kernel->name, "combine") == 0 &&
	       knob(request, "unroll", 1) == unroll && !request->background;
}

static void make_trials(const struct canned *canned, unsigned count, struct result *result)
{
	int64_t unroll = strcmp(canned->request.kernel->name, "combine") == 0
				 ? knob(&canned->request, "unroll", 1)
				 : 1;
	double cpe = canned->fixed > 0 ? canned->fixed : canned_cpe(&canned->request);
	bool clock = canned->counters == CANNED_CLOCK;
	bool contended = unroll == 13 || (is_combine(&canned->request, 10) && canned->tens > 2);

	unsigned chance = luck_of(&canned->request);

	for (unsigned i = 0; i < count; i++) {
		struct trial *trial = &result->trials.trial[i];
		unsigned luck = scramble(i + 1000 * chance);

		*trial = (struct trial){ .cpe = cpe *
						(1 + (scramble(luck + i) / 999.0 - 0.5) * 0.006),
			.ghz = GHZ,
			.check = clock ? 1.046f : NAN,
			.watch = 1,
			.turns = 1,
			.at = (float)(canned->request.budget.seconds * i / count),
			.fate = TRIAL_QUIET };
		if (luck < 90 || contended) {
			trial->fate = TRIAL_CONTENDED;
			trial->cpe *= contended ? 1.21 : 1.01 + luck * 0.0002;
		} else if (luck < 120) {
			trial->fate = TRIAL_DRIFTED;
			trial->cpe *= 0.985;
		}
		if (unroll == 11 && luck % 5 < 2)
			trial->cpe *= 1.25;
		/* A walk that comes to no steady state. */
		if (unroll == 14) {
			trial->unsettled = true;
			trial->cpe *= 1 + 0.3 * i / count;
		}
	}
	result->trials.count = count;
	result->facts = (struct run_facts){ .cpu = 1,
		.bound = true,
		.cycles_from = clock ? SOURCE_COUNTER : SOURCE_REFERENCE,
		.ring = 4096,
		.granule = 1,
		.footprint = kernel_footprint(canned->request.kernel, canned->request.v),
		.bytes = knob(&canned->request, "type", 3) % 2 ? 8 : 4,
		.call = 4096,
		.calls = 1,
		.watched = canned->machine.watched,
		.pages = "huge",
		/* Data that the branch predictor learns. */
		.cpe_fresh = unroll == 12 ? 4 * cpe : 0 };
}

static void start_result(const struct canned *canned, struct result *result)
{
	memset(result, 0, sizeof(*result));
	result->generation = canned->request.generation;
	result->tag = canned->request.tag;
	result->kernel = canned->request.kernel;
	memcpy(result->v, canned->request.v, sizeof(result->v));
	result->status = status_ok();
	result->final = true;
}

static void cancel(void *context)
{
	struct canned *canned = context;

	if (!canned->pending)
		return;
	start_result(canned, &canned->cancelled);
	canned->cancelled.status = status_make(STATUS_CANCELLED, "cancelled");
	canned->has_cancelled = true;
	canned->pending = false;
	canned->ready = INFINITY;
}

static void submit(void *context, const struct request *request)
{
	struct canned *canned = context;

	cancel(canned);
	canned->request = *request;
	canned->asked = canned->now;
	canned->pending = true;
	canned->early = false;
	canned->tens += is_combine(request, 10);
	canned->ready = is_combine(request, 15) ? INFINITY : canned->now + DELAY;
}

static bool take(void *context, struct result *result)
{
	struct canned *canned = context;
	unsigned provisional = canned->request.budget.provisional;

	if (canned->has_cancelled) {
		*result = canned->cancelled;
		canned->has_cancelled = false;
		return true;
	}
	if (!canned->pending || canned->now < canned->ready)
		return false;
	start_result(canned, result);
	if (kernel_footprint(result->kernel, result->v) >= 1u << 30) {
		result->status = status_failed("1 GiB of memory was refused: the limit is 900 MiB");
		canned->pending = false;
	} else if (provisional && !canned->early) {
		make_trials(canned, provisional, result);
		result->final = false;
		canned->early = true;
		canned->ready = is_combine(&canned->request, 9)
					? INFINITY
					: canned->now + canned->request.budget.seconds;
	} else {
		make_trials(canned, canned->request.budget.quiet_wanted * 6 / 5, result);
		canned_count(canned, &canned->request, &result->counts);
		canned->pending = false;
	}
	return true;
}

/* What never answers takes two seconds to lay out, as it says. */
static struct progress_seen progress(void *context)
{
	const struct canned *canned = context;
	struct progress_seen seen = { .stage = STAGE_NONE };

	if (canned->pending && canned->ready == INFINITY && is_combine(&canned->request, 15))
		seen = (struct progress_seen){ .stage = STAGE_LAYING,
			.share = fmin((canned->now - canned->asked) / 2, 1) };
	return seen;
}

struct engine canned_engine(struct canned *canned)
{
	return (struct engine){ .context = canned,
		.submit = submit,
		.cancel = cancel,
		.take = take,
		.descriptor = -1,
		.machine = &canned->machine,
		.progress = progress,
		.offers = canned_offers,
		.encodes = canned_encodes };
}

double canned_now(void *context)
{
	const struct canned *canned = context;

	return canned->now;
}

void canned_pass(void *context, double seconds, int descriptor_given)
{
	struct canned *canned = context;
	double end = canned->now + seconds;

	/* Nothing is measured: the session waits for a thread that computes, in true time. */
	if (!canned->pending)
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	/* As if the descriptor had become readable. */
	canned->now =
		canned->pending && canned->ready < end ? fmax(canned->ready, canned->now) : end;
}
