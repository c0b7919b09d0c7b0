#include "cli/probe_units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/differences.h"
#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/bench.h"
#include "cli/format.h"
#include "cli/work.h"

const char *const unit_words[] = { "", "numa", "socket", "core", "l2", NULL };
_Static_assert(sizeof(unit_words) / sizeof(*unit_words) == UNIT_KINDS + 1, "a word for each kind");

/* Bytes of the largest working set of each unit's probe, if --max-size is not given. */
#define SIZE (UINT64_C(64) << 20)

static const struct figure {
	const char *words, *unit;
	double floor; /* smaller relative differences between equal cores are chance */
} figures[UNIT_VALUES] = {
	[UNIT_CLOCK] = { "clock", "GHz", 0.01 },
	[UNIT_L1] = { "L1d latency", "cycles", 0.01 },
	[UNIT_L2] = { "L2 latency", "cycles", 0.015 },
	[UNIT_L3] = { "L3 latency", "ns", 0.05 },
	[UNIT_MEMORY] = { "memory latency", "ns", 0.05 },
	[UNIT_READ_L1] = { "L1d read bandwidth", "B/cycle", 0.03 },
	[UNIT_READ_L2] = { "L2 read bandwidth", "B/cycle", 0.03 },
	[UNIT_READ_MEMORY] = { "memory read bandwidth", "GB/s", 0.05 },
};

/* ---- units ---- */

static int number_of(const struct processor_place *place, enum unit_kind kind)
{
	int number = kind == UNITS_CORE	    ? place->core
		     : kind == UNITS_L2	    ? (place->l2 >= 0 ? place->l2 : place->core)
		     : kind == UNITS_SOCKET ? place->package
					    : place->node;

	if (number >= 0)
		return number;
	/* A machine without sockets or memory nodes has one unit. If the system names no cores,
	 * each processor is a core. */
	return kind == UNITS_CORE || kind == UNITS_L2 ? place->cpu : 0;
}

int units_find(const struct machine *machine, enum unit_kind kind, struct unit *units)
{
	int count = 0;

	for (int i = 0; machine->places && i < machine->processors; i++) {
		const struct processor_place *place = &machine->places[i];
		bool known = false;

		for (int k = 0; k < count; k++)
			known |= units[k].number == number_of(place, kind);
		if (known)
			continue;
		units[count] = (struct unit){ .number = number_of(place, kind), .cpu = place->cpu };
		for (int k = 0; k < UNIT_VALUES; k++)
			units[count].value[k] = units[count].usual[k] = NAN;
		count++;
	}
	return count;
}

/* ---- values ---- */

static void take_levels(const struct hierarchy *hierarchy, struct unit *unit)
{
	for (int i = 0; i < hierarchy->level_count; i++) {
		const struct hierarchy_level *level = &hierarchy->level[i];

		if (level->kind == LEVEL_MEMORY)
			unit->value[UNIT_MEMORY] = level->ns;
		else if (level->kind == LEVEL_CACHE && level->number == 3)
			unit->value[UNIT_L3] = level->ns;
		else if (level->kind == LEVEL_CACHE && level->number <= 2)
			unit->value[level->number == 1 ? UNIT_L1 : UNIT_L2] = level->cycles;
	}
}

static void take_values(const struct probe_report *report, struct unit *unit)
{
	unit->value[UNIT_CLOCK] = probe_ghz(report);
	take_levels(&report->hierarchy, unit);
	for (int i = 0; i < report->band_count; i++) {
		const struct sample *sample = &report->band[i].point[PROBE_READ].sample;
		const char *level = report->band[i].level;

		enum unit_value value = strcmp(level, "L1d") == 0      ? UNIT_READ_L1
					: strcmp(level, "L2") == 0     ? UNIT_READ_L2
					: strcmp(level, "memory") == 0 ? UNIT_READ_MEMORY
								       : UNIT_VALUES;

		if (!sample->valid || value == UNIT_VALUES)
			continue;
		unit->value[value] =
			value == UNIT_READ_MEMORY ? sample->gbps : sample->bytes_per_cycle;
		unit->contended |= (unsigned)sample->contended << value;
	}
}

