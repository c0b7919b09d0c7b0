#include "cli/check.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/rows.h"
#include "base/text.h"
#include "base/units.h"
#include "model/counts/counts.h"

/* ---- Words and texts */

enum { WORDS = 8 };

/* The result of one check of the machine, with the values that replace the {words} in its text in
 * data/checks. */
struct found {
	double value; /* the result of the check as a number; NAN: the result is not a number */
	int count;
	struct {
		const char *name;
		char text[300];
	} word[WORDS];
};

static void __attribute__((format(printf, 3, 4)))
word(struct found *found, const char *name, const char *format, ...)
{
	char text[sizeof(found->word[0].text)];
	va_list arguments;

	found->word[found->count].name = name;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* Environment variables such as TERM are untrusted, and may contain control characters. */
	text_copy_clean(found->word[found->count].text, sizeof(text), text);
	found->count++;
}

/* `name` points into a text with {words}, just after an opening brace: "WORD}…". Returns the value
 * that replaces WORD; "": the check has not set this value. */
static const char *word_of(const struct found *found, const char *name)
{
	size_t length = strcspn(name, "}");

	for (int i = 0; i < found->count; i++)
		if (strlen(found->word[i].name) == length &&
			strncmp(found->word[i].name, name, length) == 0)
			return found->word[i].text;
	return "";
}

/* Copies `text` to `to`, and replaces each {word} by its value. */
static void expand(const char *text, const struct found *found, char *to, size_t size)
{
	struct text whole = { 0 };
	size_t begin = 0;
	bool empty = false;

	for (; *text; text++) {
		if (*text == '[') {
			begin = whole.length;
			empty = false;
		} else if (*text == ']' && empty && whole.length) {
			whole.length = begin;
		} else if (*text == '{') {
			const char *value = word_of(found, text + 1);

			empty |= !*value;
			text_add(&whole, value);
			text = strchrnul(text, '}');
			if (!*text)
				break;
		} else if (*text != ']') {
			text_addn(&whole, text, 1);
		}
	}
	snprintf(to, size, "%.*s", (int)whole.length, text_string(&whole));
	text_cut_clean(to, size);
	text_free(&whole);
}

static const char *const states[] = {
	[CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_BAD] = "bad"
};

const char *check_state_name(enum check_state state)
{
	return states[state];
}

/* Fills the result of a check with the texts in its line of the file data/checks. If `within` is
 * true, chooses the first line of data/checks whose FINDING occurs in the text `finding`, or else
 * the line with FINDING "other". */
static void fill(struct check *check, const char *finding, bool within, const struct found *found)
{
	struct rows rows;
	struct status status;
	char text[400] = "";

	rows_load(&rows, "checks");
	while (!*check->finding && rows_next(&rows)) {
		const char *name = rows_word(&rows), *which = rows_word(&rows);
		char *field[3], *unit;
		bool same = within ? strstr(finding, which) || strcmp(which, "other") == 0
				   : strcmp(finding, which) == 0;

		rows_fields(&rows, field, 3);
		if (*field[1])
			snprintf(text, sizeof(text), "%s", field[1]);
		if (strcmp(name, check->name) != 0 || !same)
			continue;
		unit = field[0] + strcspn(field[0], " ");
		unit += strspn(unit, " ");
		snprintf(check->unit, sizeof(check->unit), "%s", unit);
		field[0][strcspn(field[0], " ")] = '\0';
		check->state = (enum check_state)rows_choice(
			&rows, "state", field[0], states, sizeof(states) / sizeof(*states));
		expand(text, found, check->finding, sizeof(check->finding));
		expand(field[2], found, check->advice, sizeof(check->advice));
	}
	status = rows_end(&rows);
	if (status_is_ok(&status) && *check->finding)
		return;
	check->state = CHECK_BAD;
	snprintf(check->finding, sizeof(check->finding),
		"data/checks has no text for \"%s\" %.200s", finding, status.text);
}

/* ---- The functions of the checks. Each function check_NAME() checks one property of the machine.
 * It sets the values that replace {words} in the text of its finding, and returns the name of the
 * finding in data/checks. */

static void say_failure(const struct examination *x, struct found *found, const char *otherwise)
{
	word(found, "why", "%.160s", *x->failure ? x->failure : otherwise);
}

