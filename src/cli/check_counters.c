/* What doctor finds about counters: whether they count, which, how they are read, and who else has
 * a hand in them. */
#include "cli/check.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/counts/counts.h"

/* ---- Filling a check */

const char *check_state_name(enum check_state state)
{
	static const char *const names[] = {
		[CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_BAD] = "bad"
	};

	return names[state];
}

void check_found(struct check *check, enum check_state state, const char *format, ...)
{
	va_list arguments;

	check->state = state;
	va_start(arguments, format);
	vsnprintf(check->finding, sizeof(check->finding), format, arguments);
	va_end(arguments);
}

void check_add(struct check *check, const char *format, ...)
{
	size_t used = strlen(check->finding);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->finding + used, sizeof(check->finding) - used, format, arguments);
	va_end(arguments);
	text_cut_clean(check->finding, sizeof(check->finding));
}

void check_advise(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->advice, sizeof(check->advice), format, arguments);
	va_end(arguments);
}

void check_figure(struct check *check, double value, const char *unit)
{
	check->value = value;
	snprintf(check->unit, sizeof(check->unit), "%s", unit);
}

/* ---- The checks */

/* Whether any event could be opened at all. */
static bool opened(const struct examination *x)
{
	return x->events && x->counts.id && x->counts.id == x->events->counters.id &&
	       x->counts.count > 0;
}

static int known(const struct examination *x)
{
	int count = 0;

	for (int i = 0; opened(x) && i < x->counts.count; i++)
		count += count_known(&x->counts.event[i]);
	return count;
}

/* Where a guest's counters are to be asked for. */
static const char *guest_setting(const char *hypervisor)
{
	static const struct {
		const char *part, *setting;
	} rows[] = {
		{ "Amazon EC2",
			"Take a metal instance: smaller ones are given few counters, or none." },
		{ "Google",
			"Ask for the machine type's PMU setting, or take a bare-metal machine." },
		{ "KVM", "Ask for a virtual PMU (QEMU: -cpu host,pmu=on; libvirt: <pmu "
			 "state='on'/>); in a cloud take a metal instance." },
		{ "VMware", "Have CPU performance counters virtualised (vPMC, vpmc.enable) in this "
			    "machine's processor settings." },
		{ "Hyper-V", "On the host: Set-VMProcessor NAME -Perfmon @(\"pmu\"); in a cloud "
			     "take a metal instance." },
		{ "Xen", "Boot the host with vpmu=on; in a cloud take a metal instance." },
		{ "VirtualBox", "It has none to give: use KVM, VMware, or the machine itself." },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strstr(hypervisor, rows[i].part))
			return rows[i].setting;
	return "Ask for a virtual PMU (QEMU and KVM: -cpu host,pmu=on; VMware: vPMC; clouds: a "
	       "metal instance).";
}

/* Nothing can be opened. */
static void none(const struct examination *x, struct check *check)
{
	int paranoid = x->pmu.paranoid;

	switch (x->counter_error) {
	case 0:
		check_found(check, CHECK_NOTE,
			"a counter of core cycles can be opened, and yet nothing was counted%s%s",
			*x->counts.why ? ": " : "", x->counts.why);
		return;
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		if (check_virtual_machine(x)) {
			check_found(check, CHECK_NOTE,
				"no counters: no performance monitoring unit is given to this "
				"guest");
			check_advise(check, "%s Until then cycles come from the reference chain.",
				guest_setting(x->environment.hypervisor_name));
		} else {
			check_found(check, CHECK_NOTE,
				"no counters: the kernel has no driver for this processor's "
				"performance monitoring unit");
			check_advise(check,
				"A newer kernel may know this processor%s. Until then cycles come "
				"from the reference chain.",
				x->environment.hypervisor < 0
					? "; if this is a virtual machine, ask for a virtual PMU "
					  "(QEMU: -cpu host,pmu=on)"
					: "");
		}
		return;
	case EACCES:
	case EPERM:
		check_found(check, CHECK_NOTE,
			"no counters: the system does not allow them to this user");
		if (paranoid > 2)
			check_advise(check,
				"See paranoid. Until then cycles come from the reference chain.");
		else
			check_advise(check,
				"A container's or sandbox's filter refuses perf_event_open: allow "
				"that system call "
				"(Docker: --cap-add PERFMON, or a seccomp profile of your own).");
		return;
	case ENOSYS:
		check_found(check, CHECK_NOTE,
			"no counters: this kernel has no perf_event_open, or a filter hides it");
		check_advise(check, "A kernel with CONFIG_PERF_EVENTS is needed; cycles come from "
				    "the reference chain.");
		return;
	case EBUSY:
		check_found(check, CHECK_NOTE, "no counters: somebody else holds them");
		check_advise(check, "Stop other profilers; for the NMI watchdog see watchdog.");
		return;
	default:
		check_found(check, CHECK_NOTE, "no counters: %s", strerror(x->counter_error));
		check_advise(check, "Cycles come from the reference chain.");
	}
}

void check_counters(const struct examination *x, struct check *check)
{
	int count = known(x);

	if (!opened(x)) {
		none(x, check);
		return;
	}
	check_figure(check, count, "events");
	if (count == 0) {
		check_found(check, CHECK_BAD, "counters open, and none of them counts");
		check_advise(check,
			"A hypervisor or an emulator that only pretends to have them, or somebody "
			"who holds them all: see "
			"watchdog, and slexplore events. Cycles come from the reference chain.");
		return;
	}
	check_found(check, CHECK_OK,
		"%d of %d events count, in %d pass%s over a loop; cycles come from %s", count,
		x->counts.count, x->counts.groups, x->counts.groups == 1 ? "" : "es",
		x->sample.cycles_from == SOURCE_COUNTER ? "a counter" : "the reference chain");
	if (x->sample.cycles_from != SOURCE_COUNTER || !isfinite(x->sample.check))
		return;
	check_add(check, ", and the reference chain tells %.1f%% %s of them",
		100 * fabs(x->sample.check - 1), x->sample.check < 1 ? "fewer" : "more");
	if (!counts_clocks_differ(x->sample.check))
		return;
	check->state = CHECK_NOTE;
	check_advise(check, "One of the two clocks is wrong: contention delays the chain, and some "
			    "hypervisors count their own cycles too.");
}

