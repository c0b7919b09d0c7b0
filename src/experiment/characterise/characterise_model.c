/* The core model that follows. */
#include "experiment/characterise/characterise.h"

struct status characterise_model(
	const struct characterise_report *report, struct text *text, struct uarch **uarch)
{
	measured_write(&report->measured, &report->ports, report->name, text);
	return uarch ? uarch_parse(text_string(text), report->name, uarch) : status_ok();
}
