/* Fuzz targets: each is one file that defines LLVMFuzzerTestOneInput(), which must survive any
 * bytes and call abort() when what it tests breaks its word. Linked with driver.c it is a plain
 * program that makes inputs itself; built by clang with -fsanitize=fuzzer, without driver.c, it is
 * a libFuzzer program. Both take -runs=N, -seed=N and files.
 *
 * To add one: tests/fuzz/NAME.c. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns 0. `data` has exactly `size` bytes, so that a sanitiser sees a read beyond. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What driver.c begins from, ended by one whose bytes are NULL. A target may leave it out. */
struct fuzz_seed {
	const void *bytes;
	size_t size;
};

/* Of a text that stands in the source. */
#define FUZZ_TEXT(text)                \
	{                              \
		text, sizeof(text) - 1 \
	}

extern const struct fuzz_seed fuzz_seeds[] __attribute__((weak));

/* The longest input that driver.c makes; 1,024 where a target leaves it out. */
extern const size_t fuzz_longest __attribute__((weak));

/* How many inputs driver.c makes where -runs is not given; a target of slow inputs has it. */
extern const uint64_t fuzz_runs __attribute__((weak));
