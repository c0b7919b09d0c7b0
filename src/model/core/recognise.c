/* Recognises the core model of this machine, and chooses the model to use. */
#include "model/core/uarch_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/data.h"
#include "base/text.h"

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

/* How a match line fits this processor: 0 not, else 1 + the number of its conditions. */
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

/* How near a match line is to an unknown processor: 0 for another vendor, else more for nearer.
 * Newer cores usually have higher numbers, and resemble the previous core most. */
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
		double low = base + (count ? range[i].low : 0),
		       high = base + (count ? range[i].high : 65535);
		/* Above the range: 2 to 1 with the distance. Below it: 1 to 0. */
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

/* What recognition reads of one file. */
struct candidate {
	struct uarch *uarch; /* NULL: unreadable */
	bool broken;	     /* malformed: uarch has only its match lines */
	bool unsaid;	     /* a match line is malformed too, so that its processors are unknown */
};

static bool is_match(const char *line)
{
	return strncmp(line + strspn(line, " \t"), "match", 5) == 0;
}

static void add_matches(struct text *to, const char *head, const char *text)
{
	size_t length;

	text_add(to, head);
	for (; *text; text += length + (text[length] == '\n')) {
		length = strcspn(text, "\n");
		if (!is_match(text))
			continue;
		text_addn(to, text, length);
		text_addn(to, "\n", 1);
	}
}

/* Reads only the match lines of a file: enough to recognise a processor, also by a malformed file.
 * Line by line if one of them is malformed. */
static void read_matches(const char *text, const char *isa, struct candidate *candidate)
{
	struct text head = { 0 }, good = { 0 };
	struct uarch_sources sources;
	struct status status = sources_load(&sources);
	size_t length;

	candidate->unsaid = !status_is_ok(&status) || sources.count == 0;
	if (candidate->unsaid)
		return;
	/* The smallest valid file around them. */
	text_addf(&head, "uarch matches Matches\nisa %s\nwidth unknown\nports p0 [%s]\n", isa,
		sources.tag[0]);
	add_matches(&good, text_string(&head), text);
	status = uarch_read(text_string(&good), "", &candidate->uarch);
	text_clear(&good);
	text_add(&good, text_string(&head));
	for (; !candidate->uarch && *text; text += length + (text[length] == '\n')) {
		struct text one = { 0 };
		struct uarch *uarch;

		length = strcspn(text, "\n");
		if (!is_match(text))
			continue;
		text_addf(&one, "%s%.*s\n", text_string(&head), (int)length, text);
		status = uarch_read(text_string(&one), "", &uarch);
		text_free(&one);
		if (!status_is_ok(&status)) {
			candidate->unsaid = true;
			break;
		}
		uarch_free(uarch);
		text_addn(&good, text, length);
		text_addn(&good, "\n", 1);
	}
	if (!candidate->uarch)
		uarch_read(text_string(&good), "", &candidate->uarch);
	text_free(&head);
	text_free(&good);
}

/* whole: the whole file, to compare its classes; else only its match lines, in a tenth of the time.
 */
static struct candidate read_core(const char *name, const char *isa, bool whole)
{
	struct candidate candidate = { 0 };
	char file[48], origin[256], *text = NULL;
	struct status status;

	snprintf(file, sizeof(file), "uarch/%s.uarch", name);
	status = data_load(file, &text, origin);
	if (!status_is_ok(&status))
		return (struct candidate){ .broken = true, .unsaid = true };
	if (whole)
		status = uarch_read(text, origin, &candidate.uarch);
	candidate.broken = !status_is_ok(&status);
	if (!whole || candidate.broken)
		read_matches(text, isa, &candidate);
	free(text);
	return candidate;
}

static void describe(const struct processor *processor, char *buffer, size_t size)
{
	if (processor->vendor[0])
		snprintf(buffer, size, "%s family %x model %x", processor->vendor,
			processor->family, processor->model);
	else
		snprintf(buffer, size, "implementer %x part %x", processor->implementer,
			processor->part);
}

static void explain_match(
	const struct uarch_id *id, const struct processor *processor, char *why, size_t size)
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

bool uarch_fits(const struct uarch *uarch, const struct machine *machine)
{
	for (int i = 0; i < uarch->id_count; i++)
		if (conditions_met(&uarch->id[i], &machine->processor) > 0)
			return strcmp(uarch->isa, machine->arch) == 0;
	return false;
}

