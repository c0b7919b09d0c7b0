/* Any line as a JSON record: compare's own parser and jansson find the same object, or neither
 * finds an object. */
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "recording/compare/compared_parse.h"

static const char records[] = "{\"v\":1,\"record\":\"sample\",\"id\":12,\"host\":\"n1\",\"knobs\":{"
			      "\"op\":\"mul\",\"size\":"
			      "4096},\"cpe\":2.99999,\"ns\":7.5e-1,\"contended\":true,\"pages\":"
			      "null,\"late\":false}{\"v\"\n"
			      "{\"v\":1,\"trials\":[[3.004,4.12,1.0,-0.0,0],[],[3.1,[4,[5,[6]]]]],"
			      "\"empty\":{},\"v\":2}\n";
static const char plain_or_not[] =
	"{}{} {\"a\":-0}\n{\"a\":00}\n{\"a\":1.}\n{\"a\":.1}\n{\"a\":1e}\n{\"a\":+1}\n{\"a\":-}\n"
	"{\"a\":1,}\n{,\"a\":1}\n{\"a\":[1,]}\n{\"a\":[,1]}\n{\"a\":1 }\n{\"a\":1\n{\"a\":[1\n"
	"{\"a\":123456789012345678901}\n{\"a\":9223372036854775808}\n{\"a\":0.1234567890123456789}"
	"\n"
	"{\"a\":1e22}\n{\"a\":1e23}\n{\"a\":1E+5}\n{\"a\":123456789012345e-22}\n{\"a\":1e999}\n"
	"{\"a\":\"\\u0041\"}\n{\"a\":\"\xc3\xa9\"}\n{\"a\":\"\xff\"}\n{\"a\":\"\x7f\"}\n{\"a\":tru}"
	"\n"
	"{\"a\"}\n{\"a\":}\n{a:1}\n{\"a\":{\"b\":[{\"c\":{\"d\":1}}]}}\n{\"\":1,\"\":2}\n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(records), FUZZ_TEXT(plain_or_not), { NULL, 0 } };
const size_t fuzz_longest = 600;
const uint64_t fuzz_runs = 2000;

static void check_line(const char *line, size_t length)
{
	json_error_t error;
	json_t *expected = json_loadb(line, length, JSON_DISABLE_EOF_CHECK, &error), *found;
	size_t used;

	found = compared_parse(line, length, &used);
	if (!found != !expected || (found && !json_equal(found, expected)) ||
		(found && used != (size_t)error.position))
		abort();
	json_decref(found);
	json_decref(expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((newline ? newline : end) - at);

		check_line(at, length);
		at += length + 1;
	}
	return 0;
}
