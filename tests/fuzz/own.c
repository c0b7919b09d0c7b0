/* Any text as the comment of an own loop: what is taken is within its bounds, and can be laid out;
 * what is not says where. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/own/own_comment.h"

const size_t fuzz_longest = 300;

const struct fuzz_seed fuzz_seeds[] = {
	FUZZ_TEXT("/* slexplore: elements=n a=f64[n]:1.0 b=i32[n]:random(n) c=list(n,64) */"),
	FUZZ_TEXT("slexplore: elements=2*n a=u8[n+1]:random(100) b=i16[n/4]:index "
		  "d=list(2*n,8,sequential) n=64"),
	FUZZ_TEXT("x\n// slexplore: multiple=8 cflags=\"-O3 -march=native\"\n# slexplore: c = i64 "
		  "[ 64 ] : permutation\n"),
	FUZZ_TEXT("slexplore: a=f32[n*3]:-1e-3 elements=n/3 n=96 multiple=7 "
		  "b=u64[9]:18446744073709549568"),
	FUZZ_TEXT(
		"/* slexplore: knob unroll=1..8 knob w=8..64*2 knob type = float, double z=u8[n]\n"
		" * slexplore: cflags=-O2,\"-O3 -Wl,-z,now\" m=i64[n] o=i8[n]\n * a=f64[n] */"),
	FUZZ_TEXT(
		"/* slexplore: a=strings(n,5..20) b=u8[n]:30%,sorted c=i32[n]:zipf(100,1.1) n=64 */"
		"/* slexplore: d=i32[n]:random(-9..9),reversed "
		"e=u64[n]:18446744073709551615,align=64 "
		"f=f32[n]:random(-1..1),offset=3 g=i64[n]:random */"),
	{ NULL, 0 },
};

#define check(what) ((what) ? (void)0 : broken(__LINE__, #what))

static _Noreturn void broken(int line, const char *what)
{
	fprintf(stderr, "tests/fuzz/own.c:%d: not so: %s\n", line, what);
	abort();
}

/* Each argument's own memory is as large as it says: written in full. */
static void check_data(const struct own_description *description, int64_t n)
{
	static _Alignas(4096) unsigned char memory[1 << 16];
	uint64_t bytes = own_data_bytes(description, n), end = 0;
	struct own_data data;

	check(bytes >= own_bytes(description, n));
	if (bytes > sizeof(memory) || own_description_check(description, "x", n).code != STATUS_OK)
		return;
	memset(memory, 0, bytes);
	own_data_make(&data, description, n, n / 2, 1, memory);
	for (int i = 0; i < OWN_ARGUMENTS; i++) {
		uint64_t begin = data.argument[i]
					 ? (uint64_t)((unsigned char *)data.argument[i] - memory)
					 : end;

		check(begin >= end);
		end = begin + own_argument_bytes(&description->argument[i], n);
		check(end <= bytes);
		if (description->argument[i].content == OWN_LIST) {
			int64_t nodes = 0;

			own_data_shorten(&data, true);
			for (void **node = data.argument[i]; node; node = *node)
				nodes++;
			check(nodes == own_count(&description->argument[i].count, n / 2));
			own_data_shorten(&data, false);
		}
	}
}

/* A knob has a range or a list; the list ends within its memory. */
static void check_knob(const struct own_knob *knob)
{
	size_t at = 0;
	int count = 0;

	check(memchr(knob->name, 0, sizeof(knob->name)));
	check(knob->low >= 0 && knob->low <= knob->high);
	while (at < sizeof(knob->words) && knob->words[at]) {
		at += strnlen(knob->words + at, sizeof(knob->words) - at) + 1;
		count++;
	}
	check(at < sizeof(knob->words) && count <= OWN_VALUES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct own_description description;
	char *text = malloc(size + 1);
	struct status status;

	memcpy(text, data, size);
	text[size] = '\0';
	status = own_describe(text, "mine.c", &description);
	free(text);
	check(memchr(status.text, 0, sizeof(status.text)));
	if (status.code != STATUS_OK) {
		check(status.code == STATUS_USAGE && strncmp(status.text, "mine.c:", 7) == 0);
		return 0;
	}
	check(description.multiple >= 1 && description.n >= OWN_N_MIN &&
		description.n % (2 * description.multiple) == 0);
	check(description.n <= 2 * (int64_t)OWN_N_MAX);
	check_knob(&description.cflags);
	check(description.knobs >= 0 && description.knobs <= OWN_KNOBS);
	for (int i = 0; i < description.knobs; i++)
		check_knob(&description.knob[i]);
	check(own_count(&description.elements, description.n) ==
		2 * own_count(&description.elements, description.n / 2));
	check(own_count(&description.elements, description.n) > 0);
	check_data(&description, description.n);
	/* Nothing overflows at the end of the range. */
	check(own_bytes(&description, OWN_N_MAX) >= own_bytes(&description, description.multiple));
	return 0;
}
