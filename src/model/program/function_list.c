#include "model/program/function_list.h"

#include <stdlib.h>

#include "base/text.h"
#include "model/program/program_loops.h"

/* Finds the source line at which each listed function begins. */
static void find_lines(struct program *program, struct function_list *list)
{
	uint64_t *addresses = memory_new(list->count + 1, sizeof(*addresses));
	struct source_line *lines = memory_new(list->count + 1, sizeof(*lines));

	for (size_t i = 0; i < list->count; i++)
		addresses[i] = list->function[i].function.address;
	program_lines(program, addresses, list->count, true, lines);
	for (size_t i = 0; i < list->count; i++)
		list->function[i].line = lines[i];
	free(addresses);
	free(lines);
}

static char *name_of(const struct program_function *function)
{
	struct text name = { 0 };

	program_add_name(function, &name);
	return name.bytes;
}

void function_list_find(struct program *program, struct function_list *list,
	struct function_list_progress *progress)
{
	const struct program_function *function;

	*list = (struct function_list){ .count = 0 };
	function = program_functions(program, &list->all);
	list->function = memory_new(list->all + 1, sizeof(*list->function));
	if (progress)
		atomic_store(&progress->all, list->all);
	for (size_t i = 0; i < list->all && !(progress && atomic_load(&progress->cancel)); i++) {
		int loops = program_loops_count(program, &function[i]);

		if (loops > 0)
			list->function[list->count++] =
				(struct listed_function){ .function = function[i],
					.name = name_of(&function[i]),
					.loops = loops };
		if (progress)
			atomic_store_explicit(&progress->done, i + 1, memory_order_relaxed);
	}
	find_lines(program, list);
}

void function_list_free(struct function_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->function[i].name);
	free(list->function);
	*list = (struct function_list){ .count = 0 };
}

int function_list_index(const struct function_list *list, uint64_t address)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->function[middle].function.address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->function[low].function.address == address ? (int)low : -1;
}
