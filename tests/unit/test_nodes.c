/* Nodes that point to each other, and the two kernels of latency and bandwidth, beyond what
 * test_kernels.c asks of every kernel. */
#include "laid.h"

#include "base/random.h"
#include "kernels/nodes.h"

enum { LINE = 64 };

static unsigned char *again;
static const atomic_bool always = true;

static struct nodes nodes_of(enum nodes_order order, uint64_t stride, unsigned cycles)
{
	return (struct nodes){
		.memory = memory, .stride = stride, .order = order, .cycles = cycles, .seed = 11
	};
}

/* What lies in the first bytes, as distances: the same wherever the memory is. */
static bool same_layout(const struct nodes *a, const struct nodes *b, uint64_t items)
{
	for (uint64_t at = 0; at < nodes_bytes(a, items); at += sizeof(struct node)) {
		const struct node *x = (const struct node *)(const void *)(a->memory + at);
		const struct node *y = (const struct node *)(const void *)(b->memory + at);

		if (!x->next != !y->next || x->zero != y->zero)
			return false;
		if (x->next && (const unsigned char *)x->next - a->memory !=
				       (const unsigned char *)y->next - b->memory)
			return false;
	}
	return true;
}

/* Whatever came before, as many nodes are linked as if they had been from the beginning. */
TEST(layouts_grow_and_shrink)
{
	static const enum nodes_order orders[] = { NODES_RANDOM, NODES_PAIRS };
	static const unsigned cycles[] = { 1, 2, 3, 8, 32 };
	struct random random = { 5 };

	for (int o = 0; o < 2; o++)
		for (int c = 0; c < 5; c++)
			for (uint64_t stride = 16; stride <= 400; stride = stride * 2 + 16) {
				struct nodes nodes = nodes_of(orders[o], stride, cycles[c]),
					     fresh = nodes;
				uint64_t most = nodes_fit(&nodes, MEMORY / 8), have = 0;

				fresh.memory = again;
				memset(memory, 0, MEMORY);
				for (int step = 0; step < 12; step++) {
					uint64_t count =
						(1 + random_below(&random, most / cycles[c])) *
						cycles[c];
					uint64_t bytes = nodes_bytes(&nodes, count);

					have = nodes_lay_out(&nodes, have, count, &never);
					assert_int_equal(have, count);
					memset(memory + bytes, 0, MEMORY - bytes);
					memset(again, 0, bytes);
					assert_int_equal(
						nodes_lay_out(&fresh, 0, count, &never), count);
					if (!same_layout(&nodes, &fresh, count))
						fail_msg("stride %d, %u cycles: other nodes after "
							 "%d steps",
							(int)stride, cycles[c], step);
				}
			}
}

/* Every item is on one cycle, cycles are equally long, and a pair's nodes follow each other. */
TEST(cycles_share_the_items)
{
	static const unsigned cycles[] = { 1, 2, 5, 32 };

	for (int pairs = 0; pairs < 2; pairs++)
		for (int c = 0; c < 4; c++)
			for (uint64_t stride = 16; stride <= 1024; stride *= 4) {
				struct nodes nodes = nodes_of(
					pairs ? NODES_PAIRS : NODES_RANDOM, stride, cycles[c]);
				uint64_t count = nodes_fit(&nodes, 256 << 10), seen = 0;

				memset(again, 0, MEMORY);
				assert_int_equal(nodes_lay_out(&nodes, 0, count, &never), count);
				for (unsigned k = 0; k < cycles[c]; k++) {
					const struct node *start = nodes_start(
								  &nodes, count, k, cycles[c], 0),
							  *node = start;
					uint64_t length = 0;

					do {
						ptrdiff_t at = (const unsigned char *)node - memory;

						assert_in_range(at, 0,
							nodes_bytes(&nodes, count) - sizeof(*node));
						assert_int_equal(again[at], 0);
						again[at] = 1;
						if (pairs && length % 2 == 0)
							assert_int_equal(
								llabs((const char *)node->next -
									(const char *)node),
								stride);
						length++;
						node = node->next;
					} while (node != start);
					assert_int_equal(
						length, count / cycles[c] * nodes_each(&nodes));
					seen += length;
				}
				assert_int_equal(seen, count * nodes_each(&nodes));
			}
}

/* For any line of 16 bytes and up, a pair lies in one line as long as its distance is smaller than
 * the line, and in two from there on; which of the two comes first is even, so that nothing learns
 * a direction. */
