#include "cli/check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

const char *check_state_name(enum check_state state)
{
	static const char *const names[] = { [CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_BAD] = "bad" };

	return names[state];
}

__attribute__((format(printf, 3, 4)))
static void found(struct check *check, enum check_state state, const char *format, ...)
{
	va_list arguments;

	check->state = state;
	va_start(arguments, format);
	vsnprintf(check->finding, sizeof(check->finding), format, arguments);
	va_end(arguments);
}

__attribute__((format(printf, 2, 3)))
static void advise(struct check *check, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(check->advice, sizeof(check->advice), format, arguments);
	va_end(arguments);
}

static void figure(struct check *check, double value, const char *unit)
{
	check->value = value;
	snprintf(check->unit, sizeof(check->unit), "%s", unit);
}

static bool is_virtual(const struct examination *x)
{
	return x->environment.hypervisor == 1 || x->machine->virtualised;
}

static void check_clock(const struct examination *x, struct check *check)
{
	double tick_ghz = x->machine->tick_hz / 1e9, core = x->sample.ghz;

	if (!x->sample.valid || !isfinite(core) || !(tick_ghz > 0)) {
		found(check, CHECK_BAD, "the core clock could not be measured: %.160s",
			*x->failure ? x->failure : "no trial succeeded");
		return;
	}
	figure(check, core, "GHz");
	if (fabs(core / tick_ghz - 1) <= 0.01) {
		found(check, CHECK_OK, "the core runs at %.3f GHz, the time-stamp counter at the same rate", core);
		return;
	}
	found(check, CHECK_NOTE, "the core runs at %.3f GHz, the time-stamp counter at %.3f: %.2f core cycles a tick",
		core, tick_ghz, core / tick_ghz);
	advise(check, "Do not take ticks for cycles. slexplore counts cycles by a reference chain (%s).",
		x->machine->clock_name);
}

static void check_timer(const struct examination *x, struct check *check)
{
	double step = x->machine->tick_step / x->machine->tick_hz * 1e9;
	const char *source = x->environment.clocksource;

	if (!isfinite(step) || step <= 0) {
		found(check, CHECK_BAD, "the granularity of the time-stamp counter is unknown");
		return;
	}
	figure(check, step, "ns");
	found(check, step > 50 ? CHECK_NOTE : CHECK_OK, "the time-stamp counter moves in steps of %.3g ns%s%s", step,
		*source ? "; the kernel keeps time by " : "", source);
	if (step > 50)
		advise(check, "Timed regions have to be long against the step: expect fewer trials a second.");
}

static void check_counters(const struct examination *x, struct check *check)
{
	int paranoid = x->environment.paranoid;
	char level[48] = "";

	if (paranoid != -9)
		snprintf(level, sizeof(level), " (perf_event_paranoid is %d)", paranoid);
	switch (x->counter_error) {
	case 0:
		found(check, CHECK_OK, "a counter of core cycles can be opened%s", level);
		return;
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		found(check, CHECK_NOTE, "no counters: %s%s",
			is_virtual(x) ? "no performance monitoring unit is given to this guest" :
			"the kernel has no driver for this processor's performance monitoring unit", level);
		if (is_virtual(x))
			advise(check, "Ask for a virtual PMU (QEMU: -cpu host,pmu=on) or a bare-metal machine; cycles "
				"come from the reference chain until then.");
		else
			advise(check, "A newer kernel may know this processor; cycles come from the reference chain.");
		return;
	case EACCES:
	case EPERM:
		found(check, CHECK_NOTE, "no counters: the kernel does not allow them to this user%s", level);
		if (paranoid > 2 || x->root)
			advise(check, "%ssysctl kernel.perf_event_paranoid=2, or give the program CAP_PERFMON; in a "
				"container also allow the system call perf_event_open.", x->root ? "" : "As root: ");
		else
			advise(check, "A container's or sandbox's filter refuses perf_event_open: allow that system "
				"call, or add CAP_PERFMON.");
		return;
	case ENOSYS:
		found(check, CHECK_NOTE, "no counters: this kernel has no perf_event_open, or a filter hides it");
		advise(check, "A kernel with CONFIG_PERF_EVENTS is needed; cycles come from the reference chain.");
		return;
	case EBUSY:
		found(check, CHECK_NOTE, "no counters: somebody else holds them%s", level);
		advise(check, "Stop other profilers; the NMI watchdog takes one: sysctl kernel.nmi_watchdog=0.");
		return;
	default:
		found(check, CHECK_NOTE, "no counters: %s%s", strerror(x->counter_error), level);
		advise(check, "Cycles come from the reference chain.");
	}
}