static const char *check_clock(const struct examination *x, struct found *found)
{
	double tick = x->machine->tick_hz / 1e9, core = x->sample.ghz;

	say_failure(x, found, "no trial succeeded");
	if (!x->sample.valid || !isfinite(core) || !(tick > 0))
		return "unmeasured";
	found->value = core;
	word(found, "core", "%.3f", core);
	word(found, "tick", "%.3f", tick);
	word(found, "ratio", "%.2f", core / tick);
	word(found, "source", "%s",
		x->sample.cycles_from == SOURCE_COUNTER
			? "counter, and checks it against a reference chain"
			: "reference chain");
	word(found, "name", "%s", x->machine->clock_name);
	return fabs(core / tick - 1) <= 0.01 ? "same" : "differs";
}

static const char *check_timer(const struct examination *x, struct found *found)
{
	double step = x->machine->tick_step / x->machine->tick_hz * 1e9;

	if (!isfinite(step) || step <= 0)
		return "unknown";
	found->value = step;
	word(found, "step", "%.3g", step);
	word(found, "clocksource", "%s", x->environment.clocksource);
	return step > 50 ? "coarse" : "fine";
}

/* Whether the program could open at least one performance-counter event. */
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

/* Whether the program runs in a virtual machine. */
static bool is_virtual(const struct examination *x)
{
	return x->environment.hypervisor == 1 || x->machine->virtualised;
}

/* Returns the name of the finding for a machine on which no event can be opened. */
static const char *no_counters(const struct examination *x, struct found *found)
{
	struct check guest = { .name = "guest" };

	switch (x->counter_error) {
	case 0: word(found, "why", "%s", x->counts.why); return "nothing";
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
		fill(&guest, x->environment.hypervisor_name, true, found);
		word(found, "guest", "%s", guest.finding);
		word(found, "perhaps", "%s",
			x->environment.hypervisor < 0 ? "virtual machine" : "");
		return is_virtual(x) ? "guest" : "driver";
	case EACCES:
	case EPERM: return x->pmu.paranoid > 2 ? "denied" : "filtered";
	case ENOSYS: return "absent";
	case EBUSY: return "busy";
	default: word(found, "error", "%s", strerror(x->counter_error)); return "failed";
	}
}

static const char *check_counters(const struct examination *x, struct found *found)
{
	bool counter = x->sample.cycles_from == SOURCE_COUNTER;
	double off = x->sample.check - 1;
	int count = known(x);

	if (!opened(x))
		return no_counters(x, found);
	found->value = count;
	if (count == 0)
		return "held";
	word(found, "count", "%d", count);
	word(found, "all", "%d", x->counts.count);
	word(found, "passes", "%d pass%s", x->counts.groups, x->counts.groups == 1 ? "" : "es");
	word(found, "source", "%s", counter ? "a counter" : "the reference chain");
	if (!counter || !isfinite(off))
		return "counted";
	word(found, "off", "%.1f%% %s", 100 * fabs(off), off < 0 ? "fewer" : "more");
	return counts_clocks_differ(x->sample.check) ? "differ" : "counted";
}

static const char *check_pmu(const struct examination *x, struct found *found)
{
	const struct pmu *pmu = &x->pmu;
	char words[200];

	if (!*pmu->name)
		return "unnamed";
	pmu_words(pmu, words, sizeof(words));
	word(found, "words", "%s", words);
	if (pmu->counters > 0)
		found->value = pmu->counters;
	if (pmu->counters > 0 && pmu->width > 0) {
		word(found, "any", "%d", pmu->counters);
		word(found, "fixed", "%d", pmu->fixed);
		word(found, "width", "%d", pmu->width);
	}
	return *pmu->others ? "several" : "one";
}

static const char *check_events(const struct examination *x, struct found *found)
{
	const struct event_plan *plan = x->events;
	int unavailable = opened(x) ? x->counts.count - known(x) : 0;
	enum event_role roles[ROLE_COUNT];
	struct text lacking = { 0 };

	word(found, "why", "%s", plan ? plan->why : "");
	if (!plan || plan->counters.count == 0)
		return "unknown";
	for (int i = 0, count = events_lacking(plan, roles); i < count; i++)
		text_addf(&lacking, "%s%s", i ? ", " : "", event_roles[roles[i]].title);
	word(found, "count", "%d", plan->counters.count);
	word(found, "whom", "%s",
		plan->generic ? "every processor, but none for this core" : "this core");
	word(found, "none", "%s", opened(x) ? "" : "none");
	if (unavailable)
		word(found, "unavailable", "%d", unavailable);
	word(found, "lacking", "%s", text_string(&lacking));
	word(found, "version", "%s", counters_version());
	text_free(&lacking);
	return *plan->why      ? "wrong"
	       : plan->generic ? "generic"
	       : !opened(x)    ? "closed"
	       : unavailable   ? "some"
			       : "all";
}

