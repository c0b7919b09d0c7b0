#include "experiment/campaign.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void notes_add(struct notes *notes, const char *format, ...)
{
	const int most = sizeof(notes->note) / sizeof(notes->note[0]);
	char words[sizeof(notes->note[0])];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	text_cut_clean(words, sizeof(words));
	for (int i = 0; i < notes->count; i++)
		if (strcmp(notes->note[i], words) == 0)
			return;
	if (notes->count < most)
		memcpy(notes->note[notes->count++], words, sizeof(words));
}

/* The golden ratio: the fractional parts of its multiples are spread evenly over the range from 0
 * to 1. */
#define GOLDEN 0.618033988749895

double visits_place(double n)
{
	return fmod(n * GOLDEN, 1);
}

/* Finds the next cell (a setting to measure) that this round of measurements must visit. Returns
 * false if no cell (setting) needs another measurement or the time is over. */
static bool choose(struct visits *visits, unsigned *cell)
{
	for (; visits->position < visits->count; visits->position++) {
		*cell = visits->order ? visits->order[visits->position] : visits->position;
		if (visits->wanted(visits->context, *cell))
			return !visits->late(visits->context);
	}
	return false;
}

void visits_submit(struct visits *visits)
{
	const struct measurer *measurer = visits->measurer;
	unsigned cell;

	while (visits->under_way < measurer->ahead && !measurer_stopped(measurer) &&
		choose(visits, &cell)) {
		struct visit *visit =
			&visits->visit[(visits->oldest + visits->under_way++) % VISITS_AHEAD];
		struct request request = { 0 };

		if (!visit->result)
			visit->result = memory_new(1, sizeof(*visit->result));
		visit->cell = cell;
		visits->position += !visits->repeat;
		visits->made++;
		visits->ask(visits->context, cell, &request);
		visit->asked = measurer_now(measurer);
		measurer_submit(measurer, &request, visit->result);
	}
}

/* Waits for the oldest visit. If the measurer took back the request to measure a cell (setting),
 * the cell is measured again. */
static void await(struct visits *visits)
{
	const struct measurer *measurer = visits->measurer;
	const struct visit *visit = &visits->visit[visits->oldest];
	bool measured = measurer_await(measurer, visit->result);
	double now = visit->result->at;

	visits->oldest = (visits->oldest + 1) % VISITS_AHEAD;
	visits->under_way--;
	if (!measured) {
		visits->position -= !visits->repeat && measurer->ahead == 1;
		return;
	}
	/* result->at is the time at which the measured result was ready, even if this thread was
	 * still printing. */
	if (!(now > 0))
		now = measurer_now(measurer);
	/* A visit (one short measurement of a cell) begins when the previous visit is over. */
	visits->accept(visits->context, visit->cell, visit->result,
		now - fmax(visit->asked, visits->answered));
	visits->answered = now;
}

bool visits_due(const struct visits *visits)
{
	const struct measurer *measurer = visits->measurer;

	return visits->under_way > 0 &&
	       (measurer_stopped(measurer) ||
		       (measurer->answered && measurer->answered(measurer->context)));
}

void visits_drain(struct visits *visits)
{
	while (visits->under_way > 0)
		await(visits);
}

void visits_round(struct visits *visits)
{
	visits->position = 0;
	do {
		if (visits->measurer->ahead > 1)
			visits_submit(visits);
		if (visits->before_wait)
			visits->before_wait(visits->context);
		visits_submit(visits);
		if (visits->under_way > 0)
			await(visits);
	} while (visits->under_way > 0 ||
		 (!measurer_stopped(visits->measurer) && visits->position < visits->count &&
			 !visits->late(visits->context)));
}

void visits_free(struct visits *visits)
{
	for (int i = 0; i < VISITS_AHEAD; i++)
		free(visits->visit[i].result);
}
