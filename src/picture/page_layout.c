/* Makes the layout of a chart. Each kind of chart has a function that fills the layout. */
#include "picture/page.h"

#include <stdlib.h>

#include "base/text.h"

struct layout *layout_new(const struct chart *chart, const struct metrics *metrics)
{
	static void (*const kinds[])(struct page * page) = {
		[CHART_LINES] = layout_lines,
		[CHART_HEAT] = layout_heat,
		[CHART_RELIEF] = layout_relief,
		[CHART_BARS] = layout_bars,
		[CHART_SPANS] = layout_spans,
	};
	struct layout *layout = memory_new(1, sizeof(*layout));

	layout->width = chart->compact ? COMPACT_WIDTH : LAYOUT_WIDTH;
	layout->height = chart->compact ? COMPACT_HEIGHT : LAYOUT_HEIGHT;

	kinds[chart->kind](&(struct page){ chart, metrics, layout });
	return layout;
}

void layout_free(struct layout *layout)
{
	if (!layout)
		return;
	free(layout->text);
	free(layout->rule);
	free(layout->area);
	free(layout);
}
