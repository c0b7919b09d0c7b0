/* Recognises the core model of this machine, and chooses the model to use. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"
#include "engine/clock/clock.h"

static bool in_ranges(const struct uarch_ranges *ranges, unsigned value)
{
	for (int i = 0; i < ranges->count; i++)
		if (value >= ranges->range[i].low && value <= ranges->range[i].high)
			return true;
	return ranges->count == 0;
}

static bool same_maker(const struct uarch_id *id, const struct processor *processor)
{
	if (id->vendor[0])
		return strcmp(id->vendor, processor->vendor) == 0;
	return processor->implementer &&
	       in_ranges(&id->number[ID_IMPLEMENTER], processor->implementer);
}

/* How well a match line fits this processor. 0: the line does not fit; otherwise 1 + the number of
 * conditions on features and stepping. */
static int conditions_met(const struct uarch_id *id, const struct processor *processor)
{
	const unsigned values[ID_NUMBERS] = { processor->family, processor->model,
		processor->stepping, processor->implementer, processor->part };

	if (!same_maker(id, processor))
		return 0;
	for (int i = 0; i < ID_NUMBERS; i++)
		if (!in_ranges(&id->number[i], values[i]))
			return 0;
	for (int without = 0; without < 2; without++)
		for (int i = 0; i < id->feature_count[without]; i++)
			if (processor_has(processor, id->feature[without][i]) == (bool)without)
				return 0;
	return 1 + id->feature_count[0] + id->feature_count[1] +
	       (id->number[ID_STEPPING].count > 0);
}

static bool has_512(const struct uarch *uarch)
{
	for (int i = 0; i < uarch->class_count; i++)
		if (strstr(uarch->class[i].name, ".512"))
			return true;
	return false;
}

/* How near a core, described by a `match` line of its core file, is to an unknown processor. For a
 * core that is more similar to the processor, the result is higher; 0: the core has another vendor.
 * A newer processor core usually has a higher model number, and is most similar to its predecessor.
 */
static double nearness(
	const struct uarch *uarch, const struct uarch_id *id, const struct machine *machine)
{
	const struct processor *processor = &machine->processor;
	static const struct uarch_ranges any = { .count = 1, .range[0].high = 65535 };
	bool part = id->number[ID_PART].count > 0;
	const struct uarch_ranges *ranges = &id->number[part ? ID_PART : ID_MODEL];
	double number =
		part ? processor->part : (double)processor->family * 65536 + processor->model;
	double base = part ? 0 : (double)id->number[ID_FAMILY].range[0].low * 65536, best = 0;

	if (!same_maker(id, processor))
		return 0;
	ranges = ranges->count ? ranges : &any;
	for (int i = 0; i < ranges->count; i++) {
		double low = base + ranges->range[i].low, high = base + ranges->range[i].high;
		/* If the processor's model number is in the range of the core file's `match` line,
		 * `near` is 2. If the processor's number is above the range of the `match` line,
		 * `near` falls from 2 towards 1 with the distance. If the processor's number is
		 * below the range of the `match` line, `near` falls from 1 towards 0. */
		double far = number >= high ? number - high : number >= low ? 0 : low - number;
		double near = number >= low ? 1 + 1 / (1 + far) : 1 / (1 + far);

		best = near > best ? near : best;
	}
	/* On x86, a core whose vectors are as wide as the processor's is nearer than any other
	 * core. */
	if (machine->arch[0] == 'x' && has_512(uarch) == processor_has(processor, "avx512f"))
		best += 2;
	return best;
}

/* Adds a number as /proc/cpuinfo has it, and in brackets as core files have it, if they differ:
 * "207 (cf)". */
static void add_number(struct text *text, unsigned number)
{
	text_addf(text, number > 9 ? "%u (%x)" : "%u", number, number);
}

static void describe(const struct processor *processor, struct text *text)
{
	if (processor->vendor[0]) {
		text_addf(text, "%s, family ", processor->vendor);
		add_number(text, processor->family);
		text_add(text, ", model ");
		add_number(text, processor->model);
	} else {
		text_addf(text, "implementer %x part %x", processor->implementer, processor->part);
	}
}

/* Describes the processor, with the features that the match line requires. Features that it
 * excludes are left out: they only tell cores apart that have the same numbers. */
static void explain_match(
	const struct uarch_id *id, const struct processor *processor, struct text *why)
{
	text_clear(why);
	describe(processor, why);
	for (int i = 0; i < id->feature_count[0]; i++) {
		const char *feature = id->feature[0][i];
		unsigned kib;

		text_add(why, i ? ", " : ", with ");
		if (sscanf(feature, "l1i-%uk", &kib) == 1)
			text_addf(why, "%u KiB of instruction cache", kib);
		else
			text_add(why, feature);
	}
	if (id->number[ID_STEPPING].count)
		text_addf(why, ", stepping %x", processor->stepping);
}

bool uarch_fits(const struct uarch *uarch, const struct machine *machine)
{
	for (int i = 0; i < uarch->id_count; i++)
		if (conditions_met(&uarch->id[i], &machine->processor) > 0)
			return strcmp(uarch->isa, machine->arch) == 0;
	return false;
}

