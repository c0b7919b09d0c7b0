/* Any lines as the input of compare: each line is counted in one group, values are finite, and no
 * name has a control character. */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording/compare/compared.h"

/* Records of two hosts, text of another program, and a record that is cut. */
static const char samples[] =
	"{\"v\":1,\"record\":\"recording\",\"id\":0,\"format\":1,\"host\":\"a\""
	",\"machine\":\"M\",\"seed\":1}\n"
	"{\"v\":1,\"record\":\"sample\",\"id\":1,\"kernel\":\"combine\",\"knobs"
	"\":{\"op\":\"mul\",\"size\":4096},\"cpe\":2.99999,\"cpe_lo\":2.9,\"cpe"
	"_hi\":3.1,\"trials\":9,\"quiet\":0.9,\"ghz\":4.12,\"gbps\":10.9,\"page"
	"s\":\"huge\"}\n"
	"{\"v\":1,\"record\":\"trials\",\"id\":1,\"trials\":[[3.004,4.12,1.0,1."
	"0,0.0,0],[3.1,4.12,1.0,1.0,0.1,1]]}\n"
	"srun: job 7 queued\n";
static const char report[] =
	"[1] {\"v\":1,\"record\":\"sample\",\"id\":2,\"host\":\"b\",\"kernel\":"
	"\"mul-by\",\"knobs\":{\"m\":7},\"cpe\":1.8e0,\"cpe_lo\":null,\"quiet\""
	":2}\n"
	"{\"v\":1,\"record\":\"level\",\"id\":0,\"host\":\"b\",\"name\":\"L2\","
	"\"bytes\":1048576,\"cycles\":14.1}\n"
	"{\"v\":1,\"record\":\"resource\",\"id\":0,\"host\":\"b\",\"name\":\"al"
	"u1\",\"pressure\":0.9}\n"
	"{\"v\":1,\"record\":\"sample\",\"id\":\n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(samples), FUZZ_TEXT(report), { NULL, 0 } };
const size_t fuzz_longest = 2000;
const uint64_t fuzz_runs = 2000;

static void demand(bool good)
{
	if (!good)
		abort();
}

static void check_clean(const char *words)
{
	for (; words && *words; words++)
		demand((unsigned char)*words >= ' ' && *words != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct compared compared = { 0 };
	FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	uint64_t lines = 0;
	int quantities = 0, sources = 0;

	if (!file)
		return 0;
	compared_read_stream(&compared, "FILE", file, 0);
	fclose(file);
	compared_finish(&compared);
	for (int group = 0; group < LINE_GROUPS; group++)
		lines += compared.group[group];
	demand(lines == compared.lines);
	for (size_t i = 0; i < compared.value_count; i++) {
		const struct compared_value *value = &compared.value[i];

		demand(isfinite(value->value) && value->value > 0);
		demand(value->trials_first + value->trials_count <= compared.trial_count);
		quantities = value->quantity >= quantities ? value->quantity + 1 : quantities;
		sources = value->source >= sources ? value->source + 1 : sources;
	}
	for (int i = 0; i < quantities; i++)
		check_clean(compared.quantity[i].subject);
	for (int i = 0; i < sources; i++) {
		check_clean(compared.source[i].uarch);
		check_clean(compared.source[i].microcode);
	}
	compared_free(&compared);
	return 0;
}
