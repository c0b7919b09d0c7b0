/* Which core model is this machine's? */
#include "model/uarch_read.h"

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

/* What recognition needs of one file. */
struct candidate {
	struct uarch *uarch;      /* NULL: nothing of it can be read */
	bool broken;              /* malformed: uarch has its match lines alone */
	bool unsaid;              /* and which processors it is for is not clear: one of those is malformed too */
};

/* Of a file that cannot be read as a whole, the match lines that can: which processors its writer meant. */
static void read_matches(const char *text, const char *isa, struct candidate *candidate)
{
	struct text head = { 0 }, good = { 0 };
	struct uarch_sources sources;
	struct status status = sources_load(&sources);
	size_t length;

	candidate->broken = true;
	candidate->unsaid = !status_is_ok(&status) || sources.count == 0;
	if (candidate->unsaid)
		return;
	/* As little as a file can have beside them. */
	text_addf(&head, "uarch broken Broken\nisa %s\nwidth unknown\nports p0 [%s]\n", isa, sources.tag[0]);
	text_add(&good, text_string(&head));
	for (; *text; text += length + (text[length] == '\n')) {
		const char *word = text + strspn(text, " \t");
		struct text one = { 0 };
		struct uarch *uarch;

		length = strcspn(text, "\n");
		if (strncmp(word, "match", 5) != 0)
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
	uarch_read(text_string(&good), "", &candidate->uarch);
	text_free(&head);
	text_free(&good);
}

static struct candidate read_core(const char *name, const char *isa)
{
	struct candidate candidate = { 0 };
	char file[48], origin[256], *text = NULL;
	struct status status;

	snprintf(file, sizeof(file), "uarch/%s.uarch", name);
	status = data_load(file, &text, origin);
	if (!status_is_ok(&status))
		return (struct candidate){ .broken = true, .unsaid = true };
	status = uarch_read(text, origin, &candidate.uarch);
	if (!status_is_ok(&status))
		read_matches(text, isa, &candidate);
	free(text);
	return candidate;
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
	const char *unsaid = NULL;
	char reason[160] = "", who[64];
	double nearest = 0;
	int most = 0;

	name[0] = '\0';
	describe(processor, who, sizeof(who));
	for (; *names; names++) {
		struct candidate candidate = read_core(*names, machine->arch);
		struct uarch *uarch = candidate.uarch;

		if (candidate.unsaid && !unsaid)
			unsaid = *names;
		for (int i = 0; uarch && i < uarch->id_count; i++) {
			const struct uarch_id *id = &uarch->id[i];
			int met = conditions_met(id, processor);
			double near = most || candidate.broken ? 0 : nearness(id, processor);

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
	if (!most && unsaid) {
		most = 1;
		snprintf(name, UARCH_NAME, "%s", unsaid);
		snprintf(reason, sizeof(reason), "which processors %s is for cannot be read", unsaid);
	}
	if (!most && nearest <= 0)
		snprintf(reason, sizeof(reason), "no core model is for %s, nor for others of that maker", who);
	if (why)
		snprintf(why, 160, "%s", reason);
	return most ? UARCH_EXACT : nearest > 0 ? UARCH_NEAREST : UARCH_NONE;
}