TEST(pairs_tell_a_line_by_their_distance)
{
	for (uint64_t line = 32; line <= 256; line *= 2)
		for (uint64_t stride = 16; stride <= 512; stride += 16) {
			struct nodes nodes = nodes_of(NODES_PAIRS, stride, 1);
			uint64_t count = nodes_fit(&nodes, 512 << 10), down = 0;
			const struct node *node = nodes_start(&nodes, count, 0, 1, 0);

			/* Some pairs of a large distance begin inside a line that is longer than
			 * they are apart. */
			if (line > 128 && stride > 128)
				continue;
			nodes_lay_out(&nodes, 0, count, &never);
			for (uint64_t i = 0; i < count; i++) {
				uint64_t first = (uint64_t)((const unsigned char *)node - memory);
				uint64_t second =
					(uint64_t)((const unsigned char *)node->next - memory);

				if ((first / line == second / line) != (stride < line))
					fail_msg("a pair %d apart at %d, lines of %d", (int)stride,
						(int)first, (int)line);
				down += second < first;
				node = node->next->next;
			}
			assert_in_range(down * 100 / count, 35, 65);
		}
}

/* Random means that what follows is no guess: in a cycle of 4,096 nodes hardly one leads to its
 * neighbour, and they go up as often as down. */
TEST(random_order_is_random)
{
	struct nodes nodes = nodes_of(NODES_RANDOM, 64, 1);
	uint64_t count = 4096, near = 0, up = 0;

	nodes_lay_out(&nodes, 0, count, &never);
	for (uint64_t i = 0; i < count; i++) {
		const struct node *node = (const struct node *)(const void *)(memory + i * 64);
		ptrdiff_t by = (const char *)node->next - (const char *)node;

		near += llabs(by) <= 128;
		up += by > 0;
	}
	assert_in_range(near, 0, 24);
	assert_in_range(up, 1850, 2250);
}

TEST(backward_goes_backward)
{
	struct nodes nodes = nodes_of(NODES_BACKWARD, 48, 1);
	static const uint64_t counts[] = { 5, 1000, 1, 2, 700, 32 };
	uint64_t have = 0;

	for (int step = 0; step < 6; step++) {
		uint64_t count = counts[step];
		const struct node *node = nodes_start(&nodes, count, 0, 1, 0);

		have = nodes_lay_out(&nodes, have, count, &never);
		assert_true(have >= count);
		for (uint64_t i = count; i-- > 0; node = node->next)
			assert_int_equal((const unsigned char *)node - memory, i * 48);
		assert_ptr_equal(node, nodes_start(&nodes, count, 0, 1, 0));
	}
	/* Chains stand evenly spaced in the one cycle. */
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal((const unsigned char *)nodes_start(&nodes, 32, k, 4, 0) - memory,
			(8 * k + 7) * 48);
}

/* Stopped at any time, what is there is whole, and can be gone on with. */
TEST(stopped_layouts_are_whole)
{
	struct nodes nodes = nodes_of(NODES_RANDOM, 16, 1), fresh = nodes;
	uint64_t most = nodes_fit(&nodes, MEMORY), have = nodes_lay_out(&nodes, 0, most, &always);
	const struct node *node = nodes_start(&nodes, have, 0, 1, 0);

	assert_in_range(have, 1, most - 1);
	for (uint64_t i = 1; i < have; i++) {
		node = node->next;
		assert_ptr_not_equal(node, nodes_start(&nodes, have, 0, 1, 0));
	}
	assert_ptr_equal(node->next, nodes_start(&nodes, have, 0, 1, 0));
	assert_int_equal(nodes_lay_out(&nodes, have, most, &never), most);
	have = nodes_lay_out(&nodes, most, most * 3 / 4, &always);
	assert_in_range(have, most * 3 / 4 + 1, most);
	assert_int_equal(nodes_lay_out(&nodes, have, most * 3 / 4, &never), most * 3 / 4);
	fresh.memory = again;
	nodes_lay_out(&fresh, 0, most * 3 / 4, &never);
	assert_true(same_layout(&nodes, &fresh, most * 3 / 4));
}

/* Wherever in memory a walk is to begin, it is on its own cycle, and chains of the backward one
 * stay evenly spaced. */
