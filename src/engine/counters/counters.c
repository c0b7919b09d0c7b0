/* Only this file uses libpfm. libpfm is not thread-safe: it uses errno when it matches names, and
 * fills tables at the first call. Every call of libpfm is therefore made under `lock`. libpfm is
 * loaded at its first use: its tables of pointers, 1 MB, would cost each start of the program 2 ms
 * (measured on Zen 3), and a program that encodes no event needs none of them. */
#include "engine/counters/counters.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

#include "base/library.h"
#include "base/text.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;

/* The functions of libpfm; its headers supply only their types. */
/* clang-format off */
#define FUNCTIONS(each) \
	each(pfm_initialize) each(pfm_get_version) each(pfm_strerror) each(pfm_get_pmu_info) \
	each(pfm_get_event_next) each(pfm_get_event_info) each(pfm_get_event_attr_info) \
	each(pfm_get_os_event_encoding)
/* clang-format on */

#define DECLARE(name) __typeof__(&name) name;
#define PLACE(name)   { #name, (void **)&api.name },

static struct {
	FUNCTIONS(DECLARE)
} api;
static char why_unusable[LIBRARY_WHY];

/* The event names of one PMU: events, or events with one unit mask. A PMU's catalogue of event
 * names is built at the first request and kept. */
struct catalogue {
	struct catalogue *next;
	pfm_pmu_t pmu;
	size_t count;
	struct counter_offer *offers;
};

static struct catalogue *catalogues;

void counters_begin(void)
{
	/* Let libpfm encode event names even if it does not recognise this processor. The core
	 * model, which knows more processors, selects the event names. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 0);
}

static void initialise(void)
{
	static const struct library_function places[] = { FUNCTIONS(PLACE) };
	int outcome;

	counters_begin();
	if (!library_load("libpfm.so.4", places, sizeof(places) / sizeof(places[0]), why_unusable))
		return;
	outcome = api.pfm_initialize();
	usable = outcome == PFM_SUCCESS;
	if (!usable)
		snprintf(why_unusable, sizeof(why_unusable), "%s", api.pfm_strerror(outcome));
}

static bool begin(void)
{
	pthread_once(&once, initialise);
	return usable;
}

struct status counters_ready(void)
{
	return begin() ? status_ok()
		       : status_failed("libpfm, which knows the names of events, cannot be used "
				       "(%.140s): install libpfm4",
				 why_unusable);
}

/* ---- states in words ---- */

bool count_known(const struct count *count)
{
	return count->state == COUNT_KNOWN || count->state == COUNT_SCALED;
}

static const char *refusal(int error)
{
	switch (error) {
	case EACCES:
	case EPERM: return "refused: the kernel does not allow it (kernel.perf_event_paranoid)";
	case ENOENT:
	case ENXIO:
		return "the processor, the hypervisor or the kernel's driver does not have this "
		       "event";
	case EINVAL: return "refused: the kernel cannot count it for a single thread";
	case EBUSY: return "another program uses it exclusively";
	case ENODEV: return "this machine has no performance counters";
	case EOPNOTSUPP: return "this processor cannot count it for user space only";
	case ENOSYS: return "this kernel has no perf_event_open";
	case EMFILE:
	case ENFILE: return "too many files are open";
	default: return NULL;
	}
}

void count_words(const struct count *count, char *buffer, size_t size)
{
	static const char *const words[] = {
		[COUNT_NONE] = "not counted yet",
		[COUNT_KNOWN] = "",
		[COUNT_SILENT] = "stays at zero in a loop where most events occur",
		[COUNT_HELD] = "others use the counters (the NMI watchdog, or another profiler)",
	};
	const char *reason = refusal(count->error);

	if (count->state == COUNT_SCALED)
		snprintf(buffer, size, "an estimate: it was counted for %.0f %% of the time",
			100 * (double)count->share);
	else if (count->state == COUNT_UNNAMED)
		snprintf(buffer, size, "libpfm %s has no event with that name", counters_version());
	else if (count->state == COUNT_REFUSED)
		snprintf(buffer, size, "%s%s",
			reason ? "" : "refused: ", reason ? reason : strerror(count->error));
	else
		snprintf(buffer, size, "%s", words[count->state]);
}

/* ---- names to numbers ---- */

static int encode(const char *name, struct counter_code *code)
{
	struct perf_event_attr attributes = { .size = sizeof(attributes) };
	pfm_perf_encode_arg_t argument = { .attr = &attributes, .size = sizeof(argument) };
	int outcome;

	errno = 0; /* libpfm would report an old ERANGE in errno as its own error */
	outcome = api.pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &argument);
	if (outcome != PFM_SUCCESS)
		return outcome;
	*code = (struct counter_code){ .type = attributes.type,
		.config = attributes.config,
		.config1 = attributes.config1,
		.config2 = attributes.config2 };
	/* A modifier of an event name, such as ":k" or ":mg", requests kernel or guest events. */
	code->beyond =
		attributes.exclude_user || !attributes.exclude_kernel || attributes.exclude_host;
	return PFM_SUCCESS;
}

