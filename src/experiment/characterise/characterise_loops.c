/* Recipes into loops. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "experiment/characterise/characterise_state.h"

static void lines_of(char *to, const char *from)
{
	snprintf(to, GENERATED_LINES, "%s", from);
}

/* Instances of one kind; loop has the rest. */
static const struct kernel *one_part(
	struct generated_loop loop, const char *lines, unsigned bits, unsigned registers)
{
	if (!*lines)
		return NULL;
	loop.part_count = 1;
	lines_of(loop.part[0].lines, lines);
	loop.part[0].bits = bits;
	loop.part[0].times = 1;
	loop.part[0].registers = registers;
	return generated_kernel(&loop);
}

const struct kernel *loop_of_width(const struct recipes *recipes, int line)
{
	return one_part((struct generated_loop){ .part_count = 0 }, recipes->width[line], 0, 0);
}

const struct kernel *loop_of_chain(const struct class_recipe *recipe, bool adds)
{
	struct generated_loop loop = { .values = recipe->values, .clean = recipe->clean };

	lines_of(loop.setup, recipe->setup);
	return one_part(loop, adds ? recipe->adds : recipe->chain, recipe->bits, 1);
}

const struct kernel *loop_of_each(const struct class_recipe *recipe)
{
	return one_part((struct generated_loop){ .values = recipe->values,
				.clean = recipe->clean,
				.bodies = recipe->bodies },
		recipe->free, recipe->bits, 0);
}

const struct kernel *loop_of_fact(const struct fact_recipe *recipe, bool other)
{
	struct generated_loop loop = {
		.values = recipe->values, .clean = recipe->clean, .bodies = recipe->bodies
	};

	lines_of(loop.setup, recipe->setup);
	return one_part(loop, other ? recipe->other : recipe->loop, recipe->bits, 0);
}

const struct kernel *loop_with_nops(const struct kernel *kernel, const char *nop, unsigned nops)
{
	struct generated_loop loop = *generated_loop_of(kernel);

	loop.bodies = 0;
	lines_of(loop.part[loop.part_count].lines, nop);
	loop.part[loop.part_count].times = nops;
	loop.part_count++;
	return generated_kernel(&loop);
}

/* As many registers as hide the latency, and one more, since some cores wait for what they
 * overwrite. */
static unsigned registers_of(const struct measured_op *op)
{
	double latency = op->latency.known ? op->latency.value : 0;

	if (op->accumulate.known && op->accumulate.value > latency)
		latency = op->accumulate.value;
	if (latency <= 0 || !op->each.known || op->each.value <= 0)
		return 2;
	return (unsigned)ceil(latency / op->each.value) + 1;
}

const struct kernel *loop_of_mix(const struct recipes *recipes, const struct measured *measured,
	const struct measured_mix *mix)
{
	struct generated_loop loop = { .part_count = mix->count };
	bool clean = false, wide = false;

	if (mix->count < 1 || mix->count > GENERATED_PARTS)
		return NULL;
	for (int i = 0; i < mix->count; i++) {
		const struct class_recipe *recipe = NULL;
		struct generated_part *part = &loop.part[i];

		for (int k = 0; k < recipes->class_count; k++)
			if (recipes->classes[k].op == mix->op[i])
				recipe = &recipes->classes[k];
		/* What only a short loop shows is not seen in a long one. */
		if (!recipe || !*recipe->free || recipe->bodies || mix->times[i] < 0.5)
			return NULL;
		clean = clean || recipe->clean;
		wide = wide || (recipe->bits && !recipe->clean);
		if (recipe->values == GENERATED_F32)
			loop.values = GENERATED_F32;
		lines_of(part->lines, recipe->free);
		part->bits = recipe->bits;
		part->times = (unsigned)lround(mix->times[i]);
		part->registers = registers_of(&measured->op[mix->op[i]]);
	}
	/* Code that does not know of upper halves keeps them, and so waits for itself, once others
	 * have made them dirty. */
	if (clean && wide)
		return NULL;
	loop.clean = clean;
	return generated_kernel(&loop);
}

void recipes_each(const struct recipes *recipes,
	void (*each)(void *context, enum item_kind kind, int of, const struct kernel *kernel),
	void *context)
{
	for (int i = 0; i < recipes->width_count; i++)
		each(context, ITEM_WIDTH, i, loop_of_width(recipes, i));
	for (int i = 0; i < recipes->class_count; i++) {
		each(context, ITEM_LATENCY, i, loop_of_chain(&recipes->classes[i], false));
		each(context, ITEM_ADDS, i, loop_of_chain(&recipes->classes[i], true));
		each(context, ITEM_EACH, i, loop_of_each(&recipes->classes[i]));
	}
	for (int i = 0; i < recipes->fact_count; i++) {
		each(context, ITEM_FACT, i, loop_of_fact(&recipes->facts[i], false));
		each(context, ITEM_FACT_OTHER, i, loop_of_fact(&recipes->facts[i], true));
	}
}

void recipes_words(
	const struct recipes *recipes, enum item_kind kind, int of, char *words, size_t size)
{
	const char *what = kind == ITEM_LATENCY || kind == ITEM_ADDS ? "latency"
			   : kind == ITEM_EACH			     ? "throughput"
								     : "slots";

	if (kind == ITEM_WIDTH)
		snprintf(words, size, "width");
	else if (kind == ITEM_FACT || kind == ITEM_FACT_OTHER || kind == ITEM_FACT_SLOTS)
		snprintf(words, size, "%s", recipes->facts[of].word);
	else
		snprintf(words, size, "%s of %s", what, recipes->classes[of].name);
}
