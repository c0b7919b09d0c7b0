/* The parts of the text format, each in the file of the subcommand or idea that it shows. */
#pragma once

#include "cli/format.h"

/* explain_text.c: an explanation; and of one sample its limits, its expected misses, and its
 * counters. `indent`: where the text after "misses" begins. */
void explain_text(struct report *report, const struct setting *setting,
	const struct explanation *explanation);
void explain_text_sample(struct report *report, const struct sample *sample);
void misses_text(const struct report *report, const struct setting *setting, int indent);
void counts_text_sample(const struct report *report, const struct sample *sample);

/* events.c */
void event_text_begin(struct report *report);
void event_text(struct report *report, const struct event_line *event);
void event_text_end(struct report *report);

/* windows.c: with report->points, every point of the curves too. */
void windows_text(struct report *report, const struct windows_report *windows);

/* characterise.c */
void characterise_text(struct report *report, const struct characterised *characterised);

/* probe_text.c, and in probe_curve_text.c latency over working-set size in 80 columns, or every
 * measured point on a line of its own. */
void probe_text(struct report *report, const struct probe_report *probe);
void probe_text_plot(FILE *out, const struct probe_report *probe);
void probe_text_points(FILE *out, const struct probe_report *probe);
