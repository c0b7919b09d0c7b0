#include "base/output.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/fatal.h"
#include "base/text.h"

static struct stream {
	int descriptor;
	FILE *file;
	char rest[4]; /* the first bytes of a character whose other bytes were not written yet */
	size_t rest_length;
} streams[] = {
	[OUTPUT_RESULTS] = { .descriptor = STDOUT_FILENO },
	[OUTPUT_MESSAGES] = { .descriptor = STDERR_FILENO },
};

/* Writes all bytes, also if the terminal accepts no bytes for some time. Returns false and sets
 * errno if that fails. */
static bool write_all(int descriptor, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t some = write(descriptor, bytes, length);

		if (some < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = descriptor, .events = POLLOUT }, 1, -1);
		else if (some < 0 && errno != EINTR)
			return false;
		if (some > 0) {
			bytes += some;
			length -= (size_t)some;
		}
	}
	return true;
}

/* Returns the number of bytes of a character, from its first byte. */
static size_t bytes_of(unsigned char first)
{
	return first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Returns whether the bytes are the beginning of a character that may still become valid. */
static bool is_incomplete(const char *at, size_t length)
{
	size_t whole = bytes_of((unsigned char)*at);

	if (length >= whole)
		return false;
	for (size_t i = 1; i < length; i++)
		if (((unsigned char)at[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Copies the next character to `clean`, or '?' if it is not allowed. Returns the number of bytes
 * that it takes of `bytes`. */
static size_t clean_character(const char *bytes, size_t left, char clean[5])
{
	char character[5] = "";
	size_t length;

	memcpy(character, bytes, left < 4 ? left : 4);
	length = *character == '\n' || *character == '\t' ? 1 : text_character(character);
	snprintf(clean, 5, "%.*s", length ? (int)length : 1, length ? character : "?");
	return length ? length : 1;
}

/* Takes one byte. Allocates no memory, because the stream is also flushed after a failure to
 * allocate. Returns the bytes that it adds to `clean`, which has room for 4. */
static size_t take_byte(struct stream *stream, char byte, char *clean)
{
	size_t at = 0, added = 0;

	stream->rest[stream->rest_length++] = byte;
	while (at < stream->rest_length &&
		!is_incomplete(stream->rest + at, stream->rest_length - at)) {
		char character[5];

		at += clean_character(stream->rest + at, stream->rest_length - at, character);
		memcpy(clean + added, character, strlen(character));
		added += strlen(character);
	}
	stream->rest_length -= at;
	memmove(stream->rest, stream->rest + at, stream->rest_length);
	return added;
}

static ssize_t write_clean(void *cookie, const char *bytes, size_t length)
{
	struct stream *stream = cookie;
	char clean[4096];
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		used += take_byte(stream, bytes[i], clean + used);
		if (used > sizeof(clean) - 8 || i + 1 == length) {
			if (!write_all(stream->descriptor, clean, used))
				return 0;
			used = 0;
		}
	}
	return (ssize_t)length;
}

FILE *output_stream(enum output output)
{
	struct stream *stream = &streams[output];

	if (stream->file)
		return stream->file;
	stream->file = fopencookie(stream, "w", (cookie_io_functions_t){ .write = write_clean });
	if (!stream->file)
		fatal("no memory for the output");
	if (output == OUTPUT_MESSAGES)
		setvbuf(stream->file, NULL, _IONBF, 0);
	else if (isatty(stream->descriptor))
		setvbuf(stream->file, NULL, _IOLBF, 0);
	return stream->file;
}

void output_plain(const char *words)
{
	(void)write_all(STDERR_FILENO, words, strlen(words));
}

int output_descriptor(FILE *file)
{
	for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++)
		if (streams[i].file == file)
			return streams[i].descriptor;
	return fileno(file);
}

void output_erase_line(FILE *stream, int columns)
{
	int descriptor = output_descriptor(stream);
	char line[256];
	int length = snprintf(line, sizeof(line), "\r%*s\r", columns < 200 ? columns : 200, "");

	fflush(stream);
	if (descriptor >= 0)
		(void)write_all(descriptor, line, (size_t)length);
	else
		fputs(line, stream);
}
