#include "model/limits/retire.h"

#include <math.h>

#include "base/random.h"

/* GROUPS: number of simulated groups of dependence chains that begin together. WINDOW_MOST: largest
 * number of groups of chains in the simulated queue. */
enum { GROUPS = 4096, WINDOW_MOST = 1024 };

/* Returns a random number with a Poisson distribution, by inversion. `none` is the share of the
 * number 0, which is exp(-mean). */
static int poisson(struct random *random, double mean, double none)
{
	double left = (double)(random_next(random) >> 11) * 0x1p-53, share = none;
	int number = 0;

	while (left >= share && share > 0) {
		left -= share;
		number++;
		share *= mean / number;
	}
	return number;
}

double retire_cycles(const struct retire *retire)
{
	struct random random = { 1 };
	double left[WINDOW_MOST + 1] = { 0 },
				  window = fmin(fmax(retire->window, 1), WINDOW_MOST - 1);
	int whole = (int)window, chains = (int)fmax(retire->chains, 1), last = 0;
	double part = window - whole, none = exp(-retire->further);

	for (int i = 0; i < GROUPS; i++) {
		int most = 0, now = i % (WINDOW_MOST + 1);
		double enters = 0;

		for (int k = 0; k < chains; k++) {
			int number = poisson(&random, retire->further, none);

			most = number > most ? number : most;
		}
		if (i > whole) {
			double with = left[(i - whole) % (WINDOW_MOST + 1)],
			       without = left[(i - whole - 1) % (WINDOW_MOST + 1)];

			enters = with + (without - with) * part;
		}
		left[now] = fmax(
			left[last] + retire->service, enters + retire->fixed + most * retire->each);
		last = now;
	}
	return left[last] / GROUPS / chains;
}