static const char *check_reading(const struct examination *x, struct found *found)
{
	const struct pmu *pmu = &x->pmu;

	word(found, "pmu", "%s", pmu->name);
	return !opened(x)		       ? "unknown"
	       : x->counts.direct	       ? "direct"
	       : pmu->user_access == 0	       ? "access"
	       : pmu->rdpmc == 0 && *pmu->name ? "rdpmc"
	       : pmu->arm		       ? "old"
					       : "calls";
}

static const char *check_paranoid(const struct examination *x, struct found *found)
{
	int level = x->pmu.paranoid;

	if (level == -9)
		return "unread";
	found->value = level;
	word(found, "level", "%d", level);
	return level <= 2 ? "allowed" : x->root ? "root" : "denied";
}

static const char *check_watchdog(const struct examination *x, struct found *found)
{
	(void)found;
	return x->pmu.nmi_watchdog == 1	  ? "on"
	       : x->pmu.nmi_watchdog == 0 ? "off"
	       : *x->pmu.name		  ? "absent"
					  : "unknown";
}

static const char *check_quiet(const struct examination *x, struct found *found)
{
	double share = x->sample.quiet;

	say_failure(x, found, "none succeeded");
	if (!x->machine->watched)
		return "unwatched";
	if (!x->sample.valid || !isfinite(share))
		return "unmeasured";
	found->value = share * 100;
	word(found, "share", "%.0f", share * 100);
	word(found, "trials", "%u", x->sample.trials + x->sample.dropped);
	return x->sample.contended ? "contended" : share < 0.5 ? "few" : "most";
}

static const char *check_steal(const struct examination *x, struct found *found)
{
	const struct cpu_times *a = &x->before, *b = &x->after;
	double all = (double)(b->busy + b->idle + b->steal), now, since;

	if (!a->known || !b->known || all <= 0)
		return "unknown";
	since = (double)b->steal / all;
	all -= (double)(a->busy + a->idle + a->steal);
	now = all > 0 ? (double)(b->steal - a->steal) / all : NAN;
	found->value = since * 100;
	word(found, "since", "%.2g", since * 100);
	if (isfinite(now))
		word(found, "now", "%.2g", now * 100);
	return since > 0.02 || now > 0.02 ? "much" : "little";
}

static const char *check_binding(const struct examination *x, struct found *found)
{
	const struct machine *m = x->machine;

	word(found, "note", "%s", *m->bind_note || m->bound ? m->bind_note : "refused");
	word(found, "cpu", "%d", m->cpu);
	return !m->bound ? "refused" : m->apart ? "apart" : "shared";
}

static const char *check_cores(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;
	int online = environment_list_count(e->online), listed = environment_list_count(e->allowed),
	    allowed = listed ? listed : x->machine->processors;

	found->value = allowed;
	word(found, "allowed", "%d", allowed);
	word(found, "online", "%d", online ? online : allowed);
	word(found, "list", "%s", *e->allowed ? e->allowed : "list unknown");
	if (isfinite(e->quota)) {
		word(found, "quota", "%.3g", e->quota);
		return "limited";
	}
	return allowed == 1 ? "one" : allowed ? "several" : "unknown";
}

static const char *check_isolation(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;

	if (!*e->isolated && !isfinite(e->load))
		return "unknown";
	found->value = e->load;
	word(found, "isolated", "%s", e->isolated);
	word(found, "load", "%.2f", e->load);
	word(found, "processors", "%d", x->machine->processors);
	if (*e->isolated)
		return "isolated";
	return x->machine->processors > 0 && e->load > x->machine->processors * 0.5 ? "busy"
										    : "idle";
}

static const char *check_smt(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;

	word(found, "cpu", "%d", x->machine->cpu);
	word(found, "siblings", "%s", e->siblings);
	return environment_list_count(e->siblings) > 1 ? "shared"
	       : is_virtual(x)			       ? "virtual"
	       : e->smt < 0 && !*e->siblings	       ? "unknown"
						       : "alone";
}

