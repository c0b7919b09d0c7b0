/* Reads the records of the reports about a setting: its probed pressure, the causes of its gap, and
 * the costs of its instructions. */
#include <jansson.h>
#include <math.h>

#include "base/text.h"
#include "experiment/cost/cost.h"
#include "experiment/slack/slack.h"
#include "experiment/why/why.h"
#include "recording/fields.h"
#include "recording/replay_records.h"

/* Reads the setting of a report. Returns the recorded setting to which the report belongs; NULL:
 * there is none, or the recording has no room for more reports. */
static struct played *played_of(
	struct reading *reading, const json_t *object, struct setting *setting)
{
	struct replay *replay = reading->replay;
	char why[READING_WHY];
	int index;

	if (!reading_setting(object, setting, why))
		return NULL;
	index = replay_find(replay, setting);
	return index < 0 || replay->memory > REPLAY_MEMORY ? NULL : &replay->played[index];
}

/* ---- Probed pressure */

const char *reading_slack(struct reading *reading, const json_t *object, unsigned id)
{
	struct slack_report *slack;
	struct setting setting;
	struct played *played = played_of(reading, object, &setting);

	reading->slack = NULL;
	if (!played)
		return NULL;
	if (!played->slack) {
		played->slack = memory_new(1, sizeof(*slack));
		reading->replay->memory += sizeof(*slack);
	}
	slack = reading->slack = played->slack;
	reading->slack_id = id;
	*slack = (struct slack_report){ .setting = setting, .elements = 1 };
	record_string(object, "uarch", slack->uarch, sizeof(slack->uarch));
	record_number(object, "cycles", 0, MOST_CYCLES, &slack->cycles);
	record_number(object, "cycles_lo", 0, MOST_CYCLES, &slack->cycles_lo);
	record_number(object, "cycles_hi", 0, MOST_CYCLES, &slack->cycles_hi);
	record_number(object, "seconds", 0, MOST_CYCLES, &slack->seconds);
	record_string(object, "contradiction", slack->contradiction, sizeof(slack->contradiction));
	slack->complete = record_flag(object, "complete");
	slack->contended = record_flag(object, "contended");
	return NULL;
}

const char *reading_resource(struct reading *reading, const json_t *object, unsigned id)
{
	struct slack_report *slack = reading->slack;

	if (!slack || reading->slack_id != id || slack->count == SLACK_RESOURCES)
		return NULL;
	fields_read(object, resource_fields, &slack->resource[slack->count]);
	if (slack->resource[slack->count].name[0] &&
		slack->resource[slack->count].kind != SLACK_WAITS)
		slack->count++;
	return NULL;
}

/* ---- The gap and its causes */

const char *reading_gap(struct reading *reading, const json_t *object, unsigned id)
{
	struct replay *replay = reading->replay;
	struct setting setting;
	char why[READING_WHY];
	int index;

	reading->why = NULL;
	if (!reading_setting(object, &setting, why))
		return NULL;
	index = replay_find(replay, &setting);
	if (index < 0 || replay->memory > REPLAY_MEMORY)
		return NULL;
	if (!replay->played[index].why) {
		replay->played[index].why = memory_new(1, sizeof(*reading->why));
		replay->memory += sizeof(*reading->why);
	}
	reading->why = replay->played[index].why;
	reading->why_id = id;
	*reading->why = (struct why_report){ .setting = setting };
	fields_read(object, gap_fields, reading->why);
	return NULL;
}

const char *reading_cause(struct reading *reading, const json_t *object, unsigned id)
{
	struct why_report *why = reading->why;

	if (!why || reading->why_id != id || why->count == WHY_PAIRS)
		return NULL;
	fields_read(object, cause_fields, &why->cause[why->count]);
	why->count += why->cause[why->count].name[0] != '\0';
	return NULL;
}

/* ---- Costs of instructions */

const char *reading_costs(struct reading *reading, const json_t *object, unsigned id)
{
	struct cost_report *cost;
	struct setting setting;
	struct played *played = played_of(reading, object, &setting);

	reading->cost = NULL;
	if (!played)
		return NULL;
	if (!played->cost) {
		played->cost = memory_new(1, sizeof(*cost));
		reading->replay->memory += sizeof(*cost);
	}
	cost = reading->cost = played->cost;
	reading->cost_id = id;
	*cost = (struct cost_report){ .setting = setting, .model = NAN };
	record_string(object, "uarch", cost->uarch, sizeof(cost->uarch));
	record_number(object, "cpe", 0, MOST_CYCLES, &cost->cpe.value);
	record_number(object, "cpe_lo", 0, MOST_CYCLES, &cost->cpe.lo);
	record_number(object, "cpe_hi", 0, MOST_CYCLES, &cost->cpe.hi);
	record_number(object, "model", 0, MOST_CYCLES, &cost->model);
	record_number(object, "slot", 0, MOST_CYCLES, &cost->slot.value);
	record_number(object, "slot_lo", -MOST_CYCLES, MOST_CYCLES, &cost->slot.lo);
	record_number(object, "slot_hi", 0, MOST_CYCLES, &cost->slot.hi);
	record_number(object, "seconds", 0, MOST_CYCLES, &cost->seconds);
	cost->complete = record_flag(object, "complete");
	cost->contended = record_flag(object, "contended");
	return NULL;
}

const char *reading_cost(struct reading *reading, const json_t *object, unsigned id)
{
	struct cost_report *cost = reading->cost;

	if (!cost || reading->cost_id != id || cost->count == COST_INSNS)
		return NULL;
	fields_read(object, cost_fields, &cost->insn[cost->count++]);
	return NULL;
}