static void check_huge(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	const char *mode = *e->thp ? e->thp : "unknown";

	if (x->machine->huge_pages && strcmp(x->pages, "4k") == 0) {
		found(check, CHECK_NOTE, "transparent huge pages may be had (setting: %s), and yet none were got", mode);
		advise(check, "Memory may be in pieces; as root: echo 1 > /proc/sys/vm/compact_memory. With small pages, "
			"steps of the TLB show in figures beyond about 256 KiB.");
		return;
	}
	if (x->machine->huge_pages) {
		found(check, CHECK_OK, "transparent huge pages may be had (setting: %s)", mode);
		return;
	}
	found(check, CHECK_NOTE, "no huge pages: %s%s%s",
		*x->machine->huge_note ? x->machine->huge_note : "transparent huge pages are set to ",
		*x->machine->huge_note ? "" : mode, e->huge_free > 0 ? " (some are reserved, and not used)" : "");
	if (strcmp(mode, "always") == 0 || strcmp(mode, "madvise") == 0)
		advise(check, "Whatever started slexplore set PR_SET_THP_DISABLE: a service manager, a container, a job "
			"launcher. With small pages, steps of the TLB show in figures beyond about 256 KiB.");
	else
		advise(check, "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled. With small pages, "
			"steps of the TLB show in figures beyond about 256 KiB.");
}

static void check_frequency(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	const char *turbo = e->turbo < 0 ? "" : e->turbo ? ", turbo allowed" : ", turbo off";

	if (!*e->governor) {
		found(check, CHECK_NOTE, "frequency control is not visible%s%s",
			is_virtual(x) ? ": the host decides" : "", turbo);
		advise(check, "Nothing to do: every trial carries its own clock. Compare CPE rather than ns or GB/s.");
		return;
	}
	found(check, strcmp(e->governor, "performance") == 0 ? CHECK_OK : CHECK_NOTE, "governor %s%s%s%s%s",
		e->governor, *e->frequency_driver ? " (" : "", e->frequency_driver, *e->frequency_driver ? ")" : "",
		turbo);
	if (check->state != CHECK_OK)
		advise(check, "For steadier ns and GB/s, as root: cpupower frequency-set -g performance. CPE does not "
			"depend on it.");
}

static void check_smt(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;

	if (environment_list_count(e->siblings) > 1) {
		found(check, CHECK_NOTE, "core %d shares its units with hyper-threads: %s", x->machine->cpu,
			e->siblings);
		advise(check, "Keep the siblings idle; as root: echo off > /sys/devices/system/cpu/smt/control. "
			"Contended trials are told apart and not used.");
	} else if (is_virtual(x)) {
		found(check, CHECK_NOTE, "no hyper-threads are visible; the host may hide a sibling that is in use");
		advise(check, "How often one disturbed the core while this was measured: see quiet.");
	} else if (e->smt < 0 && !*e->siblings) {
		found(check, CHECK_NOTE, "whether hyper-threads are on is unknown");
	} else {
		found(check, CHECK_OK, "the measured core has no hyper-thread beside it");
	}
}

static void check_virtual(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	const char *container = e->container ? ", in a container" : "";

	if (!is_virtual(x)) {
		found(check, e->hypervisor < 0 ? CHECK_NOTE : CHECK_OK, "no sign of a hypervisor%s%s",
			e->hypervisor < 0 ? "; this processor does not tell" : "", container);
		return;
	}
	found(check, CHECK_NOTE, "a virtual machine: %s%s",
		*e->hypervisor_name ? e->hypervisor_name : "of which kind is unknown", container);
	advise(check, "Clock, neighbours and page sizes are the host's: trust CPE of quiet samples most, and the DRAM "
		"figures least.");
}

