/* See placed.h. */
#include "experiment/setting/placed.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

void placed_pages(const struct run_facts *facts, char *buffer, size_t size)
{
	static const char *const names[PAGE_KINDS] = { "auto", "4k", "huge" };

	buffer[0] = '\0';
	if (facts->pages_note[0] && facts->asked > PAGES_AUTO && facts->asked < PAGE_KINDS)
		snprintf(buffer, size, "%s asked, %s got: %s", names[facts->asked], facts->pages,
			facts->pages_note);
}

void placed_node(const struct run_facts *facts, char *buffer, size_t size)
{
	buffer[0] = '\0';
	if (facts->node_note[0])
		snprintf(buffer, size, "%s", facts->node_note);
	else if (facts->nodes > 1 && facts->node >= 0)
		snprintf(buffer, size, "node %d", facts->node);
}

void placed_others(
	const struct run_facts *facts, const struct sample *sample, char *buffer, size_t size)
{
	char figure[32] = "";
	size_t used = 0;

	buffer[0] = '\0';
	if (facts->cores > 1) {
		if (facts->streams == 0 && sample->total_gbps > 0) {
			units_figure(sample->total_gbps, figure, sizeof(figure));
			snprintf(buffer, size, "all %d cores %s GB/s", facts->cores, figure);
			return;
		}
		used = (size_t)snprintf(buffer, size, "%d cores%s", facts->cores,
			facts->streams > 0	    ? ", "
			: isnan(facts->others_gbps) ? ": what all move is unavailable, since not "
						      "each of them ran meanwhile"
						    : "");
	}
	if (facts->streams > 0 && used < size)
		used += (size_t)snprintf(buffer + used, size - used, "%d stream%s", facts->streams,
			facts->streams == 1 ? "" : "s");
	/* Of both at once one figure: what all others moved. */
	if (facts->streams > 0 && facts->others_gbps > 0 && isfinite(facts->others_gbps) &&
		used < size) {
		units_figure(facts->others_gbps, figure, sizeof(figure));
		snprintf(buffer + used, size - used, "%s %s GB/s",
			facts->cores > 1 ? ": the others" : "", figure);
	}
}
