/* The start of the portable program (`make portable`): one file that carries slexplore, the C
 * library and all other libraries. This part is linked statically, so that it starts on every Linux
 * with /proc. It unpacks the carried files into memory, and starts slexplore by the carried dynamic
 * loader. No file is written.
 *
 * bundle.sh appends the carried files to this program, each compressed by gzip, then a table, then
 * the offset of the table. The first file is the loader, the second slexplore. Libraries follow,
 * then the characters of the locale C.UTF-8 and descriptions of terminals, which the machine may
 * lack. The loader takes a carried library for every library with the same name (DT_SONAME). So no
 * library of the machine is loaded, whose C library may be older, or another one (musl).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/carried.h"

/* CARRIED_MOST: maximum number of carried files. TRAILER: length of the line at the end. ARGUMENTS:
 * words of the loader's command line before the user's arguments. */
enum { CARRIED_MOST = 64, TRAILER = 32, ARGUMENTS = 8 };

/* Names of descriptions of terminals begin with this. */
#define TERMINAL "terminal:"

struct carried {
	size_t offset, length;
	char name[64];
	int file;
};

static _Noreturn void stop(const char *format, ...)
{
	va_list values;

	fputs("slexplore: ", stderr);
	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
	fputc('\n', stderr);
	exit(1);
}

/* A closed standard stream gets /dev/null: otherwise a carried file would get its number. */
static void fill_streams(void)
{
	int file;

	do
		file = open("/dev/null", O_RDWR);
	while (file >= 0 && file <= STDERR_FILENO);
	if (file > STDERR_FILENO)
		close(file);
}

static const unsigned char *map_self(size_t *size)
{
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes;

	if (file < 0)
		stop("the portable program needs /proc: /proc/self/exe: %s", strerror(errno));
	if (fstat(file, &status) != 0)
		stop("/proc/self/exe: %s", strerror(errno));
	*size = (size_t)status.st_size;
	bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		stop("the program cannot be read: %s", strerror(errno));
	close(file);
	return bytes;
}

/* Reads the table. A line is OFFSET LENGTH NAME. */
static int read_table(const unsigned char *bytes, size_t size, struct carried *carried)
{
	char table[CARRIED_MOST * 128], *at = table;
	unsigned long long start;
	int count = 0, used;

	if (size < TRAILER ||
		sscanf((const char *)bytes + size - TRAILER, "table of slexplore %llu", &start) !=
			1 ||
		start > size - TRAILER || size - TRAILER - start >= sizeof(table))
		stop("this file is not complete: copy it again");
	snprintf(table, sizeof(table), "%.*s", (int)(size - TRAILER - start), bytes + start);
	while (count < CARRIED_MOST &&
		sscanf(at, "%zu %zu %63s\n%n", &carried[count].offset, &carried[count].length,
			carried[count].name, &used) == 3) {
		if (carried[count].offset > start ||
			carried[count].length > start - carried[count].offset)
			stop("this file is not complete: copy it again");
		at += used;
		count++;
	}
	if (count < 2 || *at)
		stop("this file is not complete: copy it again");
	return count;
}

/* ---- unpacking */

static bool write_all(int file, const unsigned char *bytes, size_t length)
{
	while (length) {
		ssize_t written = write(file, bytes, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		length -= (size_t)written;
	}
	return true;
}

/* Unpacks a carried file into a memory file. */
static void unpack(struct carried *carried, const unsigned char *bytes)
{
	static unsigned char piece[256 << 10];
	z_stream stream = { .next_in = (unsigned char *)bytes + carried->offset,
		.avail_in = (unsigned)carried->length };
	int outcome;

	carried->file = memfd_create(carried->name, 0);
	if (carried->file < 0)
		stop("no memory file for %s: %s", carried->name, strerror(errno));
	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		stop("no memory for unpacking");
	do {
		stream.next_out = piece;
		stream.avail_out = sizeof(piece);
		outcome = inflate(&stream, Z_NO_FLUSH);
		if (outcome != Z_OK && outcome != Z_STREAM_END)
			stop("%s is damaged: copy this file again", carried->name);
		if (!write_all(carried->file, piece, sizeof(piece) - stream.avail_out))
			stop("no memory for %s: %s", carried->name, strerror(errno));
	} while (outcome != Z_STREAM_END);
	inflateEnd(&stream);
}

/* ---- the description of the terminal */

static bool describes(const char *folder, const char *below, const char *term)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s/%c/%s", folder, below, *term, term);
	return access(path, R_OK) == 0;
}