static bool pmu_find(const char *name, pfm_pmu_t *found)
{
	for (pfm_pmu_t pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (api.pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS ||
			strcasecmp(info.name, name) != 0)
			continue;
		*found = pmu;
		return true;
	}
	return false;
}

static const struct catalogue *catalogue_of(pfm_pmu_t pmu);

/* Returns the names of this PMU nearest to a wrong name: unit masks if the event exists, otherwise
 * events. */
static struct near_names events_near(const char *name, pfm_pmu_t pmu)
{
	const struct catalogue *catalogue = catalogue_of(pmu);
	const char *event = strstr(name, "::") + 2, *wrong = event;
	size_t head = (size_t)(event - name), whole = head + strcspn(event, ":"), count = 0;
	struct near_names near = { 0 };
	char **names;

	if (!catalogue || catalogue->count == 0)
		return near;
	names = memory_new(catalogue->count, sizeof(*names));
	for (size_t i = 0; i < catalogue->count; i++) {
		const char *other = catalogue->offers[i].name;

		if (strncasecmp(other, name, whole) == 0 && other[whole] == ':')
			names[count++] = memory_string(other + whole + 1);
	}
	if (count > 0)
		wrong = name + whole + (name[whole] == ':');
	for (size_t i = 0; wrong == event && i < catalogue->count; i++) {
		const char *other = catalogue->offers[i].name + head;
		size_t length = strcspn(other, ":");

		if (count > 0 && strncmp(names[count - 1], other, length) == 0 &&
			names[count - 1][length] == '\0')
			continue;
		names[count] = memory_string(other);
		names[count++][length] = '\0';
	}
	near = nearest_names(wrong, (const char *const *)names, count);
	/* No unit mask is near, or the unit mask is missing: show the first unit masks as examples.
	 */
	if (near.text[0] == '\0' && wrong != event)
		snprintf(near.text, sizeof(near.text), "%.60s%s%.60s%s", names[0],
			count > 1 ? ", " : "", count > 1 ? names[1] : "", count > 2 ? ", …" : "");
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return near;
}

static struct status unnamed(const char *name, int outcome)
{
	const char *version = counters_version();
	const char *end = strstr(name, "::");
	char pmu_name[COUNTER_NAME];
	struct near_names near;
	pfm_pmu_t pmu;

	snprintf(pmu_name, sizeof(pmu_name), "%.*s", end ? (int)(end - name) : 0, name);
	if (pmu_name[0] == '\0')
		return status_usage("event '%.80s': %s; write PMU::EVENT:UNIT_MASK; slexplore "
				    "events WORD finds names",
			name, api.pfm_strerror(outcome));
	if (!pmu_find(pmu_name, &pmu))
		return status_usage(
			"event '%.80s': libpfm %s knows no PMU '%.40s'", name, version, pmu_name);
	near = events_near(name, pmu);
	return status_usage("event '%.80s': %s%s%s", name, api.pfm_strerror(outcome),
		near.text[0] ? "; there is " : "", near.text);
}

struct status counters_encode(const char *name, struct counter_code *code)
{
	struct status status = counters_ready();
	int outcome;

	*code = (struct counter_code){ 0 };
	if (!status_is_ok(&status))
		return status_failed("event '%.80s': %.240s", name, status.text);
	pthread_mutex_lock(&lock);
	outcome = encode(name, code);
	if (outcome != PFM_SUCCESS)
		status = unnamed(name, outcome);
	pthread_mutex_unlock(&lock);
	if (status_is_ok(&status) && code->beyond)
		return status_usage("event '%.80s': only user space of this machine can be "
				    "counted: leave out k, h, mg, mh",
			name);
	return status;
}

/* ---- available events ---- */

static void catalogue_add(struct catalogue *catalogue, const char *pmu,
	const pfm_event_info_t *event, const pfm_event_attr_info_t *mask)
{
	struct counter_offer offer = { .name = "" };
	struct counter_code code;

	if (snprintf(offer.name, sizeof(offer.name), "%s::%s%s%s", pmu, event->name,
		    mask ? ":" : "", mask ? mask->name : "") >= (int)sizeof(offer.name))
		return;
	/* Skip event names whose unit mask needs a second unit mask. Skip tracepoints in searches
	 * for events, too: tracepoints count events inside the kernel. */
	if (encode(offer.name, &code) != PFM_SUCCESS || code.type == PERF_TYPE_TRACEPOINT)
		return;
	snprintf(offer.help, sizeof(offer.help), "%s%s%s", event->desc ? event->desc : "",
		mask && mask->desc ? ": " : "", mask && mask->desc ? mask->desc : "");
	text_cut_clean(offer.help, sizeof(offer.help));
	catalogue->offers = memory_grow(catalogue->offers, (size_t)catalogue->count, sizeof(offer));
	catalogue->offers[catalogue->count++] = offer;
}

