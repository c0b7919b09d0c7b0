#include "cli/check.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

#define SMALL_PAGES "With small pages, steps of the TLB show in figures beyond about 256 KiB."

static struct check check_clock(const struct examination *x)
{
	double tick_ghz = x->machine->tick_hz / 1e9, core = x->sample.ghz;

	if (!x->sample.valid || !isfinite(core) || !(tick_ghz > 0))
		return check_found(CHECK_BAD, "the core clock could not be measured: %.160s",
			*x->failure ? x->failure : "no trial succeeded");
	if (fabs(core / tick_ghz - 1) <= 0.01)
		return check_measured(CHECK_OK, core, "GHz",
			"the core runs at %.3f GHz, the time-stamp counter at the same rate", core);
	return check_advised(check_measured(CHECK_NOTE, core, "GHz",
				     "the core runs at %.3f GHz, the time-stamp counter at %.3f: "
				     "%.2f core cycles a tick",
				     core, tick_ghz, core / tick_ghz),
		"Do not take ticks for cycles. slexplore counts cycles by a %s (%s).",
		x->sample.cycles_from == SOURCE_COUNTER
			? "counter, and checks it against a reference chain"
			: "reference chain",
		x->machine->clock_name);
}

static struct check check_timer(const struct examination *x)
{
	double step = x->machine->tick_step / x->machine->tick_hz * 1e9;
	const char *source = x->environment.clocksource;
	struct check check;

	if (!isfinite(step) || step <= 0)
		return check_found(
			CHECK_BAD, "the granularity of the time-stamp counter is unknown");
	check = check_measured(step > 50 ? CHECK_NOTE : CHECK_OK, step, "ns",
		"the time-stamp counter moves in steps of %.3g ns%s%s", step,
		*source ? "; the kernel keeps time by " : "", source);
	if (step <= 50)
		return check;
	return check_advised(check,
		"Timed regions have to be long against the step: expect fewer trials a second.");
}

static struct check check_huge(const struct examination *x)
{
	const struct environment *e = &x->environment;
	const char *mode = *e->thp ? e->thp : "unknown", *note = x->machine->huge_note;
	bool allowed = strcmp(mode, "always") == 0 || strcmp(mode, "madvise") == 0;

	if (x->machine->huge_pages && strcmp(x->pages, "4k") == 0)
		return check_advised(check_found(CHECK_NOTE,
					     "transparent huge pages: available (setting: %s), and "
					     "yet none were got",
					     mode),
			"Memory may be in pieces; as root: echo 1 > "
			"/proc/sys/vm/compact_memory. " SMALL_PAGES);
	if (x->machine->huge_pages)
		return check_found(
			CHECK_OK, "transparent huge pages: available (setting: %s)", mode);
	return check_advised(
		check_found(CHECK_NOTE, "no huge pages: %s%s%s",
			*note ? note : "transparent huge pages are set to ", *note ? "" : mode,
			e->huge_free > 0 ? " (some are reserved, and not used)" : ""),
		"%s " SMALL_PAGES,
		allowed ? "Whatever started slexplore set PR_SET_THP_DISABLE: a service manager, a "
			  "container, a job launcher."
			: "As root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled.");
}

static struct check check_frequency(const struct examination *x)
{
	const struct environment *e = &x->environment;
	const char *turbo = e->turbo < 0 ? "" : e->turbo ? ", turbo allowed" : ", turbo off";
	bool steady = strcmp(e->governor, "performance") == 0;
	struct check check;

	if (!*e->governor)
		return check_advised(
			check_found(CHECK_NOTE, "frequency control is not visible%s%s",
				check_virtual_machine(x) ? ": the host decides" : "", turbo),
			"Nothing to do: every trial carries its own clock. Compare CPE rather than "
			"ns or GB/s.");
	check = check_found(steady ? CHECK_OK : CHECK_NOTE, "governor %s%s%s%s%s", e->governor,
		*e->frequency_driver ? " (" : "", e->frequency_driver,
		*e->frequency_driver ? ")" : "", turbo);
	return steady ? check
		      : check_advised(check,
				"For steadier ns and GB/s, as root: cpupower frequency-set "
				"-g performance. CPE does not depend on it.");
}

static struct check check_smt(const struct examination *x)
{
	const struct environment *e = &x->environment;

