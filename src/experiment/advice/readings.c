#include "experiment/advice/readings.h"

#include <stdlib.h>

#include "base/text.h"

/* Whole explanations are large; predictions are of an advice's options, of several settings. */
enum { WHOLE = 8, PREDICTIONS = 256 };

struct readings {
	struct {
		struct setting setting; /* kernel NULL: none */
		struct explanation *explanation;
	} whole[WHOLE];
	struct {
		struct setting setting;
		double cpe;
	} prediction[PREDICTIONS];
	int whole_next, predictions, prediction_next;
};

struct readings *readings_new(void)
{
	return memory_new(1, sizeof(struct readings));
}

void readings_free(struct readings *readings)
{
	if (!readings)
		return;
	for (int i = 0; i < WHOLE; i++)
		explanation_free(readings->whole[i].explanation);
	free(readings);
}

void readings_clear(struct readings *readings)
{
	for (int i = 0; i < WHOLE; i++)
		readings->whole[i].setting.kernel = NULL;
	readings->predictions = readings->prediction_next = 0;
}

bool readings_slow(const struct kernel *kernel)
{
	return kernel->stepped || kernel->own;
}

struct explanation *readings_find(struct readings *readings, const struct setting *setting)
{
	for (int i = 0; i < WHOLE; i++)
		if (readings->whole[i].setting.kernel &&
			setting_equal(&readings->whole[i].setting, setting))
			return readings->whole[i].explanation;
	return NULL;
}

struct explanation *readings_keep(struct readings *readings, const struct setting *setting)
{
	int place = readings->whole_next;

	readings->whole_next = (place + 1) % WHOLE;
	if (!readings->whole[place].explanation)
		readings->whole[place].explanation = explanation_new();
	readings->whole[place].setting = *setting;
	return readings->whole[place].explanation;
}

struct explanation *readings_put(
	struct readings *readings, const struct setting *setting, struct explanation *explanation)
{
	int place = readings->whole_next;
	struct explanation *before = readings_keep(readings, setting);

	readings->whole[place].explanation = explanation;
	return before;
}

bool readings_predicted(const struct readings *readings, const struct setting *setting, double *cpe)
{
	for (int i = 0; i < readings->predictions; i++) {
		if (!setting_equal(&readings->prediction[i].setting, setting))
			continue;
		*cpe = readings->prediction[i].cpe;
		return true;
	}
	return false;
}

void readings_predict(struct readings *readings, const struct setting *setting, double cpe)
{
	int place = readings->prediction_next;

	readings->prediction_next = (place + 1) % PREDICTIONS;
	if (readings->predictions < PREDICTIONS)
		readings->predictions++;
	readings->prediction[place].setting = *setting;
	readings->prediction[place].cpe = cpe;
}
