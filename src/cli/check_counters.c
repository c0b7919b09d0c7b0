/* The checks of performance counters: whether they count, which events are available, how counters
 * are read, and which other programs use them. */
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

struct check check_found(enum check_state state, const char *format, ...)
{
	struct check check = { .state = state, .value = NAN };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check.finding, sizeof(check.finding), format, arguments);
	va_end(arguments);
	return check;
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

struct check check_advised(struct check check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check.advice, sizeof(check.advice), format, arguments);
	va_end(arguments);
	return check;
}

struct check check_measured(
	enum check_state state, double value, const char *unit, const char *format, ...)
{
	struct check check = { .state = state, .value = value, .unit = unit };
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check.finding, sizeof(check.finding), format, arguments);
	va_end(arguments);
	return check;
}

/* ---- The checks */

/* Whether at least one event could be opened. */
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

/* Returns how to enable counters in a guest of this hypervisor. */
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

/* Makes the check for a machine on which no event can be opened. */
static struct check none(const struct examination *x)
{
	switch (x->counter_error) {
	case 0:
		return check_found(CHECK_NOTE,
			"a counter of core cycles can be opened, and yet nothing was counted%s%s",
			*x->counts.why ? ": " : "", x->counts.why);
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		if (check_virtual_machine(x))
			return check_advised(
				check_found(CHECK_NOTE, "no counters: no performance monitoring "
							"unit is given to this guest"),
				"%s Until then cycles come from the reference chain.",
				guest_setting(x->environment.hypervisor_name));
		return check_advised(
			check_found(CHECK_NOTE, "no counters: the kernel has no driver for this "
						"processor's performance monitoring unit"),
			"A newer kernel may know this processor%s. Until then cycles come from the "
			"reference chain.",
			x->environment.hypervisor < 0 ? "; if this is a virtual machine, ask for a "
							"virtual PMU (QEMU: -cpu host,pmu=on)"
						      : "");
	case EACCES:
	case EPERM:
		return check_advised(
			check_found(CHECK_NOTE,
				"no counters: the system does not allow them to this user"),
			"%s",
			x->pmu.paranoid > 2
				? "See paranoid. Until then cycles come from the reference chain."
				: "A container's or sandbox's filter refuses perf_event_open: "
				  "allow that system call (Docker: --cap-add PERFMON, or a seccomp "
				  "profile of your own).");
	case ENOSYS:
		return check_advised(
			check_found(CHECK_NOTE, "no counters: this kernel has no perf_event_open, "
						"or a filter hides it"),
			"A kernel with CONFIG_PERF_EVENTS is needed; cycles come from the "
			"reference chain.");
	case EBUSY:
		return check_advised(
			check_found(CHECK_NOTE, "no counters: somebody else holds them"),
			"Stop other profilers; for the NMI watchdog see watchdog.");
	default:
		return check_advised(
			check_found(CHECK_NOTE, "no counters: %s", strerror(x->counter_error)),
			"Cycles come from the reference chain.");
	}
}

struct check check_counters(const struct examination *x)
{
	int count = known(x);
	struct check check;

	if (!opened(x))
		return none(x);
	if (count == 0)
		return check_advised(check_measured(CHECK_BAD, 0, "events",
					     "counters open, and none of them counts"),
			"A hypervisor or an emulator that only pretends to have them, or somebody "
			"who holds them all: see watchdog, and slexplore events. Cycles come from "
			"the reference chain.");
	check = check_measured(CHECK_OK, count, "events",
		"%d of %d events count, in %d pass%s over a loop; cycles come from %s", count,
		x->counts.count, x->counts.groups, x->counts.groups == 1 ? "" : "es",
		x->sample.cycles_from == SOURCE_COUNTER ? "a counter" : "the reference chain");
	if (x->sample.cycles_from != SOURCE_COUNTER || !isfinite(x->sample.check))
		return check;
	check_add(&check, ", and the reference chain tells %.1f%% %s of them",
		100 * fabs(x->sample.check - 1), x->sample.check < 1 ? "fewer" : "more");
	if (!counts_clocks_differ(x->sample.check))
		return check;
	check.state = CHECK_NOTE;
	return check_advised(check, "One of the two clocks is wrong: contention delays the chain, "
				    "and some hypervisors count their own cycles too.");
}

struct check check_pmu(const struct examination *x)
{
	const struct pmu *pmu = &x->pmu;
	struct check check;
	char words[200];