static bool is_sure(const struct unit *unit, int value)
{
	return isfinite(unit->value[value]) && !(unit->contended >> value & 1);
}

void units_judge(struct unit *units, int count)
{
	double *sorted = memory_new((size_t)count + 1, sizeof(*sorted));

	for (int k = 0; k < UNIT_VALUES; k++) {
		struct differences_cloud cloud;
		size_t known = 0;

		for (int i = 0; i < count; i++)
			if (is_sure(&units[i], k))
				sorted[known++] = units[i].value[k];
		if (known < 3)
			continue;
		stats_sort(sorted, known);
		cloud = differences_cloud(sorted, known,
			figures[k].floor * stats_quantile(sorted, known, 0.5) / 4,
			known * UNIT_VALUES);
		for (int i = 0; i < count; i++) {
			units[i].usual[k] = cloud.median;
			if (is_sure(&units[i], k) &&
				fabs(units[i].value[k] - cloud.median) > cloud.usual)
				units[i].odd |= 1u << k;
		}
	}
	free(sorted);
}

/* ---- text ---- */

/* The mark after a value in the table. */
static char mark_of(const struct unit *unit, int value)
{
	return unit->odd >> value & 1 ? '*' : unit->contended >> value & 1 ? '?' : ' ';
}

/* Prints a sentence for each value that differs. Returns the number of these values. */
static int print_odd(FILE *out, const struct unit *units, int count, enum unit_kind kind)
{
	int odd = 0;

	for (int i = 0; i < count; i++)
		for (int k = 0; k < UNIT_VALUES; k++) {
			const struct unit *unit = &units[i];

			if (!(unit->odd >> k & 1))
				continue;
			text_print(out, TEXT_COLUMNS, odd++ ? "* " : "\n* ", 2,
				words_of("%s %d: %s %s %s, %.2f times the median of %s",
					unit_words[kind], unit->number, figures[k].words,
					units_value(unit->value[k]).text, figures[k].unit,
					unit->value[k] / unit->usual[k],
					units_value(unit->usual[k]).text)
					.text);
		}
	return odd;
}

void units_print(FILE *out, const struct unit *units, int count, enum unit_kind kind)
{
	static const char *const heads[UNIT_VALUES] = { "GHz", "L1d", "L2", "L3 ns", "mem ns",
		"L1d B/c", "L2 B/c", "mem GB/s" };
	unsigned known = 0, contended = 0;
	int odd;

	for (int i = 0; i < count; i++) {
		contended |= units[i].contended;
		for (int k = 0; k < UNIT_VALUES; k++)
			known |= (unsigned)(isfinite(units[i].value[k]) != 0) << k;
	}
	fprintf(out, "%-8s%5s", unit_words[kind], "cpu");
	for (int k = 0; k < UNIT_VALUES; k++)
		if (known >> k & 1)
			fprintf(out, k < UNIT_READ_L1 ? "%8s" : "%9s", heads[k]);
	fputc('\n', out);
	for (int i = 0; i < count; i++) {
		fprintf(out, "%-8d%5d", units[i].number, units[i].cpu);
		for (int k = 0; k < UNIT_VALUES; k++)
			if (known >> k & 1)
				fprintf(out, k < UNIT_READ_L1 ? "%7s%c" : "%8s%c",
					units_value(units[i].value[k]).text, mark_of(&units[i], k));
		fputc('\n', out);
	}
	fprintf(out, "(%s: latency in cycles%s%s)\n", known >> UNIT_L2 & 1 ? "L1d, L2" : "L1d",
		known >> UNIT_L3 & 1 || known >> UNIT_MEMORY & 1 ? "; L3, mem: latency in ns" : "",
		known >> UNIT_READ_L1 ? "; B/c, GB/s: bytes read" : "");
	odd = print_odd(out, units, count, kind);
	if (count < 3)
		fprintf(out, "\n%d unit%s: too few to say which one differs\n", count,
			count == 1 ? "" : "s");
	else if (!odd)
		fprintf(out, "\nno %s differs from the others\n", unit_words[kind]);
	if (contended)
		fputs("? contended: disturbed while measured, so measure again\n", out);
}

