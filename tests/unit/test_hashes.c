/* hash-lookup: both tables hold the same keys where they belong, and every way to look them up
 * finds the same. */
#include "laid.h"

#include <math.h>

#include "base/random.h"
#include "kernels/hash.h"

enum { SMALL = 300000 };

static const struct kernel *kernel;

static int setup(void **state)
{
	kernel = kernel_find("hash-lookup");
	return kernel ? laid_begin(state) : -1;
}

static void initial(int64_t *v)
{
	laid_initial(kernel, v);
	v[HASH_SIZE] = SMALL;
}

TEST(loads_are_exact)
{
	int64_t v[KNOBS_MAX];

	initial(v);
	for (v[HASH_SIZE] = 16384; v[HASH_SIZE] < MEMORY; v[HASH_SIZE] = v[HASH_SIZE] * 2 + 1000)
		for (v[HASH_LOAD] = 5; v[HASH_LOAD] <= 1000; v[HASH_LOAD] += 5) {
			struct hash hash = hash_make(v, LAID_SEED, memory);

			assert_true(hash.buckets > 0 && hash.keys > 0);
			assert_int_equal(hash.keys, hash.buckets * (uint64_t)v[HASH_LOAD] / 100);
			assert_int_equal(hash.open, v[HASH_LOAD] <= 90);
			assert_true(hash_bytes(v) <= (uint64_t)v[HASH_SIZE]);
			/* Two more buckets with their keys would not fit. */
			assert_true(hash_bytes(v) +
					    2 * (8 + 16 + 24 * ((uint64_t)v[HASH_LOAD] / 100 + 1)) >
				    (uint64_t)v[HASH_SIZE]);
			assert_ptr_equal(
				(unsigned char *)(hash.slot + (hash.open ? hash.buckets : 0)),
				memory + hash_bytes(v));
		}
}

/* Every key once, in the chain of its bucket; in order of buckets a chain's nodes are neighbours.
 */
static void check_chains(const struct hash *hash, bool *seen)
{
	uint64_t keys = 0, apart = 0;

	memset(seen, 0, hash->keys * sizeof(*seen));
	for (uint64_t i = 0; i < hash->buckets; i++)
		for (const struct hash_node *node = hash->bucket[i]; node;
			node = node->next, keys++) {
			uint64_t rank = asked_rank(node->slot.key);

			assert_true(node >= hash->node && node < hash->node + hash->keys);
			assert_true(
				asked_is_there(node->slot.key) && rank < hash->keys && !seen[rank]);
			seen[rank] = true;
			assert_int_equal(hash_place(node->slot.key, hash->buckets), i);
			assert_int_equal(node->slot.value, hash_value(rank));
			apart += node->next && node->next != node + 1;
		}
	assert_int_equal(keys, hash->keys);
	if (hash->order == ORDER_BUCKET)
		assert_int_equal(apart, 0);
	else
		assert_true(apart > 0);
}

/* Every key once, and no free slot on the way from where it belongs to where it is. */
static void check_slots(const struct hash *hash, bool *seen)
{
	uint64_t keys = 0;

	memset(seen, 0, hash->keys * sizeof(*seen));
	for (uint64_t i = 0; i < hash->buckets; i++) {
		uint64_t rank = asked_rank(hash->slot[i].key);

		if (hash->slot[i].key == HASH_FREE)
			continue;
		keys++;
		assert_true(rank < hash->keys && !seen[rank]);
		seen[rank] = true;
		assert_int_equal(hash->slot[i].value, hash_value(rank));
		for (uint64_t at = hash_place(hash->slot[i].key, hash->buckets); at != i;
			at = (at + 1) % hash->buckets)
			assert_true(hash->slot[at].key != HASH_FREE);
	}
	assert_int_equal(keys, hash->keys);
}

TEST(every_key_has_its_place)
{
	static bool seen[SMALL / 24];
	int64_t v[KNOBS_MAX];

	initial(v);
	for (v[HASH_ORDER] = 0; v[HASH_ORDER] < 2; v[HASH_ORDER]++)
		for (v[HASH_LOAD] = 25; v[HASH_LOAD] <= 400;
			v[HASH_LOAD] += v[HASH_LOAD] < 90 ? 35 : 100)
			for (v[HASH_SIZE] = 16384; v[HASH_SIZE] <= SMALL; v[HASH_SIZE] += 70000) {
				struct kernel_run run;
				struct hash hash = hash_make(v, LAID_SEED, memory);

				laid_at(kernel, v, &run);
				assert_int_equal(run.layout.laid_out, kernel_footprint(kernel, v));
				check_chains(&hash, seen);
				if (hash.open)
					check_slots(&hash, seen);
			}
}