	if (!*pmu->name)
		return check_found(
			CHECK_NOTE, "the kernel names no counters for the measured core");
	pmu_words(pmu, words, sizeof(words));
	check = check_measured(*pmu->others ? CHECK_NOTE : CHECK_OK,
		pmu->counters > 0 ? pmu->counters : NAN, "counters", "%s", words);
	if (pmu->counters > 0 && pmu->width > 0)
		check_add(&check, ": %d counters for any event, %d for one each, of %d bits",
			pmu->counters, pmu->fixed, pmu->width);
	return !*pmu->others ? check
			     : check_advised(check, "Cores of the other kind have counters and "
						    "events of their own: --cpu chooses.");
}

struct check check_events(const struct examination *x)
{
	const struct event_plan *plan = x->events;
	int unavailable = opened(x) ? x->counts.count - known(x) : 0;
	enum event_role roles[ROLE_COUNT];
	struct check check;

	if (!plan || plan->counters.count == 0)
		return check_found(CHECK_NOTE, "what to count here is unknown%s%s",
			plan && *plan->why ? ": " : "", plan ? plan->why : "");
	check = check_found(*plan->why					 ? CHECK_BAD
			    : plan->generic || !opened(x) || unavailable ? CHECK_NOTE
									 : CHECK_OK,
		"%d events are named for %s", plan->counters.count,
		plan->generic ? "every processor, none for this core" : "this core");
	if (!opened(x))
		check_add(&check, ", and none can be counted");
	else if (unavailable)
		check_add(&check, ", %d of them unavailable here", unavailable);
	for (int i = 0, count = events_lacking(plan, roles); i < count; i++)
		check_add(&check, "%s%s", i ? ", " : "; nothing is named for ",
			event_roles[roles[i]].title);
	if (*plan->why)
		return check_advised(check, "%s", plan->why);
	if (plan->generic)
		return check_advised(check,
			"libpfm %s may know this core: slexplore events WORD looks, --event NAME "
			"counts, and a core model of your own names them for good.",
			counters_version());
	if (!opened(x))
		return check_advised(
			check, "See counters. slexplore events lists them all the same.");
	return !unavailable ? check
			    : check_advised(check, "slexplore events shows for each event whether "
						   "it counts, and why not.");
}

struct check check_reading(const struct examination *x)
{
	const struct pmu *pmu = &x->pmu;
	struct check check;

	if (!opened(x))
		return check_found(
			CHECK_NOTE, "how counters would be read is unknown: there are none");
	if (x->counts.direct)
		return check_found(CHECK_OK, "counters are read directly, without a system call");
	check = check_found(CHECK_NOTE, "counters are read by system calls: correct, but slower");
	if (pmu->user_access == 0)
		return check_advised(check, "As root: sysctl kernel.perf_user_access=1 lets "
					    "programs read them directly.");
	if (pmu->rdpmc == 0 && *pmu->name)
		return check_advised(check,
			"As root: echo 1 > /sys/bus/event_source/devices/%s/rdpmc lets programs "
			"read them directly.",
			pmu->name);
	return !pmu->arm ? check
			 : check_advised(check, "Linux 5.17 and later have the switch "
						"kernel.perf_user_access; this kernel does not.");
}

struct check check_paranoid(const struct examination *x)
{
	int level = x->pmu.paranoid;

	if (level == -9)
		return check_found(CHECK_NOTE, "kernel.perf_event_paranoid cannot be read: this "
					       "kernel has no counters, or hides them");
	if (level <= 2)
		return check_measured(CHECK_OK, level, "level",
			"kernel.perf_event_paranoid is %d: users may count their own code, and no "
			"more is needed",
			level);
	return check_advised(check_measured(x->root ? CHECK_OK : CHECK_NOTE, level, "level",
				     "kernel.perf_event_paranoid is %d: users may count nothing%s",
				     level, x->root ? ", root may" : ""),
		"%ssysctl kernel.perf_event_paranoid=2, or setcap cap_perfmon+ep on the program.",
		x->root ? "" : "As root: ");
}

struct check check_watchdog(const struct examination *x)
{
	switch (x->pmu.nmi_watchdog) {
	case 1:
		return check_advised(check_found(CHECK_NOTE, "the NMI watchdog holds one counter"),
			"As root: sysctl kernel.nmi_watchdog=0 frees it; the more counters, the "
			"fewer passes over a loop.");
	case 0: return check_found(CHECK_OK, "the NMI watchdog is off, and holds no counter");
	default:
		return check_found(
			*x->pmu.name ? CHECK_OK : CHECK_NOTE, "no NMI watchdog is known here");
	}
}