/* Finds the core whose match line fits this processor with the most conditions, and writes the
 * reason to `why`. If `nearest` is true, finds the nearest core of the same vendor instead, and
 * skips malformed files. Returns false if no core is found. *unclear becomes the first core whose
 * file has a malformed `match` line. */
static bool find_core(const struct machine *machine, bool nearest, char name[24], struct text *why,
	const char **unclear)
{
	const char *vendor = machine->processor.vendor;
	struct uarch_sources sources;
	struct status status = sources_load(&sources);
	double best = 0;

	for (const char *const *names = uarch_names(machine->arch); *names; names++) {
		struct uarch *uarch = nearest ? NULL : memory_new(1, sizeof(*uarch));
		char origin[256], *text;

		uarch_text(*names, &text, origin);
		/* Most cores are another vendor's. Core files of other vendors are not read, which
		 * saves a twentieth of the time of `slexplore explain`. */
		if (text && *vendor && !strstr(text, vendor)) {
			uarch_free(uarch);
			free(text);
			continue;
		}
		if (nearest && text)
			uarch_read(text, origin, &uarch);
		else if (!nearest &&
			 (!text || !status_is_ok(&status) ||
				 !uarch_read_matches(text, &sources, uarch)) &&
			 !*unclear)
			*unclear = *names;
		for (int i = 0; uarch && i < uarch->id_count; i++) {
			double fit = nearest ? nearness(uarch, &uarch->id[i], machine)
					     : conditions_met(&uarch->id[i], &machine->processor);

			if (fit <= best)
				continue;
			best = fit;
			snprintf(name, UARCH_NAME, "%s", *names);
			if (!nearest)
				explain_match(&uarch->id[i], &machine->processor, why);
		}
		uarch_free(uarch);
		free(text);
	}
	return best > 0;
}

enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160])
{
	const char *unclear = NULL;
	enum uarch_match match = UARCH_EXACT;
	struct text text = { 0 };
	bool exact;

	name[0] = '\0';
	exact = find_core(machine, false, name, &text, &unclear);
	if (!exact && unclear) {
		snprintf(name, UARCH_NAME, "%s", unclear);
		text_addf(&text, "the lines \"match\" of %s cannot be read", unclear);
	} else if (!exact) {
		match = find_core(machine, true, name, &text, NULL) ? UARCH_NEAREST : UARCH_NONE;
		text_add(&text, "there is no core model for ");
		describe(&machine->processor, &text);
		text_addf(&text, "%s%s",
			*name ? "; the nearest of its maker is " : ", nor for others of that maker",
			name);
	}
	snprintf(why, 160, "%s", text_string(&text));
	text_free(&text);
	return match;
}

/* ---- choosing the model */

struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core)
{
	char own[24] = "";
	struct status status;
	enum uarch_match match;

	*core = (struct uarch_choice){ 0 };
	match = uarch_recognise(machine, own, core->how);
	if (!name && match != UARCH_EXACT) {
		memcpy(core->nearest, own,
			sizeof(own)); /* `nearest` stays empty if no core file fits the processor or
					 is near it (UARCH_NONE) */
		return status_ok();
	}
	status = uarch_load(name ? name : own, machine->arch, &core->uarch);
	if (!status_is_ok(&status) || !name || (match == UARCH_EXACT && strcmp(name, own) == 0))
		return status;
	if (match == UARCH_NEAREST && strcmp(name, own) == 0) {
		/* The user chose the nearest model by name. */
		snprintf(core->how, sizeof(core->how), "%s, in place of the unknown core",
			core->uarch->title);
	} else if (uarch_fits(core->uarch, machine)) {
		core->fits = true;
		snprintf(core->how, sizeof(core->how), "%.60s: its file matches this core", name);
	} else {
		core->foreign = true;
		snprintf(core->how, sizeof(core->how), "predicted for %s, which is not this core",
			core->uarch->title);
	}
	return status;
}

struct clock_alone uarch_alone(const struct machine *machine)
{
	struct uarch_choice core;
	struct status status = uarch_choose(NULL, machine, &core);
	struct clock_alone alone = { 0 };

	if (status_is_ok(&status) && core.uarch) {
		double width = core.uarch->width, entries = core.uarch->fact[SIZE_ROB];

		/* The decrement and the branch are fused and take one rename slot. */
		if (uarch_known(width))
			alone.turn = 1 + (CLOCK_TURN_NOPS + 1) / width / CLOCK_TURN_SHARE;
		if (uarch_known(entries))
			alone.buffer = (unsigned)entries;
		if (uarch_known(core.uarch->fact[EXTRA_WINDOW_PASS]))
			alone.window = core.uarch->fact[EXTRA_WINDOW_PASS];
	}
	uarch_choice_free(&core);
	return alone;
}

void uarch_choice_free(struct uarch_choice *core)
{
	uarch_free(core->uarch);
	core->uarch = NULL;
}