TEST(walks_begin_anywhere)
{
	for (int order = NODES_RANDOM; order <= NODES_PAIRS; order++)
		for (unsigned chains = 1; chains <= 8; chains *= 2) {
			struct nodes nodes = nodes_of(
				(enum nodes_order)order, 64, order == NODES_BACKWARD ? 1 : chains);
			uint64_t count = nodes_fit(&nodes, 64 << 10),
				 bytes = nodes_bytes(&nodes, count);

			nodes_lay_out(&nodes, 0, count, &never);
			for (double share = 0; share <= 1; share += 0.125)
				for (unsigned k = 0; k < chains; k++) {
					const struct node *from = nodes_start(
								  &nodes, count, k, chains, 0),
							  *node = from;
					const struct node *start =
						nodes_start(&nodes, count, k, chains, share);
					ptrdiff_t at = (const unsigned char *)start - memory;
					bool met = false;

					do {
						met |= node == start;
						node = node->next;
					} while (node != from);
					assert_true(met);
					if (order == NODES_BACKWARD)
						assert_int_equal(
							((uint64_t)at + bytes -
								(uint64_t)((const unsigned char *)
										   from -
									   memory)) %
								bytes,
							(uint64_t)(share * (double)count) % count *
								64);
					else
						assert_true(share == 1 ||
							    fabs((double)at / (double)bytes -
								    share) < 0.05);
				}
		}
}

/* ---- The kernels */

/* Of twenty accesses as many are far as asked for, and lines come from beyond for them alone. */
TEST(mixed_sets_take_their_shares)
{
	struct setting setting = laid_setting("latency size=1m near=4k");
	int far_knob = kernel_knob(setting.kernel, "far");

	for (int far = 0; far < 100; far += 5) {
		int steps[2] = { far / 5, 20 - far / 5 };
		const struct node *node[2];
		struct kernel_run run;

		setting.v[far_knob] = far;
		laid_at(setting.kernel, setting.v, &run);
		assert_int_equal(run.granule, 20);
		for (int set = 0; set < 2; set++) {
			node[set] = run.chain[set];
			for (int i = 0; i < 3 * steps[set]; i++)
				node[set] = node[set]->next;
		}
		run.kernel->call(&run, 60);
		assert_ptr_equal(run.chain[0], node[0]);
		assert_ptr_equal(run.chain[1], node[1]);
		check_near(run.walk.lines, far ? far / 100.0 : 1, 1e-12);
		check_near(run.walk.range, far ? 1 << 20 : 4096, 0);
	}
	laid_refuses("latency size=1m far=50 chains=2", "chains=2 far=50");
}

/* However far apart the nodes of the large set are, and so however long the gap between the two
 * sets is. */
TEST(small_sets_of_other_sizes_are_laid_out_anew)
{
	struct setting one = laid_setting("latency size=1m far=50 order=pairs"), other;
	int near = kernel_knob(one.kernel, "near"), stride = kernel_knob(one.kernel, "stride");

	for (one.v[stride] = 16; one.v[stride] <= 65536; one.v[stride] *= 4) {
		other = one;
		for (one.v[near] = 64; one.v[near] <= 16384; one.v[near] += 64)
			for (other.v[near] = one.v[near] + 64; other.v[near] <= 16384;
				other.v[near] += 64)
				assert_true(kernel_layout(one.kernel, one.v) !=
					    kernel_layout(one.kernel, other.v));
	}
}

