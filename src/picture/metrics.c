#include "picture/metrics.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* Advance widths of DejaVu Sans 2.37 from blank to tilde, in thousandths of the size. Each
 * character that is not in the table of widths counts as a wide character. Bold text counts as a
 * tenth wider than normal text, which is enough for most text. */
static const short widths[] = { 318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318,
	361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838,
	531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603,
	787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635,
	550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392,
	634, 592, 818, 592, 592, 525, 636, 337, 636, 838 };
static const double OTHER = 0.84, BOLD = 1.12;

static double plain_width(void *context, const char *text, double size, bool bold)
{
	double width = 0;

	(void)context;
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c >= ' ' && *c <= '~')
			width += widths[*c - ' '] / 1000.0;
		else if ((*c & 0xc0) != 0x80)
			width += OTHER;
	}
	return width * size * (bold ? BOLD : 1);
}

const struct metrics metrics_plain = { .width = plain_width };

double metrics_width(const struct metrics *metrics, const char *text, double size, bool bold)
{
	return *text ? metrics->width(metrics->context, text, size, bold) : 0;
}

double metrics_fit(const struct metrics *metrics, char *text, size_t size, double most,
	double least, bool bold, double room)
{
	static const char more[] = "…";
	size_t length = strlen(text);

	for (double at = most; at >= least; at -= 0.5)
		if (metrics_width(metrics, text, at, bold) <= room)
			return at;
	while (length > 0 && metrics_width(metrics, text, least, bold) > room) {
		length = length + sizeof(more) > size ? size - sizeof(more) : length - 1;
		/* Do not cut within a UTF-8 character, and remove blanks before the ellipsis. */
		while (length > 0 &&
			(((unsigned char)text[length] & 0xc0) == 0x80 || text[length - 1] == ' '))
			length--;
		snprintf(text + length, size - length, "%s", more);
	}
	return least;
}
