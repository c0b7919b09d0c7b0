/* Registers of AArch64 that a loop leaves free: see spare.h. A function of AArch64 may change so
 * many registers that none needs to be saved. */
#include "experiment/slack/spare.h"

const char *const spare_general_names[SPARE_GENERALS][2] = { { "x0", "w0" }, { "x1", "w1" },
	{ "x2", "w2" }, { "x3", "w3" }, { "x4", "w4" }, { "x5", "w5" }, { "x6", "w6" },
	{ "x7", "w7" }, { "x8", "w8" }, { "x9", "w9" }, { "x10", "w10" }, { "x11", "w11" },
	{ "x12", "w12" }, { "x13", "w13" }, { "x14", "w14" }, { "x15", "w15" }, { "x16", "w16" },
	{ "x17", "w17" }, { "x18", "w18" }, { "x19", "w19" }, { "x20", "w20" }, { "x21", "w21" },
	{ "x22", "w22" }, { "x23", "w23" }, { "x24", "w24" }, { "x25", "w25" }, { "x26", "w26" },
	{ "x27", "w27" }, { "x28", "w28" }, { "x29", "w29" }, { "x30", "w30" } };

/* Finds registers that the function does not name and that its caller does not need. Registers that
 * other code names are not chosen, because they would have to be saved. */
static int find(
	const struct spare_usage *usage, const struct spare_order *order, int wanted, int *found)
{
	int chosen[SPARE_GENERALS], count = 0;
	unsigned saved;
	int all = spare_choose(usage, order, order->count, chosen, &saved);

	for (int i = 0; i < all && count < wanted; i++)
		if (!(saved >> i & 1))
			found[count++] = chosen[i];
	return count;
}

static struct status missing(const char *kind, int count, int wanted)
{
	return status_failed("the function leaves %d %s register%s free, but added instructions "
			     "need %d",
		count, kind, count == 1 ? "" : "s", wanted);
}

struct status spare_general(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame)
{
	/* The first registers may hold arguments of a call; x18 belongs to the platform. */
	static const struct spare_order order = { REG_GENERAL, 9, 18, 18,
		{ 7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 } };
	int count = find(usage, &order, wanted, found);

	(void)saved, (void)frame;
	return count < wanted ? missing("general", count, wanted) : status_ok();
}

struct status spare_vectors(const struct spare_usage *usage, int wanted, uint64_t saved, int *found,
	struct spare_frame *frame)
{
	static const struct spare_order order = { REG_VECTOR, 8, 24, 24,
		{ 7, 6, 5, 4, 3, 2, 1, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
			30, 31 } };
	int count = find(usage, &order, wanted, found);

	(void)saved, (void)frame;
	return count < wanted ? missing("vector", count, wanted) : status_ok();
}