	if (environment_list_count(e->siblings) > 1)
		return check_advised(
			check_found(CHECK_NOTE, "core %d shares its units with hyper-threads: %s",
				x->machine->cpu, e->siblings),
			"Keep the siblings idle; as root: echo off > "
			"/sys/devices/system/cpu/smt/control. Contended trials are told apart and "
			"not used.");
	if (check_virtual_machine(x))
		return check_advised(
			check_found(CHECK_NOTE, "no hyper-threads are visible; the host may hide a "
						"sibling that is in use"),
			"How often one disturbed the core while this was measured: see quiet.");
	if (e->smt < 0 && !*e->siblings)
		return check_found(CHECK_NOTE, "whether hyper-threads are on is unknown");
	return check_found(CHECK_OK, "the measured core has no hyper-thread beside it");
}

static struct check check_virtual(const struct examination *x)
{
	const struct environment *e = &x->environment;
	const char *container = e->container ? ", in a container" : "";

	if (!check_virtual_machine(x))
		return check_found(e->hypervisor < 0 ? CHECK_NOTE : CHECK_OK,
			"no sign of a hypervisor%s%s",
			e->hypervisor < 0 ? "; this processor does not tell" : "", container);
	return check_advised(
		check_found(CHECK_NOTE, "a virtual machine: %s%s",
			*e->hypervisor_name ? e->hypervisor_name : "of which kind is unknown",
			container),
		"Clock, neighbours and page sizes are the host's: trust CPE of quiet samples most, "
		"and the DRAM figures least.");
}

static struct check check_cores(const struct examination *x)
{
	const struct environment *e = &x->environment;
	int online = environment_list_count(e->online), listed = environment_list_count(e->allowed),
	    allowed = listed ? listed : x->machine->processors;
	struct check check =
		check_measured(allowed > 1 && !isfinite(e->quota) ? CHECK_OK : CHECK_NOTE, allowed,
			"cores", "%d of %d processors are allowed (%s)", allowed,
			online ? online : allowed, *e->allowed ? e->allowed : "list unknown");

	if (isfinite(e->quota)) {
		check_add(&check, "; a control group allows the time of %.3g", e->quota);
		return check_advised(check,
			"Under a time limit the kernel stops the process for tens of milliseconds: "
			"raise cpu.max of its control group if figures scatter.");
	}
	return allowed != 1
		       ? check
		       : check_advised(check, "The explorer draws on the core that it measures: "
					      "allow a second one (taskset, cpuset).");
}

static struct check check_isolation(const struct examination *x)
{
	const struct environment *e = &x->environment;

	if (*e->isolated)
		return check_advised(check_measured(CHECK_OK, e->load, "tasks",
					     "isolated processors: %s", e->isolated),
			"Measure there: --cpu with one of them.");
	if (!isfinite(e->load))
		return check_found(CHECK_NOTE, "no processor is isolated; the load is unknown");
	if (x->machine->processors > 0 && e->load > x->machine->processors * 0.5)
		return check_advised(check_measured(CHECK_NOTE, e->load, "tasks",
					     "no processor is isolated, and the load is %.2f on %d",
					     e->load, x->machine->processors),
			"Stop other work, or boot with isolcpus=N and use --cpu N.");
	return check_measured(CHECK_OK, e->load, "tasks",
		"no processor is isolated; the load is low enough to do without");
}

static struct check check_steal(const struct examination *x)
{
	const struct cpu_times *a = &x->before, *b = &x->after;
	double all = (double)(b->busy + b->idle + b->steal), now, since;
	struct check check;

	if (!a->known || !b->known || all <= 0)
		return check_found(CHECK_NOTE, "steal time is unknown: /proc/stat does not tell");
	since = (double)b->steal / all;
	all -= (double)(a->busy + a->idle + a->steal);
	now = all > 0 ? (double)(b->steal - a->steal) / all : NAN;
	check = check_measured(since > 0.02 || now > 0.02 ? CHECK_BAD : CHECK_OK, since * 100, "%",
		"the hypervisor kept %.2g%% of this core's time since the start", since * 100);
	if (isfinite(now))
		check_add(&check, ", %.2g%% during this check", now * 100);
	return check.state == CHECK_OK
		       ? check
		       : check_advised(check, "The host is overcommitted: trials that were "
					      "interrupted are dropped, but caches are shared with "
					      "others. Prefer a dedicated instance.");
}

static struct check check_quiet(const struct examination *x)
{
	double share = x->sample.quiet;
	struct check check;

	if (!x->machine->watched)
		return check_found(CHECK_NOTE,
			"no watch chain on this processor: contention by a sibling goes unseen");
	if (!x->sample.valid || !isfinite(share))
		return check_found(CHECK_BAD, "no trial could tell: %.160s",
			*x->failure ? x->failure : "none succeeded");
	check = check_measured(x->sample.contended ? CHECK_BAD
			       : share < 0.5	   ? CHECK_NOTE
						   : CHECK_OK,
		share * 100, "%", "%.0f%% of %u trials were quiet", share * 100,
		x->sample.trials + x->sample.dropped);
	return check.state == CHECK_OK
		       ? check
		       : check_advised(check, "Something shares this core's units: try another "
					      "--cpu, a longer --time-budget, or a quieter hour.");
}