void check_pmu(const struct examination *x, struct check *check)
{
	const struct pmu *pmu = &x->pmu;
	char words[200], figures[80] = "";

	if (!*pmu->name) {
		check_found(
			check, CHECK_NOTE, "the kernel names no counters for the measured core");
		return;
	}
	pmu_words(pmu, words, sizeof(words));
	if (pmu->counters > 0) {
		check_figure(check, pmu->counters, "counters");
		snprintf(figures, sizeof(figures),
			": %d counters for any event, %d for one each, of %d bits", pmu->counters,
			pmu->fixed, pmu->width);
	}
	check_found(check, *pmu->others ? CHECK_NOTE : CHECK_OK, "%s%s", words,
		pmu->width > 0 ? figures : "");
	if (*pmu->others)
		check_advise(check, "Cores of the other kind have counters and events of their "
				    "own: --cpu chooses.");
}

/* "; this core's counters do not tell ports, L3 misses". */
static void add_lacking(const struct event_plan *plan, struct check *check)
{
	enum event_role roles[ROLE_COUNT];
	int count = events_lacking(plan, roles);

	for (int i = 0; i < count; i++)
		check_add(
			check, "%s%s", i ? ", " : "; nothing is named for ", role_title(roles[i]));
}

void check_events(const struct examination *x, struct check *check)
{
	const struct event_plan *plan = x->events;
	int unavailable = opened(x) ? x->counts.count - known(x) : 0;

	if (!plan || plan->counters.count == 0) {
		check_found(check, CHECK_NOTE, "what to count here is unknown%s%s",
			plan && *plan->why ? ": " : "", plan ? plan->why : "");
		return;
	}
	check_found(check, CHECK_OK, "%d events are named for %s", plan->counters.count,
		plan->generic ? "every processor, none for this core" : "this core");
	if (!opened(x))
		check_add(check, ", and none can be counted");
	else if (unavailable)
		check_add(check, ", %d of them unavailable here", unavailable);
	add_lacking(plan, check);
	if (*plan->why) {
		check->state = CHECK_BAD;
		check_advise(check, "%s", plan->why);
	} else if (plan->generic) {
		check->state = CHECK_NOTE;
		check_advise(check,
			"libpfm %s may know this core: slexplore events WORD looks, --event NAME "
			"counts, and a core model of your "
			"own names them for good.",
			counters_version());
	} else if (!opened(x)) {
		check->state = CHECK_NOTE;
		check_advise(check, "See counters. slexplore events lists them all the same.");
	} else if (unavailable) {
		check->state = CHECK_NOTE;
		check_advise(check,
			"slexplore events shows for each event whether it counts, and why not.");
	}
}

void check_reading(const struct examination *x, struct check *check)
{
	const struct pmu *pmu = &x->pmu;

	if (!opened(x)) {
		check_found(
			check, CHECK_NOTE, "how counters would be read is unknown: there are none");
		return;
	}
	if (x->counts.direct) {
		check_found(check, CHECK_OK, "counters are read directly, without a system call");
		return;
	}
	check_found(check, CHECK_NOTE, "counters are read by system calls: correct, but slower");
	if (pmu->user_access == 0)
		check_advise(check, "As root: sysctl kernel.perf_user_access=1 lets programs read "
				    "them directly.");
	else if (pmu->rdpmc == 0 && *pmu->name)
		check_advise(check,
			"As root: echo 1 > /sys/bus/event_source/devices/%s/rdpmc lets programs "
			"read them directly.",
			pmu->name);
	else if (pmu->arm)
		check_advise(check, "Linux 5.17 and later have the switch kernel.perf_user_access; "
				    "this kernel does not.");
}

void check_paranoid(const struct examination *x, struct check *check)
{
	int level = x->pmu.paranoid;

	if (level == -9) {
		check_found(check, CHECK_NOTE,
			"kernel.perf_event_paranoid cannot be read: this kernel has no counters, "
			"or hides them");
		return;
	}
	check_figure(check, level, "level");
	if (level <= 2) {
		check_found(check, CHECK_OK,
			"kernel.perf_event_paranoid is %d: users may count their own code, and no "
			"more is needed",
			level);
		return;
	}
	check_found(check, x->root ? CHECK_OK : CHECK_NOTE,
		"kernel.perf_event_paranoid is %d: users may count nothing%s", level,
		x->root ? ", root may" : "");
	check_advise(check,
		"%ssysctl kernel.perf_event_paranoid=2, or setcap cap_perfmon+ep on the program.",
		x->root ? "" : "As root: ");
}

void check_watchdog(const struct examination *x, struct check *check)
{
	switch (x->pmu.nmi_watchdog) {
	case 1:
		check_found(check, CHECK_NOTE, "the NMI watchdog holds one counter");
		check_advise(check, "As root: sysctl kernel.nmi_watchdog=0 frees it; the more "
				    "counters, the fewer passes over a loop.");
		break;
	case 0:
		check_found(check, CHECK_OK, "the NMI watchdog is off, and holds no counter");
		break;
	default:
		check_found(check, *x->pmu.name ? CHECK_OK : CHECK_NOTE,
			"no NMI watchdog is known here");
	}
}