/* Whether the machine describes this terminal. */
static bool is_described(const char *term)
{
	static const char *const folders[] = { "/etc/terminfo", "/lib/terminfo",
		"/usr/share/terminfo", "/usr/lib/terminfo" };
	const char *home = getenv("HOME");

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (describes(folders[i], "", term))
			return true;
	return getenv("TERMINFO") || getenv("TERMINFO_DIRS") ||
	       (home && describes(home, "/.terminfo", term));
}

/* If the machine does not describe this terminal, the carried description goes to ncurses by the
 * variable TERMINFO, in base64. */
static void describe_terminal(struct carried *carried, const unsigned char *bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	static unsigned char description[32 << 10];
	static char text[4 + sizeof(description) / 3 * 4 + 5] = "b64:";
	const char *term = getenv("TERM");
	char *to = text + 4;
	ssize_t length;

	if (!term || strcmp(carried->name + strlen(TERMINAL), term) != 0 || is_described(term))
		return;
	unpack(carried, bytes);
	length = pread(carried->file, description, sizeof(description) - 3, 0);
	close(carried->file);
	for (ssize_t i = 0; i < length; i += 3) {
		unsigned long three = (unsigned long)description[i] << 16 |
				      (unsigned long)description[i + 1] << 8 | description[i + 2];

		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = i + 1 < length ? digits[three >> 6 & 63] : '=';
		*to++ = i + 2 < length ? digits[three & 63] : '=';
	}
	setenv("TERMINFO", text, 1);
}

int main(int argc, char **argv)
{
	static struct carried carried[CARRIED_MOST];
	char preload[CARRIED_MOST * 24] = "", program[32], loader[32], range[32];
	char **arguments = calloc((size_t)argc + ARGUMENTS, sizeof(*arguments));
	const unsigned char *bytes;
	size_t size;
	int count, last = 1, used = 0;

	fill_streams();
	bytes = map_self(&size);
	count = read_table(bytes, size, carried);
	for (int i = 0; i < count; i++) {
		if (strncmp(carried[i].name, TERMINAL, strlen(TERMINAL)) == 0) {
			describe_terminal(&carried[i], bytes);
			continue;
		}
		unpack(&carried[i], bytes);
		last = i;
		if (i >= 2 && strcmp(carried[i].name, "LC_CTYPE") != 0)
			used += snprintf(preload + used, sizeof(preload) - (size_t)used,
				"%s/proc/self/fd/%d", i > 2 ? ":" : "", carried[i].file);
	}
	snprintf(loader, sizeof(loader), "/proc/self/fd/%d", carried[0].file);
	snprintf(program, sizeof(program), "/proc/self/fd/%d", carried[1].file);
	snprintf(range, sizeof(range), "%d-%d", carried[0].file, carried[last].file);
	if (!arguments || setenv(CARRIED_VARIABLE, range, 1) != 0)
		stop("no memory");
	used = 0;
	arguments[used++] = argv[0];
	arguments[used++] = (char *)"--inhibit-cache";
	arguments[used++] = (char *)"--argv0";
	arguments[used++] = argv[0];
	arguments[used++] = (char *)"--preload";
	arguments[used++] = preload;
	arguments[used++] = program;
	for (int i = 1; i < argc; i++)
		arguments[used++] = argv[i];
	execv(loader, arguments);
	stop("the dynamic loader does not start: %s", strerror(errno));
}