static struct check check_memory(const struct examination *x)
{
	const struct environment *e = &x->environment;
	const struct machine *m = x->machine;
	bool small = m->memory_limit && m->memory_limit < 256u << 20;
	struct check check;

	if (e->memory_total < 0)
		return check_found(CHECK_NOTE, "the amount of memory is unknown");
	check = check_measured(small ? CHECK_NOTE : CHECK_OK,
		e->memory_available < 0 ? NAN : (double)e->memory_available / (1 << 20), "MiB",
		"%s, %s available; working sets up to %s", units_size_long(e->memory_total).text,
		e->memory_available < 0 ? "unknown" : units_size_long(e->memory_available).text,
		m->memory_limit ? units_size_long((int64_t)m->memory_limit).text : "any size");
	if (*m->memory_note)
		check_add(&check, "; %s", m->memory_note);
	else if (e->memory_limit >= 0)
		check_add(&check, "; the control group's limit is %s",
			units_size_long(e->memory_limit).text);
	return !small ? check
		      : check_advised(check, "Too little for figures beyond the last cache: %s.",
				*m->memory_note ? "raise that limit" : "free some memory");
}

static struct check check_locked(const struct examination *x)
{
	int64_t limit = x->environment.locked_limit;
	/* The ring buffer of perf_event_open() needs locked memory: 4 KiB + 512 KiB by default. */
	bool enough = limit >= 516 << 10;
	struct check check;

	if (limit < 0)
		return check_found(CHECK_NOTE, "the limit of locked memory is unknown");
	if (limit == INT64_MAX)
		return check_found(CHECK_OK, "locked memory is not limited");
	check = check_measured(enough ? CHECK_OK : CHECK_NOTE, (double)limit / (1 << 20), "MiB",
		"up to %s may be locked", units_size_long(limit).text);
	return enough ? check
		      : check_advised(check, "ulimit -l 1024 leaves room for a profiler's buffer; "
					     "working sets need none.");
}

static struct check check_binding(const struct examination *x)
{
	const struct machine *m = x->machine;
	struct check check;

	if (!m->bound)
		return check_advised(check_found(CHECK_BAD, "cannot be bound to a core: %s",
					     *m->bind_note ? m->bind_note : "refused"),
			"Allow sched_setaffinity to this process; until then trials that moved are "
			"dropped.");
	check = check_found(m->apart ? CHECK_OK : CHECK_NOTE,
		"measures on core %d, bound to it%s%s", m->cpu, *m->bind_note ? "; " : "",
		m->bind_note);
	return m->apart ? check
			: check_advised(check, "The explorer has to draw on the same core: allow "
					       "it a second one.");
}

static struct check check_terminal(const struct examination *x)
{
	const struct terminal_facts *t = &x->terminal;
	char colours[24] = "no colours";
	struct check check;

	if (!*t->term)
		return check_advised(check_found(CHECK_NOTE, "TERM is not set"),
			"The explorer needs it, as TERM=xterm-256color; run, sweep, list and "
			"doctor do not.");
	if (!t->described || !t->addressable)
		return check_advised(check_found(CHECK_NOTE, "TERM=%s %s", t->term,
					     t->described ? "cannot place the cursor"
							  : "is not known to this machine"),
			"%s; run, sweep, list and doctor go on.",
			t->database ? "Try TERM=xterm-256color, or install ncurses-term"
				    : "There is no terminfo here: install ncurses-base, or set "
				      "TERMINFO");
	if (t->colours)
		snprintf(colours, sizeof(colours), "%d colours", t->colours);
	check = check_measured(t->utf8 ? CHECK_OK : CHECK_NOTE, t->colours ? t->colours : NAN,
		"colours", "%s, %s%s, %s%s", t->term, colours,
		t->no_colour ? " (NO_COLOR is set)" : "", t->charset,
		t->input && t->output ? "" : "; standard input or output is no terminal");
	return t->utf8 ? check
		       : check_advised(check, "The explorer draws in ASCII; a UTF-8 locale "
					      "(LANG=C.UTF-8) gives lines and shades.");
}

static const struct {
	const char *name;
	struct check (*make)(const struct examination *examination);
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

struct check check_make(size_t index, const struct examination *examination)
{
	struct check check = rows[index].make(examination);

	check.name = rows[index].name;
	return check;
}
