#include "cli/check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

static void check_clock(const struct examination *x, struct check *check)
{
	double tick_ghz = x->machine->tick_hz / 1e9, core = x->sample.ghz;

	if (!x->sample.valid || !isfinite(core) || !(tick_ghz > 0)) {
		check_found(check, CHECK_BAD, "the core clock could not be measured: %.160s",
			*x->failure ? x->failure : "no trial succeeded");
		return;
	}
	check_figure(check, core, "GHz");
	if (fabs(core / tick_ghz - 1) <= 0.01) {
		check_found(check, CHECK_OK,
			"the core runs at %.3f GHz, the time-stamp counter at the same rate", core);
		return;
	}
	check_found(check, CHECK_NOTE,
		"the core runs at %.3f GHz, the time-stamp counter at %.3f: %.2f core cycles a "
		"tick",
		core, tick_ghz, core / tick_ghz);
	check_advise(check, "Do not take ticks for cycles. slexplore counts cycles by a %s (%s).",
		x->sample.cycles_from == SOURCE_COUNTER
			? "counter, and checks it against a reference chain"
			: "reference chain",
		x->machine->clock_name);
}

static void check_timer(const struct examination *x, struct check *check)
{
	double step = x->machine->tick_step / x->machine->tick_hz * 1e9;
	const char *source = x->environment.clocksource;

	if (!isfinite(step) || step <= 0) {
		check_found(
			check, CHECK_BAD, "the granularity of the time-stamp counter is unknown");
		return;
	}
	check_figure(check, step, "ns");
	check_found(check, step > 50 ? CHECK_NOTE : CHECK_OK,
		"the time-stamp counter moves in steps of %.3g ns%s%s", step,
		*source ? "; the kernel keeps time by " : "", source);
	if (step > 50)
		check_advise(check, "Timed regions have to be long against the step: expect fewer "
				    "trials a second.");
}

static void check_huge(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	const char *mode = *e->thp ? e->thp : "unknown";

	if (x->machine->huge_pages && strcmp(x->pages, "4k") == 0) {
		check_found(check, CHECK_NOTE,
			"transparent huge pages may be had (setting: %s), and yet none were got",
			mode);
		check_advise(check, "Memory may be in pieces; as root: echo 1 > "
				    "/proc/sys/vm/compact_memory. With small pages, "
				    "steps of the TLB show in figures beyond about 256 KiB.");
		return;
	}
	if (x->machine->huge_pages) {
		check_found(
			check, CHECK_OK, "transparent huge pages may be had (setting: %s)", mode);
		return;
	}
	check_found(check, CHECK_NOTE, "no huge pages: %s%s%s",
		*x->machine->huge_note ? x->machine->huge_note
				       : "transparent huge pages are set to ",
		*x->machine->huge_note ? "" : mode,
		e->huge_free > 0 ? " (some are reserved, and not used)" : "");
	if (strcmp(mode, "always") == 0 || strcmp(mode, "madvise") == 0)
		check_advise(check, "Whatever started slexplore set PR_SET_THP_DISABLE: a service "
				    "manager, a container, a job "
				    "launcher. With small pages, steps of the TLB show in figures "
				    "beyond about 256 KiB.");
	else
		check_advise(check,
			"As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled. With "
			"small pages, "
			"steps of the TLB show in figures beyond about 256 KiB.");
}

static void check_frequency(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	const char *turbo = e->turbo < 0 ? "" : e->turbo ? ", turbo allowed" : ", turbo off";

	if (!*e->governor) {
		check_found(check, CHECK_NOTE, "frequency control is not visible%s%s",
			check_virtual_machine(x) ? ": the host decides" : "", turbo);
		check_advise(check, "Nothing to do: every trial carries its own clock. Compare CPE "
				    "rather than ns or GB/s.");
		return;
	}
	check_found(check, strcmp(e->governor, "performance") == 0 ? CHECK_OK : CHECK_NOTE,
		"governor %s%s%s%s%s", e->governor, *e->frequency_driver ? " (" : "",
		e->frequency_driver, *e->frequency_driver ? ")" : "", turbo);
	if (check->state != CHECK_OK)
		check_advise(check, "For steadier ns and GB/s, as root: cpupower frequency-set -g "
				    "performance. CPE does not "
				    "depend on it.");
}

static void check_smt(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;

	if (environment_list_count(e->siblings) > 1) {
		check_found(check, CHECK_NOTE, "core %d shares its units with hyper-threads: %s",
			x->machine->cpu, e->siblings);
		check_advise(check, "Keep the siblings idle; as root: echo off > "
				    "/sys/devices/system/cpu/smt/control. "
				    "Contended trials are told apart and not used.");
	} else if (check_virtual_machine(x)) {
		check_found(check, CHECK_NOTE,
			"no hyper-threads are visible; the host may hide a sibling that is in use");
		check_advise(check,
			"How often one disturbed the core while this was measured: see quiet.");
	} else if (e->smt < 0 && !*e->siblings) {
		check_found(check, CHECK_NOTE, "whether hyper-threads are on is unknown");
	} else {
		check_found(check, CHECK_OK, "the measured core has no hyper-thread beside it");
	}
}