/* ---- measuring ---- */

struct status units_list(struct cli *cli, enum unit_kind kind, struct unit **units, int *count)
{
	struct bench bench;
	struct status status = bench_open(&bench, cli);

	*units = NULL;
	*count = 0;
	if (!status_is_ok(&status))
		return status;
	*units = memory_new((size_t)bench.machine->processors + 1, sizeof(**units));
	*count = units_find(bench.machine, kind, *units);
	bench_close(&bench);
	return *count ? status_ok()
		      : status_failed(
				"--per: the system does not report the topology of its processors");
}

/* The records name each unit as a host, so that slexplore compare compares the units. */
void units_name(struct report *report, enum unit_kind kind, int number)
{
	char host[sizeof(report->host)];

	memcpy(host, report->host, sizeof(host));
	snprintf(report->host, sizeof(report->host), "%.40s:%s%s%d", host, unit_words[kind],
		kind == UNITS_L2 ? "-" : "", number);
}

/* Probes one unit, and writes its records if the format is JSON or CSV. Returns the exit status. */
static int probe_unit(struct cli *cli, enum unit_kind kind, const struct probe_options *options,
	struct report *report, struct unit *unit)
{
	struct probe *probe;
	struct bench bench;
	struct status status;
	struct campaign campaign;
	char host[sizeof(report->host)];
	int exit_status;

	cli->cpu = unit->cpu;
	status = bench_open(&bench, cli);
	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	probe = probe_new(bench.machine, options, &status);
	if (!probe) {
		bench_close(&bench);
		return cli_fail(cli, status);
	}
	campaign = (struct campaign){ &campaign_probe, probe };
	if (work_carry_out(cli, &bench, &campaign)) {
		take_values(probe_report(probe), unit);
		memcpy(host, report->host, sizeof(host));
		units_name(report, kind, unit->number);
		report->machine = bench.machine;
		if (cli->format != formats[0])
			report_write(report, report->subject, probe_report(probe));
		memcpy(report->host, host, sizeof(host));
	}
	exit_status = work_conclude(cli, &bench, &campaign, "the units so far are printed");
	probe_free(probe);
	bench_close(&bench);
	return exit_status;
}

int units_probe(struct cli *cli, enum unit_kind kind, const struct probe_options *options,
	const struct subject *subject)
{
	struct probe_options each = *options;
	struct report report;
	struct unit *units;
	int count, measured = 0, exit_status = CLI_DONE;
	struct status status = units_list(cli, kind, &units, &count);

	if (!status_is_ok(&status)) {
		free(units);
		return cli_fail(cli, status);
	}
	if (each.parts == 0)
		each.parts = 1u << PROBE_LATENCY | 1u << PROBE_BANDWIDTH;
	if (each.max_size == 0)
		each.max_size = SIZE;
	if (!each.pages[PAGES_4K] && !each.pages[PAGES_HUGE])
		each.pages[PAGES_AUTO] = true;
	each.seconds /= count;
	report_init(&report, cli, subject, NULL);
	report_begin(&report);
	for (int i = 0; i < count && exit_status == CLI_DONE; i++) {
		exit_status = probe_unit(cli, kind, &each, &report, &units[i]);
		measured += isfinite(units[i].value[UNIT_CLOCK]);
	}
	if (cli->format == formats[0] && measured) {
		units_judge(units, count);
		units_print(cli->out, units, count, kind);
	}
	report_end(&report);
	free(units);
	return exit_status;
}
