/* Which core model is this machine's? */
#include "model/uarch_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"

static bool in_ranges(const struct uarch_range *range, int count, unsigned value)
{
	for (int i = 0; i < count; i++)
		if (value >= range[i].low && value <= range[i].high)
			return true;
	return count == 0;
}

static bool same_maker(const struct uarch_id *id, const struct processor *processor)
{
	if (id->vendor[0])
		return strcmp(id->vendor, processor->vendor) == 0;
	return processor->implementer && id->implementer == processor->implementer;
}

/* Whether a match line is about this processor; 0: no, else 1 + how many conditions it sets. */
static int conditions_met(const struct uarch_id *id, const struct processor *processor)
{
	if (!same_maker(id, processor) || (id->has_family && id->family != processor->family) ||
		!in_ranges(id->model, id->model_count, processor->model) ||
		!in_ranges(id->stepping, id->stepping_count, processor->stepping) ||
		!in_ranges(id->part, id->part_count, processor->part))
		return 0;
	for (int i = 0; i < id->with_count; i++)
		if (!processor_has(processor, id->with[i]))
			return 0;
	for (int i = 0; i < id->without_count; i++)
		if (processor_has(processor, id->without[i]))
			return 0;
	return 1 + id->with_count + id->without_count + (id->stepping_count > 0);
}

/* How near a line is to a processor that none is about: 0 for another maker's, else the more the nearer. Newer cores have
 * higher numbers as a rule, and most resemble the last one before them. */
static double nearness(const struct uarch_id *id, const struct processor *processor)
{
	double number = (double)processor->family * 65536 + processor->model, best = 0;
	const struct uarch_range *range = id->has_part ? id->part : id->model;
	int count = id->has_part ? id->part_count : id->model_count;

	if (!same_maker(id, processor))
		return 0;
	if (id->has_part)
		number = processor->part;
	for (int i = 0; i < (count ? count : 1); i++) {
		double base = id->has_part ? 0 : (double)id->family * 65536;
		double low = base + (count ? range[i].low : 0), high = base + (count ? range[i].high : 65535);
		/* Below it: 2 to 1 as the distance grows. Above it: 1 to 0. */
		double far = number >= high ? number - high : number >= low ? 0 : low - number;
		double near = number >= low ? 1 + 1 / (1 + far) : 1 / (1 + far);

		best = near > best ? near : best;
	}
	return best;
}

static bool has_512(const struct uarch *uarch)
{
	for (int i = 0; i < uarch->class_count; i++) {
		size_t length = strlen(uarch->class[i].name);

		if (length > 4 && strcmp(uarch->class[i].name + length - 4, ".512") == 0)
			return true;
	}
	return false;
}

static struct uarch *read_core(const char *name)
{
	struct uarch *uarch = NULL;
	char file[48], origin[256], *text;
	struct status status;

	snprintf(file, sizeof(file), "uarch/%s.uarch", name);
	status = data_load(file, &text, origin);
	if (!status_is_ok(&status))
		return NULL;
	uarch_read(text, origin, &uarch);
	free(text);
	return uarch;
}

static void describe(const struct processor *processor, char *buffer, size_t size)
{
	if (processor->vendor[0])
		snprintf(buffer, size, "%s family %x model %x", processor->vendor, processor->family, processor->model);
	else
		snprintf(buffer, size, "implementer %x part %x", processor->implementer, processor->part);
}

static void explain_match(const struct uarch_id *id, const struct processor *processor, char *why, size_t size)
{
	char who[64];
	size_t used;

	describe(processor, who, sizeof(who));
	snprintf(why, size, "%s", who);
	for (int i = 0; i < id->with_count; i++) {
		used = strlen(why);
		snprintf(why + used, size - used, "%s%s", i ? " " : ", with ", id->with[i]);
	}
	for (int i = 0; i < id->without_count; i++) {
		used = strlen(why);
		snprintf(why + used, size - used, "%s%s", i ? " " : ", without ", id->without[i]);
	}
	if (id->stepping_count) {
		used = strlen(why);
		snprintf(why + used, size - used, ", stepping %x", processor->stepping);
	}
}

enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160])
{
	const struct processor *processor = &machine->processor;
	const char *const *names = uarch_names(machine->arch);
	char reason[160] = "", who[64];
	double nearest = 0;
	int most = 0;

	name[0] = '\0';
	describe(processor, who, sizeof(who));
	for (; *names; names++) {
		struct uarch *uarch = read_core(*names);

		for (int i = 0; uarch && i < uarch->id_count; i++) {
			const struct uarch_id *id = &uarch->id[i];
			int met = conditions_met(id, processor);
			double near = most ? 0 : nearness(id, processor);

			if (near > 0 && machine->arch[0] == 'x' && has_512(uarch) == processor_has(processor, "avx512f"))
				near += 2;
			if (met > most) {
				most = met;
				snprintf(name, UARCH_NAME, "%s", *names);
				explain_match(id, processor, reason, sizeof(reason));
			} else if (!most && near > nearest) {
				nearest = near;
				snprintf(name, UARCH_NAME, "%s", *names);
				snprintf(reason, sizeof(reason), "no core model is for %s; the nearest of its maker is %s",
					who, uarch->name);
			}
		}
		uarch_free(uarch);
	}
	if (!most && nearest <= 0)
		snprintf(reason, sizeof(reason), "no core model is for %s, nor for others of that maker", who);
	if (why)
		snprintf(why, 160, "%s", reason);
	return most ? UARCH_EXACT : nearest > 0 ? UARCH_NEAREST : UARCH_NONE;
}