static void check_virtual(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	const char *container = e->container ? ", in a container" : "";

	if (!check_virtual_machine(x)) {
		check_found(check, e->hypervisor < 0 ? CHECK_NOTE : CHECK_OK,
			"no sign of a hypervisor%s%s",
			e->hypervisor < 0 ? "; this processor does not tell" : "", container);
		return;
	}
	check_found(check, CHECK_NOTE, "a virtual machine: %s%s",
		*e->hypervisor_name ? e->hypervisor_name : "of which kind is unknown", container);
	check_advise(check, "Clock, neighbours and page sizes are the host's: trust CPE of quiet "
			    "samples most, and the DRAM "
			    "figures least.");
}

static void check_cores(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	int allowed = environment_list_count(e->allowed),
	    online = environment_list_count(e->online);

	if (!allowed)
		allowed = x->machine->processors;
	check_figure(check, allowed, "cores");
	check_found(check, allowed > 1 && !isfinite(e->quota) ? CHECK_OK : CHECK_NOTE,
		"%d of %d processors are allowed (%s)", allowed, online ? online : allowed,
		*e->allowed ? e->allowed : "list unknown");
	if (isfinite(e->quota)) {
		check_add(check, "; a control group allows the time of %.3g", e->quota);
		check_advise(check, "Under a time limit the kernel stops the process for tens of "
				    "milliseconds: raise cpu.max "
				    "of its control group if figures scatter.");
	} else if (allowed == 1) {
		check_advise(check, "The explorer draws on the core that it measures: allow a "
				    "second one (taskset, cpuset).");
	}
}

static void check_isolation(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;

	check_figure(check, e->load, "tasks");
	if (*e->isolated) {
		check_found(check, CHECK_OK, "isolated processors: %s", e->isolated);
		check_advise(check, "Measure there: --cpu with one of them.");
		return;
	}
	if (isfinite(e->load) && x->machine->processors > 0 &&
		e->load > x->machine->processors * 0.5) {
		check_found(check, CHECK_NOTE,
			"no processor is isolated, and the load is %.2f on %d", e->load,
			x->machine->processors);
		check_advise(check, "Stop other work, or boot with isolcpus=N and use --cpu N.");
		return;
	}
	check_found(
		check, CHECK_OK, "no processor is isolated; the load is low enough to do without");
	if (!isfinite(e->load))
		check_found(check, CHECK_NOTE, "no processor is isolated; the load is unknown");
}

static void check_steal(const struct examination *x, struct check *check)
{
	const struct cpu_times *a = &x->before, *b = &x->after;
	double all = (double)(b->busy + b->idle + b->steal), now, since;

	if (!a->known || !b->known || all <= 0) {
		check_found(check, CHECK_NOTE, "steal time is unknown: /proc/stat does not tell");
		return;
	}
	since = (double)b->steal / all;
	all -= (double)(a->busy + a->idle + a->steal);
	now = all > 0 ? (double)(b->steal - a->steal) / all : NAN;
	check_figure(check, since * 100, "%");
	check_found(check, since > 0.02 || now > 0.02 ? CHECK_BAD : CHECK_OK,
		"the hypervisor kept %.2g%% of this core's time since the start", since * 100);
	if (isfinite(now))
		check_add(check, ", %.2g%% during this check", now * 100);
	if (check->state == CHECK_BAD)
		check_advise(check, "The host is overcommitted: trials that were interrupted are "
				    "dropped, but caches are shared "
				    "with others. Prefer a dedicated instance.");
}

static void check_quiet(const struct examination *x, struct check *check)
{
	double share = x->sample.quiet;

	if (!x->machine->watched) {
		check_found(check, CHECK_NOTE,
			"no watch chain on this processor: contention by a sibling goes unseen");
		return;
	}
	if (!x->sample.valid || !isfinite(share)) {
		check_found(check, CHECK_BAD, "no trial could tell: %.160s",
			*x->failure ? x->failure : "none succeeded");
		return;
	}
	check_figure(check, share * 100, "%");
	check_found(check,
		x->sample.contended ? CHECK_BAD
		: share < 0.5	    ? CHECK_NOTE
				    : CHECK_OK,
		"%.0f%% of %u trials were quiet", share * 100,
		x->sample.trials + x->sample.dropped);
	if (check->state != CHECK_OK)
		check_advise(check, "Something shares this core's units: try another --cpu, a "
				    "longer --time-budget, or a "
				    "quieter hour.");
}