/* One line a page touches few lines, however many bytes lie between them. */
TEST(lines_are_those_that_hold_nodes)
{
	static const struct {
		const char *setting;
		double range, lines;
	} rows[] = {
		{ "latency size=399360 stride=4160", 96 * LINE, 1 },
		{ "latency size=399360 stride=16", 96 * 4160, 1 }, /* others come at other times */
		{ "latency size=399360 stride=16 order=backward", 96 * 4160, 0.25 },
		/* Pairs within a line, and of two lines. */
		{ "latency size=64k stride=32 order=pairs", 64 << 10, 0.5 },
		{ "latency size=64k stride=64 order=pairs", 64 << 10, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kernel_run run = laid(rows[i].setting);

		check_near(run.walk.range, rows[i].range, 0);
		check_near(run.walk.lines, rows[i].lines, 0);
		if (i == 0)
			assert_int_equal(kernel_footprint(run.kernel, run.v), 96 * 4160);
	}
	laid_refuses("latency size=64 stride=64 order=pairs", "size=64 128");
}

/* What was looked at before trials begin lies elsewhere than where they do. */
TEST(trials_begin_in_fresh_nodes)
{
	struct kernel_run run = laid("latency size=1m");
	const struct node *verified;

	/* The check begins half way round. */
	run.kernel->begin_at(&run, 0.5);
	verified = run.chain[0];
	check_ok(kernel_verify(&run));
	assert_ptr_equal(run.chain[0], memory);
	for (int i = 0; i < 2000; i++) {
		assert_ptr_not_equal(run.chain[0], verified);
		run.kernel->call(&run, run.granule);
	}
	run.kernel->begin_at(&run, 0.25);
	assert_int_equal((const unsigned char *)run.chain[0] - memory, 1 << 18);
}

TEST(streams_begin_at_their_share)
{
	struct setting setting = laid_setting("bandwidth size=1m");
	const struct kernel *bandwidth = setting.kernel;

	for (int op = 0; op < 9; op++) {
		struct kernel_run run;
		uint64_t half;

		setting.v[kernel_knob(bandwidth, "op")] = op;
		laid_at(bandwidth, setting.v, &run);
		bandwidth->call(&run, run.ring / run.granule / 2 * run.granule);
		half = run.position;
		assert_true(half > 0);
		bandwidth->begin_at(&run, 0.5);
		assert_int_equal(run.position, half);
		bandwidth->begin_at(&run, 1);
		assert_int_equal(run.position, 0);
		bandwidth->call(&run, run.ring);
		assert_int_equal(run.position, 0);
	}
}

/* An operation that does another's work is caught: verify() of each is no formality. */
TEST(operations_are_told_apart)
{
	const struct kernel *bandwidth = kernel_find("bandwidth");
	int op = kernel_knob(bandwidth, "op"), stride = kernel_knob(bandwidth, "stride"), count = 9;
	int64_t v[KNOBS_MAX];

	laid_initial(bandwidth, v);
	for (int64_t width = 0; width < 3; width++)
		for (int64_t spread = 1; spread <= 4; spread += 3)
			for (int64_t is = 0; is < count; is++)
				for (int64_t does = 0; does < count; does++) {
					struct kernel_run run, other;
					struct status status;

					v[kernel_knob(bandwidth, "width")] = width;
					v[stride] = spread;
					v[op] = does;
					laid_at(bandwidth, v, &other);
					v[op] = is;
					laid_at(bandwidth, v, &run);
					/* Those of every place do what strided ones do at their
					 * stride of one; the library's walk in blocks; what an
					 * update reads besides leaves no trace. */
					if ((does < 4 && is >= 4) ||
						(spread == 1 && is < 4 && does >= 4) ||
						(is < 7) != (does < 7) || (is == 1 && does == 2))
						continue;
					run.code.start = other.code.start;
					status = kernel_verify(&run);
					assert_int_equal(status.code,
						is == does ? STATUS_OK : STATUS_FAILED);
				}
}

/* Copies past the caches go to a place that is not fetched ahead with the last page that is read;
 * all others go to the very next. */
TEST(copies_past_the_caches_leave_a_page_between)
{
	static const char *const settings[] = { "bandwidth op=fcp",
		"bandwidth op=fcp stores=bypass" };

	for (int bypass = 0; bypass < 2; bypass++) {
		struct kernel_run run = laid(settings[bypass]);
		uint64_t part = 8192, from = part + (bypass ? 4096 : 0), i = part;

		assert_int_equal(kernel_footprint(run.kernel, run.v), from + part);
		memset(memory + part, 0x33, 4096 + part);
		run.kernel->call(&run, run.ring);
		while (memory[i] == 0x33)
			i++;
		assert_int_equal(i, from);
		assert_memory_equal(memory + from, memory, part);
	}
}

/* Of a copy two places are credited, and only what is accessed; what must come from beyond is in
 * whole lines, none for stores that go past the caches. */
TEST(bytes_credited_are_those_accessed)
{
	static const struct {
		const char *setting;
		double bytes, lines;
		bool unread;
	} rows[] = {
		{ "bandwidth op=rd stride=4", 8, 0.5 },
		{ "bandwidth op=wr stride=8", 8, 1 },
		{ "bandwidth op=rdwr stride=16", 16, 1 },
		{ "bandwidth op=cp width=16 stride=2", 32, 1 },
		{ "bandwidth op=frd width=16", 16, 0.25 },
		{ "bandwidth op=fwr", 8, 0.125 },
		{ "bandwidth op=fwr stores=bypass", 8, 0 },
		{ "bandwidth op=fcp", 16, 0.25 },
		{ "bandwidth op=fcp stores=bypass", 16, 0.125 },
		{ "bandwidth op=bzero", 8, 0.125, true },
		{ "bandwidth op=bcopy width=16", 32, 0.5, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct kernel_run run = laid(rows[i].setting);

		check_near((double)run.bytes, rows[i].bytes, 0);
		check_near(run.walk.lines, rows[i].lines, 0);
		assert_int_equal(run.code.unread != NULL, rows[i].unread);
	}
}

static int begin(void **state)
{
	again = aligned_alloc(2 << 20, MEMORY);
	return again ? laid_begin(state) : -1;
}

static int end(void **state)
{
	free(again);
	return laid_end(state);
}

RUN_TESTS(.set_up = begin, .tear_down = end)