static const char *check_frequency(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;

	word(found, "host", "%s", is_virtual(x) ? "host" : "");
	word(found, "turbo", "%s", e->turbo < 0 ? "" : e->turbo ? "allowed" : "off");
	word(found, "governor", "%s", e->governor);
	word(found, "driver", "%s", e->frequency_driver);
	return !*e->governor				 ? "hidden"
	       : strcmp(e->governor, "performance") == 0 ? "steady"
							 : "moving";
}

static const char *check_virtual(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;

	word(found, "container", "%s", e->container ? "container" : "");
	word(found, "kind", "%s", *e->hypervisor_name ? e->hypervisor_name : "its kind is unknown");
	return is_virtual(x) ? "machine" : e->hypervisor < 0 ? "silent" : "none";
}

static const char *check_huge(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;
	const char *mode = *e->thp ? e->thp : "unknown", *note = x->machine->huge_note;

	word(found, "mode", "%s", mode);
	word(found, "note", "%s", note);
	word(found, "set", "%s", *note ? "" : mode);
	word(found, "reserved", "%s", e->huge_free > 0 ? "some" : "");
	if (x->machine->huge_pages)
		return strcmp(x->pages, "4k") == 0 ? "unused" : "available";
	return strcmp(mode, "always") == 0 || strcmp(mode, "madvise") == 0 ? "disabled" : "off";
}

static const char *check_memory(const struct examination *x, struct found *found)
{
	const struct environment *e = &x->environment;
	const struct machine *m = x->machine;

	if (e->memory_total < 0)
		return "unknown";
	if (e->memory_available >= 0)
		found->value = (double)e->memory_available / (1 << 20);
	word(found, "available", "%s",
		e->memory_available < 0 ? "unknown" : units_size_long(e->memory_available).text);
	word(found, "total", "%s", units_size_long(e->memory_total).text);
	word(found, "most", "%s",
		m->memory_limit ? units_size_long((int64_t)m->memory_limit).text : "any size");
	if (*m->memory_note)
		word(found, "limit", "%s", m->memory_note);
	else if (e->memory_limit >= 0)
		word(found, "limit", "the control group's limit is %s",
			units_size_long(e->memory_limit).text);
	word(found, "remedy", "%s", *m->memory_note ? "raise that limit" : "free some memory");
	return m->memory_limit && m->memory_limit < 256u << 20 ? "small" : "enough";
}

static const char *check_locked(const struct examination *x, struct found *found)
{
	int64_t limit = x->environment.locked_limit;

	if (limit < 0 || limit == INT64_MAX)
		return limit < 0 ? "unknown" : "unlimited";
	found->value = (double)limit / (1 << 20);
	word(found, "limit", "%s", units_size_long(limit).text);
	/* The ring buffer of perf_event_open() needs locked memory: 4 KiB + 512 KiB by default. */
	return limit >= 516 << 10 ? "enough" : "little";
}

static const char *check_terminal(const struct examination *x, struct found *found)
{
	const struct terminal_facts *t = &x->terminal;

	if (!*t->term)
		return "unset";
	word(found, "term", "%s", t->term);
	if (!t->described || !t->addressable) {
		word(found, "remedy", "%s",
			t->database ? "Try TERM=xterm-256color, or install ncurses-term"
				    : "There is no terminfo here: install ncurses-base, or set "
				      "TERMINFO");
		return t->described ? "fixed" : "unknown";
	}
	if (t->colours) {
		found->value = t->colours;
		word(found, "colours", "%d colours", t->colours);
	} else {
		word(found, "colours", "no colours");
	}
	word(found, "plain", "%s", t->no_colour ? "NO_COLOR" : "");
	word(found, "charset", "%s", t->charset);
	word(found, "ends", "%s", t->input && t->output ? "" : "input or output");
	return t->utf8 ? "utf8" : "ascii";
}

static const struct {
	const char *name;
	const char *(*find)(const struct examination *examination, struct found *found);
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
	struct check check = { .name = rows[index].name };
	struct found found = { .value = NAN };
	const char *finding = rows[index].find(examination, &found);

	fill(&check, finding, false, &found);
	check.value = found.value;
	return check;
}