static void check_memory(const struct examination *x, struct check *check)
{
	const struct environment *e = &x->environment;
	bool small = x->machine->memory_limit && x->machine->memory_limit < 256u << 20;

	if (e->memory_total < 0) {
		check_found(check, CHECK_NOTE, "the amount of memory is unknown");
		return;
	}
	if (e->memory_available >= 0)
		check_figure(check, (double)e->memory_available / (1 << 20), "MiB");
	check_found(check, small ? CHECK_NOTE : CHECK_OK, "%s, %s available; working sets up to %s",
		units_size_long(e->memory_total).text,
		e->memory_available < 0 ? "unknown" : units_size_long(e->memory_available).text,
		x->machine->memory_limit ? units_size_long((int64_t)x->machine->memory_limit).text
					 : "any size");
	if (*x->machine->memory_note) {
		check_add(check, "; %s", x->machine->memory_note);
	} else if (e->memory_limit >= 0) {
		check_add(check, "; the control group's limit is %s",
			units_size_long(e->memory_limit).text);
	}
	if (small)
		check_advise(check, "Too little for figures beyond the last cache: %s.",
			*x->machine->memory_note ? "raise that limit" : "free some memory");
}

static void check_locked(const struct examination *x, struct check *check)
{
	int64_t limit = x->environment.locked_limit;

	if (limit < 0) {
		check_found(check, CHECK_NOTE, "the limit of locked memory is unknown");
	} else if (limit == INT64_MAX) {
		check_found(check, CHECK_OK, "locked memory is not limited");
	} else {
		check_figure(check, (double)limit / (1 << 20), "MiB");
		/* perf_event_open()'s ring buffer is what needs it: 4 KiB + 512 KiB by default. */
		check_found(check, limit < 516 << 10 ? CHECK_NOTE : CHECK_OK,
			"up to %s may be locked", units_size_long(limit).text);
		if (check->state != CHECK_OK)
			check_advise(check, "ulimit -l 1024 leaves room for a profiler's buffer; "
					    "working sets need none.");
	}
}

static void check_binding(const struct examination *x, struct check *check)
{
	const struct machine *m = x->machine;

	if (m->bound)
		check_found(check, CHECK_OK, "measures on core %d, bound to it%s%s", m->cpu,
			*m->bind_note ? "; " : "", m->bind_note);
	else
		check_found(check, CHECK_BAD, "cannot be bound to a core: %s",
			*m->bind_note ? m->bind_note : "refused");
	if (!m->bound)
		check_advise(check, "Allow sched_setaffinity to this process; until then trials "
				    "that moved are dropped.");
	else if (!m->apart)
		check_advise(
			check, "The explorer has to draw on the same core: allow it a second one.");
	if (m->bound && !m->apart)
		check->state = CHECK_NOTE;
}

static void check_terminal(const struct examination *x, struct check *check)
{
	const struct terminal_facts *t = &x->terminal;
	char colours[24] = "no colours";

	if (!*t->term) {
		check_found(check, CHECK_NOTE, "TERM is not set");
		check_advise(check, "The explorer needs it, as TERM=xterm-256color; run, sweep, "
				    "list and doctor do not.");
		return;
	}
	if (!t->described || !t->addressable) {
		check_found(check, CHECK_NOTE, "TERM=%s %s", t->term,
			t->described ? "cannot place the cursor" : "is not known to this machine");
		check_advise(check, "%s; run, sweep, list and doctor go on.",
			t->database ? "Try TERM=xterm-256color, or install ncurses-term"
				    : "There is no terminfo here: install ncurses-base, or set "
				      "TERMINFO");
		return;
	}
	if (t->colours) {
		check_figure(check, t->colours, "colours");
		snprintf(colours, sizeof(colours), "%d colours", t->colours);
	}
	check_found(check, t->utf8 ? CHECK_OK : CHECK_NOTE, "%s, %s%s, %s%s", t->term, colours,
		t->no_colour ? " (NO_COLOR is set)" : "", t->charset,
		t->input && t->output ? "" : "; standard input or output is no terminal");
	if (!t->utf8)
		check_advise(check, "The explorer draws in ASCII; a UTF-8 locale (LANG=C.UTF-8) "
				    "gives lines and shades.");
}

static const struct {
	const char *name;
	void (*make)(const struct examination *examination, struct check *check);
} rows[] = {
	{ "clock", check_clock },
	{ "timer", check_timer },
	{ "counters", check_counters },
	{ "pmu", check_pmu },
	{ "events", check_events },
	{ "reading", check_reading },
	{ "paranoid", check_paranoid },
	{ "watchdog", check_watchdog },
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