static void catalogue_add_event(
	struct catalogue *catalogue, const char *pmu, const pfm_event_info_t *event)
{
	bool masks = false;

	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attribute = { .size = sizeof(attribute) };

		if (api.pfm_get_event_attr_info(event->idx, i, PFM_OS_PERF_EVENT, &attribute) !=
				PFM_SUCCESS ||
			attribute.type != PFM_ATTR_UMASK)
			continue;
		masks = true;
		catalogue_add(catalogue, pmu, event, &attribute);
	}
	if (!masks)
		catalogue_add(catalogue, pmu, event, NULL);
}

static const struct catalogue *catalogue_of(pfm_pmu_t pmu)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };
	struct catalogue *catalogue;

	for (catalogue = catalogues; catalogue; catalogue = catalogue->next)
		if (catalogue->pmu == pmu)
			return catalogue;
	if (api.pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS)
		return NULL;
	catalogue = memory_new(1, sizeof(*catalogue));
	catalogue->next = catalogues;
	catalogue->pmu = pmu;
	catalogues = catalogue;
	for (int index = info.first_event; index != -1; index = api.pfm_get_event_next(index)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		if (api.pfm_get_event_info(index, PFM_OS_PERF_EVENT, &event) == PFM_SUCCESS)
			catalogue_add_event(catalogue, info.name, &event);
	}
	return catalogue;
}

/* Whether each of the words is in the event's name or in its help text. */
static bool offer_fits(const struct counter_offer *offer, const char *words)
{
	char word[64];
	int used;

	for (; sscanf(words, " %63s%n", word, &used) == 1; words += used)
		if (!strcasestr(offer->name, word) && !strcasestr(offer->help, word))
			return false;
	return true;
}

size_t counters_search(
	const char *words, const char *pmu_name, struct counter_offer *offers, size_t most)
{
	pfm_pmu_t wanted = PFM_PMU_NONE;
	size_t found = 0;
	bool named;

	if (!begin())
		return 0;
	pthread_mutex_lock(&lock);
	/* The installed version of libpfm may not know the core's PMU. */
	named = pmu_name && pmu_find(pmu_name, &wanted);
	for (pfm_pmu_t pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };
		const struct catalogue *catalogue;
		bool here;

		if (api.pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS)
			continue;
		/* Skip uncore PMUs: they do not count per thread. Skip the PMU "perf_raw": it has
		 * one name for all its codes. Of the core PMUs, use the PMU `pmu_name`: libpfm may
		 * mistake this processor for another, above all in a virtual machine. */
		here = info.is_present &&
		       (info.type == PFM_PMU_TYPE_OS_GENERIC ||
			       (info.type == PFM_PMU_TYPE_CORE && !named)) &&
		       pmu != PFM_PMU_PERF_EVENT_RAW;
		if (!here && !(named && pmu == wanted))
			continue;
		catalogue = catalogue_of(pmu);
		for (size_t i = 0; catalogue && i < catalogue->count; i++) {
			if (!offer_fits(&catalogue->offers[i], words))
				continue;
			if (found < most)
				offers[found] = catalogue->offers[i];
			found++;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- version of libpfm ---- */

static char version[24];

/* libpfm itself reports "4.0" in every version; its file is called libpfm.so.4.13.0. */
static void find_version(void)
{
	char path[PATH_MAX];
	const char *digits;
	Dl_info library;
	int told;

	if (!begin())
		return;
	told = api.pfm_get_version();
	snprintf(version, sizeof(version), "%d", PFM_MAJ_VERSION(told));
	if (!dladdr((const void *)(uintptr_t)api.pfm_initialize, &library) || !library.dli_fname ||
		!realpath(library.dli_fname, path))
		return;
	digits = strstr(path, "libpfm.so.");
	if (!digits)
		return;
	snprintf(version, sizeof(version), "%.20s", digits + strlen("libpfm.so."));
	if (strlen(version) > 2 && strcmp(version + strlen(version) - 2, ".0") == 0 &&
		strchr(version, '.') != strrchr(version, '.'))
		*strrchr(version, '.') = '\0';
}

const char *counters_version(void)
{
	static pthread_once_t found = PTHREAD_ONCE_INIT;

	pthread_once(&found, find_version);
	return version;
}
