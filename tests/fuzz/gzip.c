/* Any bytes as a compressed file: reading ends, with an error or without. A file that is mended can
 * go on: what could be read of it before stays, up to a place, and what is added follows. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/gzip.h"

/* An input is the length of the file, in two bytes, and the file. */
enum { LENGTH = 2, SEED = 400 };
static uint8_t packed[3][SEED];

/* main() begins after they are made. */
const struct fuzz_seed fuzz_seeds[] = {
	{ packed[0], SEED },
	{ packed[1], SEED },
	{ packed[2], SEED },
	{ NULL, 0 },
};

/* Appends compressed lines; each is a block. */
static void pack(struct text *into, int count, bool ended)
{
	struct gzip *gzip = gzip_new();
	struct text block = { 0 };

	if (!gzip)
		abort();
	for (int i = 0; i < count + ended; i++) {
		if (i < count)
			text_addf(&block, "line %d of a file, %d\n", i, i * 7919);
		if (!gzip_pack(gzip, &block, i == count))
			abort();
		text_addn(into, block.bytes, block.length);
		text_clear(&block);
	}
	text_free(&block);
	gzip_free(gzip);
}

static __attribute__((constructor)) void make_seeds(void)
{
	for (int i = 0; i < 3; i++) {
		struct text file = { 0 };

		pack(&file, 2 + i, i != 1);
		if (i == 2)
			pack(&file, 3, false);
		if (file.length > SEED - LENGTH)
			abort();
		packed[i][0] = (uint8_t)file.length;
		packed[i][1] = (uint8_t)(file.length >> 8);
		memcpy(packed[i] + LENGTH, file.bytes, file.length);
		text_free(&file);
	}
}

/* Reads the decompressed bytes. Returns whether all could be read. */
static bool read_all(int file, struct text *bytes)
{
	char block[4096], first;
	size_t count;
	FILE *stream;
	bool good;

	text_clear(bytes);
	if (pread(file, &first, 1, 0) != 1)
		return true;
	if (first != GZIP_BYTE)
		return false;
	file = dup(file);
	lseek(file, 1, SEEK_SET);
	stream = gzip_stream(file);
	if (!stream)
		abort();
	while ((count = fread(block, 1, sizeof(block), stream)) > 0)
		text_addn(bytes, block, count);
	good = !ferror(stream);
	fclose(stream);
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char added[] = "line 0 of a file, 0\n";
	struct text before = { 0 }, after = { 0 }, more = { 0 };
	int file = memfd_create("fuzz", MFD_CLOEXEC);
	size_t length;
	bool newline, good;

	if (size < LENGTH)
		return 0;
	length = data[0] | (size_t)data[1] << 8;
	data += LENGTH;
	size = length < size - LENGTH ? length : size - LENGTH;
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	fcntl(file, F_SETFL, O_APPEND);
	good = read_all(file, &before);
	if (gzip_mend(file, &newline)) {
		size_t kept;

		pack(&more, 1, false);
		if (write(file, more.bytes, more.length) != (ssize_t)more.length)
			abort();
		if (!read_all(file, &after) || after.length < strlen(added))
			abort();
		kept = after.length - strlen(added);
		if (memcmp(after.bytes + kept, added, strlen(added)) != 0 || kept > before.length ||
			(kept && memcmp(after.bytes, before.bytes, kept) != 0) ||
			newline != (kept == 0 || after.bytes[kept - 1] == '\n'))
			abort();
	} else if (good && size > 0) {
		abort();
	}
	close(file);
	text_free(&before);
	text_free(&after);
	text_free(&more);
	return 0;
}
