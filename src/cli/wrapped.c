#include "cli/wrapped.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 80 };

void put_wrapped(FILE *out, const char *first, int indent, const char *words)
{
	int column = fprintf(out, "%s", first);
	bool begun = false;

	while (*words) {
		int length = (int)strcspn(words, " ");

		if (begun && column + 1 + length > WIDTH) {
			column = fprintf(out, "\n%*s", indent, "") - 1;
			begun = false;
		}
		column += fprintf(out, "%s%.*s", begun ? " " : "", length, words);
		begun = true;
		words += length;
		words += strspn(words, " ");
	}
	fputc('\n', out);
}
