#include "base/gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* The size of the window, with zlib's sign for the headers of gzip. */
enum { WINDOW = 15, GZIP_WINDOW = WINDOW + 16 };

bool gzip_is_name(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* ---- reading */

/* A file of zeros expands to 1,000 times its size. It is refused when it has expanded to FREE
 * bytes. */
enum { FREE = 1 << 20 };

struct input {
	int file;
	z_stream stream;
	size_t packed, expanded; /* bytes so far */
	bool ended; /* one compressed file has ended; another may follow in the same file */
	unsigned char bytes[1 << 15];
};

static ssize_t read_input(void *cookie, char *buffer, size_t size)
{
	struct input *input = cookie;
	z_stream *stream = &input->stream;

	stream->next_out = (unsigned char *)buffer;
	stream->avail_out = (unsigned)size;
	while (stream->avail_out == size) {
		int result;

		if (stream->avail_in == 0) {
			ssize_t got = read(input->file, input->bytes, sizeof(input->bytes));

			if (got <= 0)
				return got;
			stream->next_in = input->bytes;
			stream->avail_in = (unsigned)got;
			input->packed += (size_t)got;
		}
		if (input->ended)
			inflateReset(stream);
		result = inflate(stream, Z_NO_FLUSH);
		input->ended = result == Z_STREAM_END;
		if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
			errno = result == Z_MEM_ERROR ? ENOMEM : EBADMSG;
			return -1;
		}
	}
	input->expanded += size - stream->avail_out;
	if (input->expanded > FREE && input->expanded / GZIP_EXPANSION > input->packed) {
		errno = EOVERFLOW;
		return -1;
	}
	return (ssize_t)(size - stream->avail_out);
}

static int close_input(void *cookie)
{
	struct input *input = cookie;
	int result = close(input->file);

	inflateEnd(&input->stream);
	free(input);
	return result;
}

FILE *gzip_stream(int file)
{
	struct input *input = calloc(1, sizeof(*input));
	FILE *stream = NULL;

	if (!input)
		return NULL;
	input->file = file;
	input->bytes[0] = GZIP_BYTE;
	input->stream.next_in = input->bytes;
	input->stream.avail_in = 1;
	if (inflateInit2(&input->stream, GZIP_WINDOW) == Z_OK) {
		stream = fopencookie(input, "r",
			(cookie_io_functions_t){ .read = read_input, .close = close_input });
		if (!stream)
			inflateEnd(&input->stream);
	}
	if (!stream) {
		free(input);
		errno = ENOMEM;
	}
	return stream;
}

/* ---- writing */

struct gzip {
	z_stream stream;
};

struct gzip *gzip_new(void)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (gzip && deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
			    Z_DEFAULT_STRATEGY) == Z_OK)
		return gzip;
	free(gzip);
	return NULL;
}

void gzip_free(struct gzip *gzip)
{
	if (gzip)
		deflateEnd(&gzip->stream);
	free(gzip);
}

bool gzip_pack(struct gzip *gzip, struct text *block, bool last)
{
	z_stream *stream = &gzip->stream;
	struct text packed = { 0 };
	unsigned char bytes[4096];
	int result;

	stream->next_in = (unsigned char *)block->bytes;
	stream->avail_in = (unsigned)block->length;
	do {
		stream->next_out = bytes;
		stream->avail_out = sizeof(bytes);
		result = deflate(stream, last ? Z_FINISH : Z_SYNC_FLUSH);
		text_addn(&packed, (char *)bytes, sizeof(bytes) - stream->avail_out);
	} while (stream->avail_out == 0);
	text_free(block);
	*block = packed;
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

/* ---- going on with a file */

/* A place in a file at which its compressed bytes can be ended. */
struct place {
	off_t at;
	bool between; /* the place lies between two compressed files; nothing is to be ended */
	bool newline; /* the last decompressed byte is a newline */
	uint32_t sum, size; /* CRC and size of the bytes since the begin of the compressed file */
};

static void take_bytes(struct place *here, const unsigned char *bytes, size_t count)
{
	here->sum = (uint32_t)crc32(here->sum, bytes, (unsigned)count);
	here->size += (uint32_t)count;
	if (count)
		here->newline = bytes[count - 1] == '\n';
}

/* Finds the last place of a file at which its compressed bytes can be ended: after a block that
 * ends with a whole byte, or after the end of a compressed file. */
static bool find_end(int file, z_stream *stream, struct place *last)
{
	unsigned char in[1 << 14], out[1 << 14];
	struct place here = { .newline = true };
	ssize_t got;

	*last = (struct place){ .between = true, .newline = true };
	for (off_t read_to = 0; (got = pread(file, in, sizeof(in), read_to)) > 0;) {
		read_to += got;
		stream->next_in = in;
		stream->avail_in = (unsigned)got;
		do {
			int result;

			stream->next_out = out;
			stream->avail_out = sizeof(out);
			result = inflate(stream, Z_BLOCK);
			if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
				errno = EBADMSG;
				return false;
			}
			take_bytes(&here, out, sizeof(out) - stream->avail_out);
			here.at = read_to - stream->avail_in;
			here.between = result == Z_STREAM_END;
			/* data_type: 128 after the end of a block, plus the unused bits of the last
			 * byte. */
			if (here.between || (stream->data_type & 0xc7) == 128)
				*last = here;
			if (here.between) {
				inflateReset(stream);
				here.sum = here.size = 0;
			}
		} while (stream->avail_in || stream->avail_out == 0);
	}
	return got == 0;
}

static void put_number(unsigned char *at, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(number >> 8 * i);
}

bool gzip_mend(int file, bool *newline)
{
	unsigned char end[13] = { 1, 0, 0, 0xff, 0xff }; /* an empty last block, CRC and size */
	z_stream stream = { 0 };
	struct place last;
	bool found;

	if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) {
		errno = ENOMEM;
		return false;
	}
	found = find_end(file, &stream, &last);
	inflateEnd(&stream);
	if (!found || ftruncate(file, last.at) < 0)
		return false;
	*newline = last.newline;
	put_number(end + 5, last.sum);
	put_number(end + 9, last.size);
	return last.between || write(file, end, sizeof(end)) == (ssize_t)sizeof(end);
}
