#include "model/graph/streams.h"

#include <stdlib.h>
#include <string.h>

#include "model/graph/forwards.h"

/* A stream with a longer step leaves bytes out, as no iteration touches so many. */
enum { STEP_DENSE = 8192 };

/* A memory operand with a constant step. */
struct moving {
	struct address_access access;
	int64_t step;
};

static int64_t size_of(int64_t step)
{
	return step < 0 ? -step : step;
}

/* Sorts the operands of one stream side by side. */
static int by_address(const void *a, const void *b)
{
	const struct moving *left = a, *right = b;
	const struct address *x = &left->access.address, *y = &right->access.address;

	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	if (x->scale != y->scale)
		return x->scale < y->scale ? -1 : 1;
	return (x->constant > y->constant) - (x->constant < y->constant);
}

/* Whether an operand continues the stream of the operand before: both use the same registers, and
 * no iteration lies between them. */
static bool continues(const struct moving *before, const struct moving *moving)
{
	return address_comparable(&before->access.address, &moving->access.address) &&
	       moving->access.address.constant - before->access.address.constant <=
		       size_of(moving->step);
}

/* Counts the bytes, of `step` bytes in a row, that operands touch in some iteration. */
static int64_t touched_of(const struct moving *moving, int count, int64_t step)
{
	bool touched[STEP_DENSE] = { false };
	int64_t bytes = 0;

	for (int i = 0; i < count; i++)
		for (int64_t byte = 0; byte < moving[i].access.size && byte < step; byte++) {
			int64_t at =
				(moving[i].access.address.constant % step + step + byte) % step;

			bytes += !touched[at];
			touched[at] = true;
		}
	return bytes;
}

/* The bytes that operands touch together, if their steps are too long to leave none out. */
static int64_t sizes_of(const struct moving *moving, int count)
{
	int64_t bytes = 0, end = INT64_MIN;

	for (int i = 0; i < count; i++) {
		int64_t from = moving[i].access.address.constant, to = from + moving[i].access.size;

		if (to > end)
			bytes += to - (from > end ? from : end);
		end = to > end ? to : end;
	}
	return bytes;
}

static void add_stream(struct streams *streams, const struct moving *moving, int count)
{
	struct stream stream = { .step = moving->step };
	int64_t step = size_of(stream.step);

	if (streams->count == STREAMS_MOST)
		return;
	stream.touched =
		step <= STEP_DENSE ? touched_of(moving, count, step) : sizes_of(moving, count);
	for (int i = 0; i < count; i++) {
		stream.load |= moving[i].access.load;
		stream.store |= moving[i].access.store;
	}
	streams->stream[streams->count++] = stream;
}

/* A prefetch reads nothing. */
static bool is_prefetch(const struct loop *loop, const struct address_access *access)
{
	const char *name = loop->insn[loop->path[access->step].insn].mnemonic;

	return strncmp(name, "prefetch", 8) == 0 || strncmp(name, "prf", 3) == 0;
}

void streams_find(const struct loop *loop, struct streams *streams)
{
	size_t most = (size_t)loop->path_count * INSN_MEMORY + 1;
	struct address_access *list = memory_new(most, sizeof(*list));
	struct moving *moving = memory_new(most, sizeof(*moving));
	struct address_walk walk;
	int count = address_list(loop, &walk, list), kept = 0;

	*streams = (struct streams){ 0 };
	for (int i = 0; i < count; i++) {
		int64_t step;

		if (is_prefetch(loop, &list[i]))
			continue;
		if (!list[i].address.known || !address_growth(&walk, &list[i].address, &step))
			streams->elsewhere++;
		else if (step != 0 && step != INT64_MIN && list[i].size > 0)
			moving[kept++] = (struct moving){ list[i], step };
	}
	qsort(moving, (size_t)kept, sizeof(*moving), by_address);
	for (int i = 0, next; i < kept; i = next) {
		for (next = i + 1; next < kept && continues(&moving[next - 1], &moving[next]);)
			next++;
		add_stream(streams, &moving[i], next - i);
	}
	free(moving);
	free(list);
}

static bool is_dense(const struct stream *stream)
{
	return stream->touched == size_of(stream->step);
}

double streams_bytes(const struct streams *streams, const char **which)
{
	int64_t most = 0, least = INT64_MAX;
	int reads = 0, writes = 0;

	for (int i = 0; i < streams->count; i++) {
		const struct stream *stream = &streams->stream[i];

		if (!is_dense(stream))
			continue;
		reads += stream->load;
		writes += stream->store;
		most = stream->touched > most ? stream->touched : most;
		least = stream->touched < least ? stream->touched : least;
	}
	*which = most > least ? " of the longest" : reads > 1 || writes > 1 ? " of each" : "";
	return (double)most;
}

/* What a loop does with a stream. */
static const char *verb_of(const struct stream *stream)
{
	return stream->load && stream->store ? "changes" : stream->load ? "reads" : "writes";
}

/* Adds the streams of one verb: "reads 8 + 8". With gaps: "reads 8 of every 64". Returns the number
 * of bytes; 0: the loop has no such stream. */
static int add_verb(const struct streams *streams, const char *verb, bool dense, const char *glue,
	struct text *text)
{
	int bytes = 0;

	for (int i = 0; i < streams->count; i++) {
		const struct stream *stream = &streams->stream[i];

		if (is_dense(stream) != dense || strcmp(verb_of(stream), verb) != 0)
			continue;
		if (bytes)
			text_add(text, " + ");
		else
			text_addf(text, "%s%s ", glue, verb);
		text_addf(text, "%lld", (long long)stream->touched);
		if (!dense)
			text_addf(text, " of every %lld", (long long)size_of(stream->step));
		bytes += (int)stream->touched;
	}
	return bytes;
}

void streams_describe(const struct streams *streams, struct text *text)
{
	static const char *const verbs[] = { "reads", "changes", "writes" };
	size_t begin = text->length;

	for (int dense = 1; dense >= 0; dense--) {
		int bytes = 0;

		for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
			bytes += add_verb(streams, verbs[i], dense,
				bytes		       ? " and "
				: text->length > begin ? "; "
						       : "",
				text);
		if (bytes)
			text_addf(text, " byte%s%s", dense && bytes == 1 ? "" : "s",
				dense ? " in order" : "");
	}
	if (streams->elsewhere)
		text_addf(text, "%s%d access%s elsewhere", text->length > begin ? "; " : "",
			streams->elsewhere, streams->elsewhere == 1 ? "" : "es");
}
