/* Compressed files: what was written is read, wherever the file is cut off, and goes on. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/gzip.h"

enum { BLOCKS = 4 };

static char directory[] = "/tmp/slexplore-test-XXXXXX";

static int enter(void **state)
{
	return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	unlink("file.gz");
	return chdir("/") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

/* Line `number`: words that compress, and words that hardly do. */
static void add_line(struct text *text, int number)
{
	text_addf(text, "line %d: ", number);
	for (int i = 0; i < 40 * number * number; i++)
		text_addf(text, "word %d ", i * 7919 % 1009);
	text_add(text, "\n");
}

/* Appends blocks of one line each to the file. Notes the sizes of the file after each block, if
 * `ends` is not NULL. */
static void write_blocks(int first, int last, off_t *ends, bool finish)
{
	int file = open("file.gz", O_WRONLY | O_CREAT | O_APPEND, 0600);
	struct gzip *gzip = gzip_new();
	struct text block = { 0 };
	struct stat about;

	assert_true(file >= 0 && gzip);
	for (int i = first; i <= last + finish; i++) {
		if (i <= last)
			add_line(&block, i);
		assert_true(gzip_pack(gzip, &block, i > last));
		assert_int_equal(write(file, block.bytes, block.length), (ssize_t)block.length);
		text_clear(&block);
		if (ends && i <= last && fstat(file, &about) == 0)
			ends[i] = about.st_size;
	}
	gzip_free(gzip);
	text_free(&block);
	close(file);
}

/* Reads the file as file_open() gives it. */
static void read_file(struct text *text)
{
	char bytes[1000];
	size_t count;
	FILE *file;

	text_clear(text);
	check_ok(file_open("file.gz", &file));
	while ((count = fread(bytes, 1, sizeof(bytes), file)) > 0)
		text_addn(text, bytes, count);
	assert_false(ferror(file));
	fclose(file);
}

static void lines(struct text *text, int first, int last)
{
	text_clear(text);
	for (int i = first; i <= last; i++)
		add_line(text, i);
}

static int lines_of(const struct text *text)
{
	int count = 0;

	for (const char *at = text_string(text); (at = strchr(at, '\n')); at++)
		count++;
	return count;
}

TEST(names_end_with_gz)
{
	assert_true(gzip_is_name("a.gz"));
	assert_true(gzip_is_name("folder/a.jsonl.gz"));
	assert_false(gzip_is_name(".gz"));
	assert_false(gzip_is_name("a.jsonl"));
	assert_false(gzip_is_name(""));
}

/* A killed program leaves a file with all blocks that it wrote. After the file is mended, further
 * bytes follow, and a block that was cut off is gone. */
TEST(a_file_cut_off_anywhere_goes_on)
{
	struct text all = { 0 }, expected = { 0 }, found = { 0 };
	off_t ends[BLOCKS + 1] = { 0 };
	char whole[1 << 16];
	int file;
	ssize_t size;

	write_blocks(1, BLOCKS, ends, true);
	file = open("file.gz", O_RDONLY);
	size = read(file, whole, sizeof(whole));
	close(file);
	assert_true(size > 0 && size < (ssize_t)sizeof(whole));
	lines(&all, 1, BLOCKS);
	for (ssize_t cut = 0; cut <= size; cut += cut < 30 || cut > size - 30 ? 1 : 7) {
		int complete = 0;
		bool newline;

		while (complete < BLOCKS && ends[complete + 1] <= cut)
			complete++;
		file = open("file.gz", O_RDWR | O_TRUNC | O_APPEND);
		assert_int_equal(write(file, whole, (size_t)cut), cut);
		/* All that is there is read. */
		if (cut > 0) {
			read_file(&found);
			assert_true(lines_of(&found) >= complete);
			assert_memory_equal(text_string(&all), text_string(&found), found.length);
		}
		assert_true(gzip_mend(file, &newline));
		assert_true(newline);
		close(file);
		write_blocks(BLOCKS + 1, BLOCKS + 1, NULL, false);
		lines(&expected, 1, complete);
		add_line(&expected, BLOCKS + 1);
		read_file(&found);
		assert_string_equal(text_string(&found), text_string(&expected));
	}
	text_free(&all);
	text_free(&expected);
	text_free(&found);
}

TEST(a_line_without_an_end_is_noticed)
{
	int file;
	bool newline;
	struct text block = { 0 };
	struct gzip *gzip = gzip_new();

	text_add(&block, "half a li");
	assert_true(gzip_pack(gzip, &block, true));
	file = open("file.gz", O_RDWR | O_TRUNC | O_APPEND);
	assert_int_equal(write(file, block.bytes, block.length), (ssize_t)block.length);
	assert_true(gzip_mend(file, &newline));
	assert_false(newline);
	close(file);
	gzip_free(gzip);
	text_free(&block);
}

TEST(damaged_bytes_are_an_error)
{
	int file;
	bool newline;
	FILE *stream;

	unlink("file.gz");
	write_blocks(1, BLOCKS, NULL, true);
	file = open("file.gz", O_RDWR);
	assert_int_equal(pwrite(file, "\xff\xff\xff\xff\xff\xff", 6, 40), 6);
	check_ok(file_open("file.gz", &stream));
	while (getc(stream) != EOF)
		;
	assert_true(ferror(stream));
	assert_int_equal(file_unread("file.gz").code, STATUS_USAGE);
	fclose(stream);
	assert_false(gzip_mend(file, &newline));
	assert_int_equal(errno, EBADMSG);
	close(file);
}

/* A file of 60 KB of zeros would take seconds of its reader otherwise. */
TEST(bytes_that_expand_without_end_are_refused)
{
	static char zeros[1 << 20];
	size_t most = (size_t)16 << 20, count = 0;
	struct text block = { 0 }, packed = { 0 };
	struct gzip *gzip = gzip_new();
	FILE *stream;
	int file;

	for (int i = 0; i < 60; i++) {
		text_clear(&block);
		text_addn(&block, zeros, sizeof(zeros));
		assert_true(gzip_pack(gzip, &block, i == 59));
		text_addn(&packed, block.bytes, block.length);
	}
	file = open("file.gz", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(file, packed.bytes, packed.length), (ssize_t)packed.length);
	close(file);
	check_ok(file_open("file.gz", &stream));
	while (count <= most && getc(stream) != EOF)
		count++;
	assert_true(count < most && ferror(stream));
	assert_int_equal(file_unread("file.gz").code, STATUS_USAGE);
	check_contains(file_unread("file.gz").text, "expand");
	fclose(stream);
	gzip_free(gzip);
	text_free(&block);
	text_free(&packed);
}

RUN_TESTS(.set_up = enter, .tear_down = leave)
