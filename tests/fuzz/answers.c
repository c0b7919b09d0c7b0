/* Any bytes as a file of students' answers: what is read is in its limits, and is the same when it
 * is written and read again. */
#include "fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recording/answers.h"

static const char first[] =
	"{\"record\":\"answer\",\"who\":\"brown-fox\",\"name\":\"Ada\",\"lesson\":\"chains\","
	"\"step\":2,"
	"\"title\":\"Two "
	"chains\",\"ask\":\"choice\",\"guess\":\"twice\",\"choice\":2,\"number\":2.5,"
	"\"verdict\":\"right\",\"truth\":\"2.00\",\"measured\":2,\"measured_lo\":1.9,\"measured_"
	"hi\":2.1,"
	"\"doubt\":\"contended\",\"machine\":\"AMD\",\"time\":\"2026-01-02T03:04:05Z\"}\n";
static const char second[] =
	"{\"record\":\"answer\",\"who\":\"a\",\"lesson\":\"l\",\"step\":1,\"verdict\":\"skipped\"}"
	"\n"
	"{\"record\":\"answer\",\"who\":\"a\",\"lesson\":\"l\",\"step\":1,\"verdict\":\"wrong\"}\n"
	"{\"record\":\"answer\",\"who\":\"b\",\"lesson\":\"l\",\"step\":1000,\"verdict\":\"kept\"}"
	"\nrest";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(first), FUZZ_TEXT(second), { NULL, 0 } };

static void demand(bool good)
{
	if (!good)
		abort();
}

static void take(struct answers *answers, const void *bytes, size_t size)
{
	FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "r");

	demand(file != NULL);
	answers_take(answers, file);
	fclose(file);
}

static bool same_number(double a, double b)
{
	return (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-5 * fabs(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answers answers = { 0 }, again = { 0 };
	char *bytes = NULL;
	size_t length = 0;
	FILE *file;

	if (size == 0)
		return 0;
	take(&answers, data, size);
	demand(answers.count >= 0 && answers.refused >= 0);
	file = open_memstream(&bytes, &length);
	demand(file != NULL);
	for (int i = 0; i < answers.count; i++) {
		demand(answers.answer[i].step >= 1 && answers.answer[i].choice >= 0);
		demand(answers_write(file, &answers.answer[i]));
	}
	fclose(file);
	if (length > 0)
		take(&again, bytes, length);
	demand(again.count == answers.count && again.refused == 0);
	for (int i = 0; i < again.count; i++) {
		const struct answer *a = &answers.answer[i], *b = &again.answer[i];

		demand(strcmp(a->who, b->who) == 0 && strcmp(a->lesson, b->lesson) == 0);
		demand(strcmp(a->guess, b->guess) == 0 && strcmp(a->verdict, b->verdict) == 0);
		demand(a->step == b->step && a->choice == b->choice);
		demand(same_number(a->number, b->number));
	}
	answers_free(&answers);
	answers_free(&again);
	free(bytes);
	return 0;
}
