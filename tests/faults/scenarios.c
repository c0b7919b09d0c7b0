#include "faults.h"

#include <stddef.h>

#define SHORT "--time-budget", "0.02"

static const char own_loop[] = "/* slexplore: elements=n a=f64[n]:1.0 */\n"
			       "double sum;\n"
			       "long loop(long n, double *a)\n"
			       "{\n"
			       "	double s = 0;\n"
			       "	for (long i = 0; i < n; i++)\n"
			       "		s += a[i];\n"
			       "	sum = s;\n"
			       "	return 0;\n"
			       "}\n";

const struct fault_scenario fault_scenarios[] = {
	{ "list", { "list" }, .cheap = true },
	{ "explain", { "explain", "mul-chain", "acc=4", "--uarch", "zen4", "--format", "json" },
		.cheap = true, .silent = true },
	{ "compare", { "compare", "CANNED", "OTHER" }, .cheap = true },
	/* If the file cannot be read, it may be taken for a source file, with status 2. */
	{ "program", { "explain", "/bin/sh" }, .named = true },
	{ "picture",
		{ "explain", "mul-chain", "--uarch", "zen4", "--graph", "--picture", "graph.svg" },
		.cheap = true, .patience = 60 },
	{ "draw", { "replay", "CANNED", "--script", "drawn.script" }, "drawn.script",
		"wait\nview code\nscreenshot to shown.svg\n", .cheap = true, .silent = true },
	{ "run", { "run", "mul-by", SHORT }, .may_fail = true },
	{ "sweep",
		{ "sweep", "combine", "unroll=1,2", "--format", "csv", "--picture", "sweep.svg",
			SHORT },
		.may_fail = true },
	{ "probe", { "probe", "--time-budget", "0.2" }, .may_fail = true },
	{ "record", { "record", "new.jsonl", "combine", "unroll=1,2", SHORT }, .silent = true,
		.may_fail = true },
	{ "record-packed", { "record", "new.jsonl.gz", "combine", "unroll=1,2", SHORT },
		.silent = true, .may_fail = true },
	{ "characterise", { "characterise", "--install", "--time-budget", "0.3" }, .patience = 60,
		.may_fail = true },
	{ "own", { "run", "./mine.c", "n=1000", SHORT }, "mine.c", own_loop, .may_fail = true },
	{ "own-explain", { "explain", "./mine.c", "n=1000" }, "mine.c", own_loop },
	{ "explorer", { "explore", "mul-by" }, .keys = "j+-V?\033kp+q" },
	{ "explorer-resized", { "explore", "mul-by" }, .keys = "\001j\001+\001\001V\001q" },
	{ "explorer-own", { "./mine.c" }, "mine.c", own_loop, .keys = "V+q" },
	{ "explorer-replay", { "replay", "CANNED" }, .keys = "jj+V?\033q" },
	{ NULL },
};
