/* slexplore caches: the caches of the measured core, as the system states them. */
#include "base/units.h"
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/format.h"

static void text(struct report *report, const void *item)
{
	const struct machine_cache *cache = item;

	fprintf(report->out, "L%d  %s\n", cache->level,
		units_size_long((int64_t)cache->bytes).text);
}

static void data(struct report *report, const struct records *records, const void *item)
{
	const struct machine_cache *cache = item;
	struct json_t *object = record_new(records, "cache", report->records + 1);

	record_set_integer(object, "number", cache->level);
	record_set_integer(object, "bytes", (int64_t)cache->bytes);
	record_write(records, object);
}

static const struct subject subject_cache = { "cache", "host,number,bytes", NULL, text, data,
	NULL };

static int caches_run(struct cli *cli)
{
	struct bench bench;
	struct status status = bench_open(&bench, cli);
	struct report report;

	if (!status_is_ok(&status))
		return cli_fail(cli, status);
	report_init(&report, cli, &subject_cache, bench.machine);
	report_begin(&report);
	for (int i = 0; i < bench.machine->cache_count; i++)
		report_write(&report, &subject_cache, &bench.machine->cache[i]);
	report_end(&report);
	bench_close(&bench);
	return CLI_DONE;
}

const struct cli_command command_caches = {
	.name = "caches",
	.help = "the caches of this machine, as the system states them",
	.arguments = "",
	.common = { "format", "cpu", "quiet" },
	.run = caches_run,
};
