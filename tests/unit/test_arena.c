#include "check.h"

#include <unistd.h>

#include "engine/memory/arena.h"

/* More than any address space holds. */
TEST(a_refusal_names_the_size_as_people_do)
{
	struct arena arena = { 0 };
	atomic_bool cancel = false;
	bool kept;
	const struct arena_place place = { .node = -1 };
	struct status status = arena_need(&arena, 1ull << 54, 0, &place, &cancel, &kept);

	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "16384 TiB of memory refused: ");
	assert_null(arena.memory);
}

TEST(a_core_is_refused_before_a_topology_is_loaded)
{
	struct status status = topology_check(1023);

	check_ok(topology_check(-1));
	/* Unless there are that many. */
	if (!status_is_ok(&status)) {
		assert_int_equal(status.code, STATUS_USAGE);
		check_contains(status.text, "--cpu 1023: this process may use only processors ");
	}
	status = topology_check(1 << 20);
	assert_int_equal(status.code, STATUS_USAGE);
}

/* The kernel's own account of huge pages behind memory, in MiB; -1: it gives none. */
static long huge_behind(const unsigned char *memory, uint64_t bytes)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	unsigned long begin, end, kib;
	char line[256];
	long huge = -1;
	bool ours = false;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			ours = begin < (unsigned long)(memory + bytes) &&
			       end > (unsigned long)memory;
		else if (ours && sscanf(line, "AnonHugePages: %lu", &kib) == 1)
			huge = (huge < 0 ? 0 : huge) + (long)(kib >> 10);
	}
	if (file)
		fclose(file);
	return huge;
}

/* What this system grants is not ours to say: what is told of it has to agree with the kernel's
 * account, and with itself. */
TEST(what_pages_were_got_is_told)
{
	struct status status;
	struct topology *topology = topology_load(&status);
	atomic_bool cancel = false;

	int again = 0;

	check_ok(status);
	for (enum page_kind asked = PAGES_4K; asked <= PAGES_HUGE; asked++) {
		const struct arena_place place = {
			.topology = topology, .node = -1, .small = asked == PAGES_4K
		};
		struct arena arena = { 0 };
		struct run_facts facts;
		long before, huge;
		bool kept;

		check_ok(arena_need(&arena, 16 << 20, 16 << 20, &place, &cancel, &kept));
		/* The kernel may join small pages into huge ones at any moment, or take them apart.
		 */
		do {
			before = huge_behind(arena.memory, 16 << 20);
			arena_tell(&arena, 0, 16 << 20, &place, asked, "", &facts);
			huge = huge_behind(arena.memory, 16 << 20);
		} while (before != huge);
		if (strcmp(facts.pages, "unknown") == 0 || huge < 0) {
			arena_free(&arena);
			continue;
		}
		/* A kernel that is short of memory takes huge pages apart after they were granted.
		 */
		if (strcmp(facts.pages, "huge") == 0 && huge < 14 && again++ < 3) {
			arena_free(&arena);
			asked--;
			continue;
		}
		if (strcmp(facts.pages, "huge") == 0)
			assert_true(huge >= 14);
		else if (strcmp(facts.pages, "mixed") != 0)
			assert_int_equal(huge, 0);
		if (asked == PAGES_4K)
			assert_true(strcmp(facts.pages, "huge") != 0 &&
				    strcmp(facts.pages, "mixed") != 0);
		else
			assert_int_equal(facts.pages_note[0] == '\0', huge == 16);
		arena_free(&arena);
	}
	topology_free(topology);
}

/* Pieces as they might have come, without any memory. */
static void check_told(const unsigned char *order, uint64_t pieces, enum page_kind asked,
	const char *huge_note, const char *pages, const char *note)
{
	struct status status;
	struct topology *topology = topology_load(&status);
	const struct arena_place place = { .topology = topology, .node = -1 };
	unsigned char copy[8];
	const struct arena arena = { .order = copy, .touched = pieces * ARENA_PIECE };
	struct run_facts facts;

	check_ok(status);
	memcpy(copy, order, pieces);
	arena_tell(&arena, 0, pieces * ARENA_PIECE - 1000, &place, asked, huge_note, &facts);
	assert_string_equal(facts.pages, pages);
	assert_string_equal(facts.pages_note, note);
	topology_free(topology);
}

TEST(why_pages_are_not_as_asked_is_told)
{
	static const unsigned char huge[] = { 21, 21, 21, 21 }, some[] = { 21, 12, 12, 12 },
				   none[] = { 12, 12, 12, 12 }, middle[] = { 16, 16, 16, 16 },
				   odd[] = { 12, 16, 12, 12 }, unknown[] = { 0, 0, 0, 0 };

	check_told(huge, 4, PAGES_HUGE, "", "huge", "");
	check_told(some, 4, PAGES_HUGE, "", "mixed", "the system granted only 2 MiB of 8 MiB");
	check_told(some, 1, PAGES_HUGE, "", "huge", "");
	check_told(none, 4, PAGES_HUGE, "", "4k", "the system granted none of 8 MiB");
	check_told(none, 4, PAGES_HUGE, "huge pages are off", "4k", "huge pages are off");
	check_told(none, 4, PAGES_AUTO, "huge pages are off", "4k", "");
	check_told(middle, 4, PAGES_AUTO, "", "64k", "");
	check_told(odd, 4, PAGES_AUTO, "", "mixed", "");
	check_told(unknown, 4, PAGES_HUGE, "", "unknown", "the system does not report page sizes");
	if (sysconf(_SC_PAGESIZE) == 4096)
		check_told(none, 4, PAGES_4K, "", "4k", "");
	else
		check_told(middle, 4, PAGES_4K, "", "64k",
			"the smallest pages of this system are 64 KiB");
}

TEST(growing_memory_keeps_its_content)
{
	struct status status;
	struct topology *topology = topology_load(&status);
	const struct arena_place place = { .topology = topology, .node = -1 };
	struct arena arena = { 0 };
	atomic_bool cancel = false;
	bool kept;

	check_ok(status);
	check_ok(arena_need(&arena, 1000, 64 << 20, &place, &cancel, &kept));
	assert_true(arena.touched >= 1000);
	assert_int_equal((uintptr_t)arena.memory % (2 << 20), 0);
	arena.memory[999] = 42;
	check_ok(arena_need(&arena, 32 << 20, 64 << 20, &place, &cancel, &kept));
	assert_true(kept);
	assert_int_equal(arena.memory[999], 42);
	/* A larger request than the reserved memory starts again, and reports it. */
	check_ok(arena_need(&arena, 100 << 20, 100 << 20, &place, &cancel, &kept));
	assert_false(kept);
	arena_free(&arena);
	assert_null(arena.memory);
	atomic_store(&cancel, true);
	status = arena_need(&arena, 1000, 1000, &place, &cancel, &kept);
	assert_int_equal(status.code, STATUS_CANCELLED);
	atomic_store(&cancel, false);
	status = arena_need(&arena, (uint64_t)1 << 62, (uint64_t)1 << 62, &place, &cancel, &kept);
	assert_int_equal(status.code, STATUS_FAILED);
	check_contains(status.text, "of memory refused");
	arena_free(&arena);
	topology_free(topology);
}

RUN_TESTS()