static uint64_t plain(const int64_t *v, uint64_t from, uint64_t count)
{
	struct asked asked = asked_make(LAID_SEED, hash_keys(v), v[HASH_FOUND]);
	uint64_t found = 0, sum = 0;

	for (uint64_t i = from; i < from + count; i++) {
		uint64_t key = asked_key(&asked, i);

		found += (uint64_t)(key % 2);
		sum += key % 2 ? hash_value(key / 2) : 0;
	}
	return asked_result(found, sum);
}

TEST(every_way_finds_the_same)
{
	static const int64_t at_once[] = { 1, 2, 3, 16, 63, 64 };
	struct random random = { 3 };
	int64_t v[KNOBS_MAX];

	initial(v);
	for (int way = 0; way < 400; way++) {
		struct kernel_run run;
		uint64_t count, found = 0, sum = 0;

		v[HASH_TABLE] = way % 2;
		v[HASH_ORDER] = way / 2 % 2;
		v[HASH_LOOKUPS] = at_once[random_below(&random, 6)];
		v[HASH_FOUND] = (int64_t)random_below(&random, 21) * 5;
		v[HASH_LOAD] = 5 + (int64_t)random_below(&random, way % 2 ? 18 : 100) * 5;
		v[HASH_SIZE] = 16384 + (int64_t)random_below(&random, SMALL);
		check_ok(kernel_check(kernel, v));
		laid_at(kernel, v, &run);
		count = 700 / run.granule * run.granule;
		kernel->call(&run, count);
		if (run.result != plain(v, 0, count))
			fail_msg("table %d load %d lookups %d found %d: %llu of %llu found",
				(int)v[HASH_TABLE], (int)v[HASH_LOAD], (int)v[HASH_LOOKUPS],
				(int)v[HASH_FOUND], (unsigned long long)asked_found(run.result),
				(unsigned long long)count);
		kernel_rewind(&run);
		for (uint64_t left = count, piece; left > 0; left -= piece) {
			piece = (1 + random_below(&random, 5)) * run.granule;
			piece = piece < left ? piece : left;
			kernel->call(&run, piece);
			found += asked_found(run.result);
			sum += asked_places(run.result);
		}
		assert_int_equal(asked_result(found, sum), plain(v, 0, count));
		check_ok(kernel_verify(&run));
	}
}

/* Mean steps of the lookups with the numbers `from` to `end` - 1, counted. */
static double mean_steps(const struct hash *hash, const struct asked *asked, const int64_t *v,
	uint64_t from, uint64_t end)
{
	double steps = 0;

	for (uint64_t i = from; i < end; i++) {
		uint64_t key = asked_key(asked, i), at = hash_place(key, hash->buckets);

		if (v[HASH_TABLE] == TABLE_CHAINED) {
			for (const struct hash_node *node = hash->bucket[at]; node;
				node = node->next) {
				steps++;
				if (node->slot.key == key)
					break;
			}
			continue;
		}
		for (steps++; hash->slot[at].key != key && hash->slot[at].key != HASH_FREE; steps++)
			at = (at + 1) % hash->buckets;
	}
	return steps / (double)(end - from);
}

/* Steps of all lookups, counted. */
static double counted(const struct hash *hash, const int64_t *v)
{
	struct asked asked = asked_make(LAID_SEED, hash->keys, v[HASH_FOUND]);

	return mean_steps(hash, &asked, v, 0, 100000);
}

/* Of searches of 1 to 300 steps, the few that the model single-steps are typical. */
TEST(stepped_lookups_take_about_as_many_steps_as_expected)
{
	struct setting setting = laid_setting("hash-lookup size=32k table=open load=90 found=50");

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct kernel_run run = laid_run(kernel, setting.v);
		struct hash hash = hash_make(setting.v, seed, memory);

		run.seed = seed;
		run.layout.sample = 64;
		check_ok(laid_prepare(&run));
		/* The model subtracts the first third of the lookups from all. */
		check_near(mean_steps(&hash, asked_of(&run), setting.v, 4, 8), (5.5 + 50.5) / 2, 9);
	}
}

TEST(steps_are_as_many_as_expected)
{
	int64_t v[KNOBS_MAX];

	initial(v);
	v[HASH_SIZE] = MEMORY;
	for (v[HASH_TABLE] = 0; v[HASH_TABLE] < TABLES; v[HASH_TABLE]++)
		for (v[HASH_LOAD] = 25; v[HASH_LOAD] <= (v[HASH_TABLE] == TABLE_OPEN ? 85 : 325);
			v[HASH_LOAD] += 60)
			for (v[HASH_FOUND] = 0; v[HASH_FOUND] <= 100; v[HASH_FOUND] += 100) {
				struct hash hash = hash_make(v, LAID_SEED, memory);
				struct kernel_run run;
				double steps = hash_steps(v[HASH_TABLE], (double)v[HASH_LOAD] / 100,
					v[HASH_FOUND] > 0);

				laid_at(kernel, v, &run);
				check_near(counted(&hash, v), steps, 0.05 * steps + 0.01);
				assert_true(run.walk.mispredicts >= 0 && run.walk.mispredicts <= 1);
				assert_non_null(run.walk.waits);
				assert_int_equal(
					run.walk.reaches, v[HASH_TABLE] == TABLE_CHAINED ? 2 : 1);
				assert_true(run.walk.reach[0].range <
					    (double)kernel_footprint(kernel, v));
			}
}

