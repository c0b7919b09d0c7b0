#include "recording/trial_records.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "recording/columns.h"
#include "recording/record.h"

/* Upper bounds of the numbers of a trial. */
#define MOST_CYCLES 1e12
#define MOST_GHZ    1e3

/* The columns of the record, in the order of the numbers of a trial in format 1. */
enum { CPE, GHZ, WATCH, TURNS, AT, FATE, CHECK, WHERE, COLUMNS };
static const struct {
	const char *name;
	enum column_scale scale;
	double usual; /* the number of all trials if the column is missing */
} columns[COLUMNS] = { { "cpe", COLUMN_SMALLEST, NAN }, { "ghz", COLUMN_SMALLEST, NAN },
	{ "watch", COLUMN_SMALLEST, NAN }, { "turns", COLUMN_SMALLEST, NAN },
	{ "at", COLUMN_LARGEST, NAN }, { "fate", COLUMN_WHOLE, 0 },
	{ "check", COLUMN_SMALLEST, NAN }, { "where", COLUMN_WHOLE, 0 } };

/* ---- Writing */

static void get_numbers(const struct trial *trial, double number[COLUMNS])
{
	number[CPE] = trial->cpe;
	number[GHZ] = trial->ghz;
	number[WATCH] = (double)trial->watch;
	number[TURNS] = (double)trial->turns;
	number[AT] = (double)trial->at;
	number[FATE] = trial->fate;
	number[CHECK] = (double)trial->check;
	number[WHERE] = 2 * trial->place + trial->unsettled;
}

static bool is_usual(const double *number, unsigned count, double usual)
{
	for (unsigned i = 0; i < count; i++)
		if (isfinite(usual) ? number[i] != usual : isfinite(number[i]))
			return false;
	return true;
}

void trials_set(json_t *object, const struct trials *trials)
{
	double number[COLUMNS][TRIALS_MAX], row[COLUMNS];
	struct text column = { 0 };

	for (unsigned i = 0; i < trials->count; i++) {
		get_numbers(&trials->trial[i], row);
		for (int k = 0; k < COLUMNS; k++)
			number[k][i] = row[k];
	}
	for (int k = 0; k < COLUMNS; k++) {
		/* The column of cycles is always written, because its length is the number of
		 * trials. */
		if (k != CPE && is_usual(number[k], trials->count, columns[k].usual))
			continue;
		text_clear(&column);
		column_encode(&column, number[k], trials->count, columns[k].scale);
		json_object_set_new(object, columns[k].name, json_string(text_string(&column)));
	}
	text_free(&column);
}

/* ---- Reading */

static bool is_within(double number, double low, double high)
{
	return number >= low && number <= high;
}

static float float_of(double number)
{
	return is_within(number, -MOST_CYCLES, MOST_CYCLES) ? (float)number : NAN;
}

/* Makes a trial of its numbers, which are untrusted. Returns the reason why they are no trial, or
 * NULL. */
static const char *make_trial(const double number[COLUMNS], struct trial *trial)
{
	double fate = number[FATE], where = number[WHERE];
	bool broken = fate == TRIAL_BROKEN;

	if (!is_within(fate, 0, TRIAL_FATES - 1) || fate != floor(fate))
		return "a trial without a fate";
	/* The cycles of a recorded trial must be positive, except for a broken trial. */
	trial->cpe = is_within(number[CPE], broken ? -MOST_CYCLES : 1e-9, MOST_CYCLES)
			     ? number[CPE]
			     : (double)NAN;
	trial->ghz = is_within(number[GHZ], 1e-6, MOST_GHZ) ? number[GHZ] : (double)NAN;
	if (isnan(trial->cpe) && !broken)
		return "a trial: expected cycles above 0";
	if (isnan(trial->ghz) && !broken)
		return "a trial: expected a clock frequency in GHz";
	if (!is_within(where, 0, 2 * UINT8_MAX + 1) || where != floor(where))
		return "a trial: expected a placement from 0 to 511";
	trial->fate = (uint8_t)fate;
	trial->watch = float_of(number[WATCH]);
	trial->turns = float_of(number[TURNS]);
	trial->at = float_of(number[AT]);
	trial->check = float_of(number[CHECK]);
	trial->place = (uint8_t)((unsigned)where / 2);
	trial->unsettled = (unsigned)where % 2;
	return NULL;
}

static const char *add_trial(const double number[COLUMNS], struct trials *trials)
{
	const char *why;

	if (trials->count == TRIALS_MAX)
		return "more trials than a sample can have";
	why = make_trial(number, &trials->trial[trials->count]);
	trials->count += !why;
	return why;
}

/* Reads the list of trials of format 1. */
static const char *read_list(const json_t *list, struct trials *trials)
{
	const char *why = NULL;
	const json_t *trial;
	size_t i;

	json_array_foreach(list, i, trial)
	{
		double number[COLUMNS];

		if (why)
			break;
		if (!json_is_array(trial) || json_array_size(trial) < 6)
			return "a trial: expected a list of six to eight numbers";
		for (size_t k = 0; k < COLUMNS; k++) {
			const json_t *value = json_array_get(trial, k);

			number[k] = json_is_number(value)  ? json_number_value(value)
				    : k == WHERE && !value ? 0
							   : (double)NAN;
		}
		why = add_trial(number, trials);
	}
	return why;
}

static const char *read_columns(const json_t *object, struct trials *trials)
{
	double number[COLUMNS][TRIALS_MAX], row[COLUMNS];
	const char *why = NULL;
	int count = 0;

	for (int k = 0; k < COLUMNS; k++) {
		const char *column = json_string_value(json_object_get(object, columns[k].name));
		int read = column ? column_decode(column, number[k], TRIALS_MAX) : count;

		if (read < 0)
			return "trials: expected columns of at most 600 numbers";
		if (k == CPE)
			count = read;
		if (read != count)
			return "trials: the columns differ in length";
		for (int i = 0; !column && i < count; i++)
			number[k][i] = columns[k].usual;
	}
	for (int i = 0; i < count && !why; i++) {
		for (int k = 0; k < COLUMNS; k++)
			row[k] = number[k][i];
		why = add_trial(row, trials);
	}
	return why;
}

const char *trials_get(const json_t *object, struct trials *trials)
{
	const json_t *list = json_object_get(object, "trials");

	if (list ? !json_is_array(list) : !json_is_string(json_object_get(object, "cpe")))
		return "trials without a list";
	return list ? read_list(list, trials) : read_columns(object, trials);
}