static void check_cores(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	int allowed = environment_list_count(e->allowed), online = environment_list_count(e->online);

	if (!allowed)
		allowed = x->machine->processors;
	figure(check, allowed, "cores");
	found(check, allowed > 1 && !isfinite(e->quota) ? CHECK_OK : CHECK_NOTE,
		"%d of %d processors are allowed (%s)", allowed, online ? online : allowed,
		*e->allowed ? e->allowed : "list unknown");
	if (isfinite(e->quota)) {
		size_t used = strlen(check->finding);

		snprintf(check->finding + used, sizeof(check->finding) - used,
			"; a control group allows the time of %.3g", e->quota);
		advise(check, "Under a time limit the kernel stops the process for tens of milliseconds: raise cpu.max "
			"of its control group if figures scatter.");
	} else if (allowed == 1) {
		advise(check, "The explorer draws on the core that it measures: allow a second one (taskset, cpuset).");
	}
}

static void check_isolation(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;

	figure(check, e->load, "tasks");
	if (*e->isolated) {
		found(check, CHECK_OK, "isolated processors: %s", e->isolated);
		advise(check, "Measure there: --cpu with one of them.");
		return;
	}
	if (isfinite(e->load) && x->machine->processors > 0 && e->load > x->machine->processors * 0.5) {
		found(check, CHECK_NOTE, "no processor is isolated, and the load is %.2f on %d", e->load,
			x->machine->processors);
		advise(check, "Stop other work, or boot with isolcpus=N and use --cpu N.");
		return;
	}
	found(check, CHECK_OK, "no processor is isolated; the load is low enough to do without");
	if (!isfinite(e->load))
		found(check, CHECK_NOTE, "no processor is isolated; the load is unknown");
}

static void check_steal(const struct examination *x, struct check *check)
{
	const struct cpu_times *a = &x->before, *b = &x->after;
	double all = (double)(b->busy + b->idle + b->steal), now, since;

	if (!a->known || !b->known || all <= 0) {
		found(check, CHECK_NOTE, "steal time is unknown: /proc/stat does not tell");
		return;
	}
	since = (double)b->steal / all;
	all -= (double)(a->busy + a->idle + a->steal);
	now = all > 0 ? (double)(b->steal - a->steal) / all : NAN;
	figure(check, since * 100, "%");
	found(check, since > 0.02 || now > 0.02 ? CHECK_BAD : CHECK_OK,
		"the hypervisor kept %.2g%% of this core's time since the start", since * 100);
	if (isfinite(now)) {
		size_t used = strlen(check->finding);

		snprintf(check->finding + used, sizeof(check->finding) - used, ", %.2g%% during this check",
			now * 100);
	}
	if (check->state == CHECK_BAD)
		advise(check, "The host is overcommitted: trials that were interrupted are dropped, but caches are shared "
			"with others. Prefer a dedicated instance.");
}

static void check_quiet(const struct examination *x, struct check *check)
{
	double share = x->sample.quiet;

	if (!x->machine->watched) {
		found(check, CHECK_NOTE, "no watch chain on this processor: contention by a sibling goes unseen");
		return;
	}
	if (!x->sample.valid || !isfinite(share)) {
		found(check, CHECK_BAD, "no trial could tell: %.160s", *x->failure ? x->failure : "none succeeded");
		return;
	}
	figure(check, share * 100, "%");
	found(check, x->sample.contended ? CHECK_BAD : share < 0.5 ? CHECK_NOTE : CHECK_OK,
		"%.0f%% of %u trials were quiet", share * 100, x->sample.trials + x->sample.dropped);
	if (check->state != CHECK_OK)
		advise(check, "Something shares this core's units: try another --cpu, a longer --time-budget, or a "
			"quieter hour.");
}

static void check_memory(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	char total[32], available[32], most[32];
	bool small = x->machine->memory_limit && x->machine->memory_limit < 256u << 20;

	if (e->memory_total < 0) {
		found(check, CHECK_NOTE, "the amount of memory is unknown");
		return;
	}
	units_bytes_long(e->memory_total, total, sizeof(total));
	units_bytes_long(e->memory_available, available, sizeof(available));
	units_bytes_long((int64_t)x->machine->memory_limit, most, sizeof(most));
	if (e->memory_available >= 0)
		figure(check, (double)e->memory_available / (1 << 20), "MiB");
	found(check, small ? CHECK_NOTE : CHECK_OK, "%s, %s available; working sets up to %s", total,
		e->memory_available < 0 ? "unknown" : available, x->machine->memory_limit ? most : "any size");
	if (e->memory_limit >= 0) {
		size_t used = strlen(check->finding);

		units_bytes_long(e->memory_limit, most, sizeof(most));
		snprintf(check->finding + used, sizeof(check->finding) - used, "; the control group's limit is %s",
			most);
	}
	if (small)
		advise(check, "Too little for figures beyond the last cache: free some memory.");
}