/* The key of rank 0 is 1 where its node is written: the flag that stops it. What is there then is
 * of no use. */
TEST(stopped_half_way_it_begins_again)
{
	static const char *const settings[] = { "hash-lookup size=4m order=random",
		"hash-lookup size=4m order=bucket" };

	for (int i = 0; i < 2; i++) {
		struct kernel_run run = laid(settings[i]);
		struct hash hash = hash_make(run.v, LAID_SEED, memory);

		for (uint64_t k = 0; k < hash.keys; k++)
			if (hash.node[k].slot.key == asked_present(0))
				run.work.cancel =
					(const atomic_bool *)(const void *)&hash.node[k].slot.key;
		assert_ptr_not_equal(run.work.cancel, &never);
		memset(memory, 0, MEMORY);
		assert_int_equal(laid_prepare(&run).code, STATUS_CANCELLED);
		assert_int_equal(run.layout.laid_out, 0);
		run.work.cancel = &never;
		check_ok(laid_prepare(&run));
		assert_int_equal(run.layout.laid_out, kernel_footprint(kernel, run.v));
		check_ok(kernel_verify(&run));
	}
}

/* A tenth of a table's memory is its keys: clearing all the rest is looked at, too. The flag is in
 * what would be cleared last. */
TEST(clearing_can_be_stopped)
{
	for (int order = 0; order < 2; order++) {
		struct setting setting = laid_setting("hash-lookup size=4m load=5");
		struct hash hash = hash_make(setting.v, LAID_SEED, memory);
		struct kernel_run run = laid_run(kernel, setting.v);

		run.v[HASH_ORDER] = order;
		memset(memory, 0, MEMORY);
		*(unsigned char *)&hash.bucket[hash.buckets - 1] = 1;
		run.work.cancel = (const atomic_bool *)(const void *)&hash.bucket[hash.buckets - 1];
		assert_int_equal(laid_prepare(&run).code, STATUS_CANCELLED);
		assert_int_equal(run.layout.laid_out, 0);
	}
}

/* The key of rank 0 is the flag again, 1 once its node is written: so late that slots are to be
 * cleared next. */
TEST(clearing_slots_can_be_stopped)
{
	enum { EVERY = 4096 };
	struct setting setting = laid_setting("hash-lookup size=4m");
	struct kernel_run run = laid_run(kernel, setting.v);
	struct hash hash;
	uint64_t at;

	do {
		run.seed++;
		hash = hash_make(run.v, run.seed, memory);
		at = shuffle_to(&hash.places, 0);
	} while (at < hash.keys / EVERY * EVERY);
	assert_true(hash.buckets > EVERY);
	memset(memory, 0, MEMORY);
	run.work.cancel = (const atomic_bool *)(const void *)&hash.node[at].slot.key;
	assert_int_equal(laid_prepare(&run).code, STATUS_CANCELLED);
	assert_true(hash.node[at].slot.key == asked_present(0));
	assert_int_equal(hash.slot[hash.buckets - 1].key, 0);
}

/* Chaining bucket by bucket walks all nodes once more: who waits is told of that as well, and may
 * end it. */
TEST(progress_goes_on_to_the_last_pass)
{
	struct setting setting = laid_setting("hash-lookup size=4m order=bucket load=200");
	struct kernel_run run = laid_run(kernel, setting.v);
	atomic_uint progress = 0;

	run.work.progress = &progress;
	check_ok(laid_prepare(&run));
	assert_in_range(progress, 900, 1000);
	check_ok(kernel_verify(&run));
}

TEST(whole_runs_are_proved)
{
	struct kernel_run run = laid("hash-lookup size=16384 whole=1");

	assert_true(run.complete);
	assert_int_equal(run.ring, 16 << 20);
	kernel->call(&run, 0);
	kernel->call(&run, run.ring);
	check_ok(kernel->proof(&run));
	run.result--;
	assert_int_equal(kernel->proof(&run).code, STATUS_FAILED);
	check_contains(kernel->proof(&run).text, "found 16777216 of 16777216 keys");
}

TEST(what_cannot_be_is_named)
{
	laid_refuses("hash-lookup table=open load=100", "load=100 90");
	assert_int_equal(laid_fitted("hash-lookup table=open load=100", "table").v[HASH_LOAD], 90);
	assert_int_equal(laid_fitted("hash-lookup table=open load=300", "load").v[HASH_TABLE],
		TABLE_CHAINED);
}

RUN_TESTS(.set_up = setup, .tear_down = laid_end)
