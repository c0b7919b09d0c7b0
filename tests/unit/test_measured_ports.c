/* Ports found again from what cores measure: every core model that is shipped, its classes' throughputs and whatever mixes the search asks for, computed
 * from its ports with noise; then pairs and triples that it did not ask for. Names of ports do not matter. */
#include "check.h"

#include "made_cores.h"

static struct made made;
static struct measured measured;
static struct measured_ports ports;

struct rate {
	int mixes, good;
};

/* Classes side by side, drawn by chance, in numbers that each take about as long. */
static bool draw(struct made *from, const struct measured *m, int parts, struct measured_mix *mix)
{
	double longest = 1;

	*mix = (struct measured_mix){ .count = parts };
	for (int i = 0; i < parts; i++) {
		mix->op[i] = (int)(made_random(from) * m->op_count);
		longest = fmax(longest, m->op[mix->op[i]].each.value);
		for (int k = 0; k < i; k++)
			if (mix->op[k] == mix->op[i])
				return false;
	}
	for (int i = 0; i < parts; i++)
		mix->times[i] = fmax(1, round(longest * (0.5 + made_random(from)) / m->op[mix->op[i]].each.value));
	return longest < 20;
}

static struct rate try(int parts, int mixes)
{
	struct rate rate = { 0 };

	while (rate.mixes < mixes) {
		struct measured_mix mix;
		double by_ports;

		if (!draw(&made, &measured, parts, &mix))
			continue;
		by_ports = measured_cycles(&measured, &ports, &mix);
		if (isnan(by_ports))
			continue;
		rate.mixes++;
		rate.good += fabs(by_ports / made_cycles(&made, &mix) - 1) < 0.05;
	}
	return rate;
}

static int known(void)
{
	int count = 0;

	for (int i = 0; i < measured.op_count; i++)
		count += ports.known[i];
	return count;
}

static void cores_are_found_again(void **state)
{
	static const struct { double noise, outliers; int pairs, triples, known; } under[] = {
		{ 0.003, 0, 86, 80, 85 }, { 0.01, 0.01, 85, 78, 85 },
	};

	(void)state;
	for (const char *const *name = uarch_names(NULL); *name; name++)
		for (int k = 0; k < 2; k++) {
			struct rate one, two, three;
			int percent;

			/* One of two suffices of those that are alike. */
			if (k == 0 && (strstr(*name, "lake-sp") || strcmp(*name, "raptor-lake") == 0 || strcmp(*name, "tiger-lake") == 0 ||
				strcmp(*name, "cascade-lake") == 0))
				continue;
			if (k == 1 && strcmp(*name, "zen5") != 0 && strcmp(*name, "neoverse-n1") != 0)
				continue;
			/* Their 512-bit operations are of two halves, and their dividers one of two. */
			if (strcmp(*name, "zen4") == 0 || strcmp(*name, "cortex-a72") == 0)
				continue;
			made_begin(&made, *name, under[k].noise, under[k].outliers, 7 + (unsigned)k, &measured);
			made_measure(&made, &measured, 1200);
			measured_find_ports(&measured, &ports);
			one = try(1, 200);
			two = try(2, 1000);
			three = try(3, 1000);
			percent = known() * 100 / measured.op_count;
			print_message("%s, noise %.1f %%: %d mixes asked for, ports of %d %% of classes; within 5 %%: alone %.1f %%, pairs %.1f %%, triples %.1f %%\n",
				*name, 100 * under[k].noise, made.asked, percent, one.good / 2.0, two.good / 10.0, three.good / 10.0);
			assert_in_range(two.good, under[k].pairs * 10, 1000);
			assert_in_range(three.good, under[k].triples * 10, 1000);
			assert_in_range(percent, under[k].known, 100);
			made_end(&made);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
