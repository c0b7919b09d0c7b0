/* Files compressed by gzip (RFC 1952): a reader, and a writer of files that are readable after each
 * block. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* The first byte of a compressed file. No text file begins with it. */
enum { GZIP_BYTE = 0x1f };

/* The largest ratio of decompressed to compressed bytes that is read. Recordings have ratios of
 * about 4 to 20. */
enum { GZIP_EXPANSION = 200 };

/* Whether the name ends with ".gz". */
bool gzip_is_name(const char *path);

/* Returns a stream of the decompressed bytes of an open file, whose first byte GZIP_BYTE was
 * already read. Closing the stream closes the file. A file that was cut off ends with its last
 * bytes. Damaged bytes are a read error with errno EBADMSG, bytes that expand too much one with
 * errno EOVERFLOW. Returns NULL if memory runs out; then the file stays open. */
FILE *gzip_stream(int file);

struct gzip;

/* Begins compressed bytes; see gzip_pack(). Returns NULL if memory runs out. */
struct gzip *gzip_new(void);
void gzip_free(struct gzip *gzip); /* `gzip` may be NULL */

/* Replaces the bytes of a block by compressed bytes, from which readers get the whole block, even
 * if no more bytes follow in the file. The last block (it may be empty) ends the compressed bytes.
 * Returns false if memory runs out. */
bool gzip_pack(struct gzip *gzip, struct text *block, bool last);

/* Prepares an existing file, open for reading and appending, for the bytes of a new struct gzip.
 * If a killed program has not ended its bytes, gzip_mend() removes the part after the last whole
 * block, and ends them. Sets *newline to whether the decompressed bytes end with a newline, or
 * are none. Returns false, with errno, if the file cannot be read or written; EBADMSG: its bytes
 * are damaged. */
bool gzip_mend(int file, bool *newline);