static void check_locked(const struct examination *x, struct check *check)
{
	int64_t limit = x->environment.locked_limit;
	char bytes[32];

	if (limit < 0) {
		found(check, CHECK_NOTE, "the limit of locked memory is unknown");
	} else if (limit == INT64_MAX) {
		found(check, CHECK_OK, "locked memory is not limited");
	} else {
		units_bytes_long(limit, bytes, sizeof(bytes));
		figure(check, (double)limit / (1 << 20), "MiB");
		/* perf_event_open()'s ring buffer is what needs it: 4 KiB + 512 KiB by default. */
		found(check, limit < 516 << 10 ? CHECK_NOTE : CHECK_OK, "up to %s may be locked", bytes);
		if (check->state != CHECK_OK)
			advise(check, "ulimit -l 1024 leaves room for a profiler's buffer; working sets need none.");
	}
}

static void check_binding(const struct examination *x, struct check *check)
{
	const struct machine *m = x->machine;

	if (m->bound)
		found(check, CHECK_OK, "measures on core %d, bound to it%s%s", m->cpu, *m->bind_note ? "; " : "",
			m->bind_note);
	else
		found(check, CHECK_BAD, "cannot be bound to a core: %s", *m->bind_note ? m->bind_note : "refused");
	if (!m->bound)
		advise(check, "Allow sched_setaffinity to this process; until then trials that moved are dropped.");
	else if (!m->apart)
		advise(check, "The explorer has to draw on the same core: allow it a second one.");
	if (m->bound && !m->apart)
		check->state = CHECK_NOTE;
}

static void check_terminal(const struct examination *x, struct check *check)
{
	const struct terminal_facts *t = &x->terminal;
	char colours[24] = "no colours";

	if (!*t->term) {
		found(check, CHECK_NOTE, "TERM is not set");
		advise(check, "The explorer needs it, as TERM=xterm-256color; run, sweep, list and doctor do not.");
		return;
	}
	if (!t->described || !t->addressable) {
		found(check, CHECK_NOTE, "TERM=%s %s", t->term,
			t->described ? "cannot place the cursor" : "is not known to this machine");
		advise(check, "%s; run, sweep, list and doctor go on.", t->database ?
			"Try TERM=xterm-256color, or install ncurses-term" :
			"There is no terminfo here: install ncurses-base, or set TERMINFO");
		return;
	}
	if (t->colours) {
		figure(check, t->colours, "colours");
		snprintf(colours, sizeof(colours), "%d colours", t->colours);
	}
	found(check, t->utf8 ? CHECK_OK : CHECK_NOTE, "%s, %s%s, %s%s", t->term, colours,
		t->no_colour ? " (NO_COLOR is set)" : "", t->charset,
		t->input && t->output ? "" : "; standard input or output is no terminal");
	if (!t->utf8)
		advise(check, "The explorer draws in ASCII; a UTF-8 locale (LANG=C.UTF-8) gives lines and shades.");
}

static const struct {
	const char *name;
	void (*make)(const struct examination *examination, struct check *check);
} rows[] = {
	{ "clock", check_clock },
	{ "timer", check_timer },
	{ "counters", check_counters },
	{ "quiet", check_quiet },
	{ "steal", check_steal },
	{ "binding", check_binding },
	{ "cores", check_cores },
	{ "isolation", check_isolation },
	{ "smt", check_smt },
	{ "frequency", check_frequency },
	{ "virtual", check_virtual },
	{ "huge-pages", check_huge },
	{ "memory", check_memory },
	{ "locked", check_locked },
	{ "terminal", check_terminal },
};

size_t check_count(void)
{
	return sizeof(rows) / sizeof(*rows);
}

void check_make(size_t index, const struct examination *examination, struct check *check)
{
	*check = (struct check){ .name = rows[index].name, .value = NAN };
	rows[index].make(examination, check);
}