/* The core whose match lines fit this processor with the most conditions; false: none. */
static bool find_exact(const struct machine *machine, char name[24], char *why, size_t size)
{
	const struct processor *processor = &machine->processor;
	const char *const *names = uarch_names(machine->arch);
	int most = 0;

	for (; *names; names++) {
		struct candidate candidate = read_core(*names, machine->arch, false);
		struct uarch *uarch = candidate.uarch;

		for (int i = 0; uarch && i < uarch->id_count; i++) {
			int met = conditions_met(&uarch->id[i], processor);

			if (met <= most)
				continue;
			most = met;
			snprintf(name, UARCH_NAME, "%s", *names);
			explain_match(&uarch->id[i], processor, why, size);
		}
		uarch_free(uarch);
	}
	return most > 0;
}

/* Without a match: the nearest core of the vendor, or a file with unreadable match lines. */
static enum uarch_match find_near(
	const struct machine *machine, char name[24], char *why, size_t size)
{
	const struct processor *processor = &machine->processor;
	const char *const *names = uarch_names(machine->arch);
	const char *unsaid = NULL;
	double nearest = 0;
	char who[64];

	describe(processor, who, sizeof(who));
	snprintf(why, size, "no core model is for %s, nor for others of that maker", who);
	for (; *names; names++) {
		struct candidate candidate = read_core(*names, machine->arch, true);
		struct uarch *uarch = candidate.uarch;

		if (candidate.unsaid && !unsaid)
			unsaid = *names;
		for (int i = 0; uarch && !candidate.broken && i < uarch->id_count; i++) {
			double near = nearness(&uarch->id[i], processor);

			if (near > 0 && machine->arch[0] == 'x' &&
				has_512(uarch) == processor_has(processor, "avx512f"))
				near += 2;
			if (near <= nearest)
				continue;
			nearest = near;
			snprintf(name, UARCH_NAME, "%s", *names);
			snprintf(why, size,
				"no core model is for %s; the nearest of its maker is %s", who,
				uarch->name);
		}
		uarch_free(uarch);
	}
	if (!unsaid)
		return nearest > 0 ? UARCH_NEAREST : UARCH_NONE;
	snprintf(name, UARCH_NAME, "%s", unsaid);
	snprintf(why, size, "which processors %s is for cannot be read", unsaid);
	return UARCH_EXACT;
}

enum uarch_match uarch_recognise(const struct machine *machine, char name[24], char why[160])
{
	char reason[160] = "";
	enum uarch_match match = UARCH_EXACT;

	name[0] = '\0';
	if (!find_exact(machine, name, reason, sizeof(reason)))
		match = find_near(machine, name, reason, sizeof(reason));
	if (why)
		snprintf(why, 160, "%s", reason);
	return match;
}

/* ---- the choice */

struct status uarch_choose(
	const char *name, const struct machine *machine, struct uarch_choice *core)
{
	char own[24] = "", why[160] = "";
	enum uarch_match match = uarch_recognise(machine, own, why);
	struct status status;

	*core = (struct uarch_choice){ 0 };
	if (!name && match != UARCH_EXACT) {
		if (match == UARCH_NEAREST)
			snprintf(core->nearest, sizeof(core->nearest), "%s", own);
		snprintf(core->how, sizeof(core->how), "%s", why);
		return status_ok();
	}
	status = uarch_load(name ? name : own, machine->arch, &core->uarch);
	if (!status_is_ok(&status))
		return status;
	if (!name || (match == UARCH_EXACT && strcmp(name, own) == 0)) {
		snprintf(core->how, sizeof(core->how), "%s", why);
	} else if (match == UARCH_NEAREST && strcmp(name, own) == 0) {
		/* The user accepts the nearest model. */
		snprintf(core->how, sizeof(core->how),
			"%.48s, standing in for a core of which nothing is known",
			uarch_title(core->uarch));
	} else if (uarch_fits(core->uarch, machine)) {
		snprintf(core->how, sizeof(core->how),
			"%.60s: what it says of itself fits this core", name);
	} else {
		core->foreign = true;
		snprintf(core->how, sizeof(core->how),
			"predicted for %.48s, which is not this core", uarch_title(core->uarch));
	}
	return status;
}

void uarch_choice_free(struct uarch_choice *core)
{
	if (core->uarch)
		uarch_free(core->uarch);
	core->uarch = NULL;
}
