#include "lesson/report_page.h"

#include <string.h>

#include "base/file.h"

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";

/* Colours have a contrast of at least 4.5 on the page. Verdicts also have a word. On a narrow
 * screen a picture keeps a legible size, and its box scrolls. */
static const char style[] =
	"</title>\n<style>\n"
	"@page { size: A4; margin: 16mm 18mm }\n"
	":root { color-scheme: light }\n"
	"* { box-sizing: border-box }\n"
	"body { margin: 0 auto; max-width: 48rem; padding: 2.5rem 1.5rem 4rem; background: #fff;\n"
	"  color: #1a1a1f; font: 1rem/1.55 system-ui, \"Liberation Sans\", Arial, sans-serif }\n"
	"h1 { margin: 0 0 1.25rem; font-size: 1.9rem; line-height: 1.2 }\n"
	"h2 { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center;\n"
	"  justify-content: space-between; margin: 0 0 .75rem; font-size: 1.25rem; line-height: "
	"1.3 }\n"
	"section { margin-top: 2rem; border-top: 2px solid #d8dbe0; padding-top: 1.25rem }\n"
	"p { margin: 0 0 .75rem; white-space: pre-line; overflow-wrap: anywhere }\n"
	".ask { font-weight: 600 }\n"
	".mark { border: 1px solid; border-radius: 1rem; padding: .05rem .7rem; font-size: "
	".85rem;\n"
	"  color: #5c5f66 }\n"
	".right { color: #1b6e3c }\n"
	".wrong { color: #a8320a }\n"
	"dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr;\n"
	"  gap: .2rem 1.25rem; margin: 0 0 .75rem }\n"
	"dt { color: #5c5f66 }\n"
	"dd { margin: 0; overflow-wrap: anywhere }\n"
	"figure { margin: 1rem 0 0; overflow-x: auto; border: 1px solid #e4e6ea; "
	"border-radius: .4rem }\n"
	"img { display: block; width: 100%; min-width: 36rem; height: auto }\n"
	"@media print {\n"
	"  body { max-width: none; padding: 0; font-size: 10.5pt }\n"
	"  section { break-inside: avoid; margin-top: 1.2rem; padding-top: .8rem }\n"
	"  h2 { break-after: avoid }\n"
	"  figure { border: 0 }\n"
	"  img { width: 88%; min-width: 0; margin: auto }\n"
	"}\n</style>\n</head>\n<body>\n<h1>";

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcmp(path + length - tail, ending) == 0;
}

struct status report_page_check(const char *path)
{
	if (!ends_in(path, ".html") && !ends_in(path, ".md"))
		return status_usage("report %.200s: the name must end in .html or .md", path);
	return file_check(path);
}

/* Adds words in the page's format. In Markdown, characters with a meaning get a backslash. */
static void add_words(struct report_page *page, const char *words)
{
	if (page->html) {
		text_add_xml(&page->text, words);
		return;
	}
	for (; *words; words++) {
		if (strchr("\\`*_<>[]", *words))
			text_add(&page->text, "\\");
		text_addn(&page->text, words, 1);
	}
}

static void end_facts(struct report_page *page)
{
	if (page->facts)
		text_add(&page->text, page->html ? "</dl>\n" : "\n");
	page->facts = false;
}

void report_page_begin(struct report_page *page, const char *path, const char *title)
{
	*page = (struct report_page){ .html = ends_in(path, ".html") };
	text_add(&page->text, page->html ? head : "# ");
	add_words(page, title);
	if (page->html) {
		text_add(&page->text, style);
		add_words(page, title);
	}
	text_add(&page->text, page->html ? "</h1>\n" : "\n\n");
}

void report_page_section(struct report_page *page, const char *heading, const char *mark)
{
	end_facts(page);
	text_add(&page->text, page->html ? "<section>\n<h2>" : "## ");
	add_words(page, heading);
	if (*mark) {
		text_addf(&page->text, page->html ? " <span class=\"mark %s\">" : " (",
			strcmp(mark, "right") == 0   ? "right"
			: strcmp(mark, "wrong") == 0 ? "wrong"
						     : "");
		add_words(page, mark);
		text_add(&page->text, page->html ? "</span>" : ")");
	}
	text_add(&page->text, page->html ? "</h2>\n" : "\n\n");
}

void report_page_end_section(struct report_page *page)
{
	end_facts(page);
	if (page->html)
		text_add(&page->text, "</section>\n");
}

void report_page_fact(struct report_page *page, const char *name, const char *words)
{
	if (!words || !*words)
		return;
	if (!page->facts && page->html)
		text_add(&page->text, "<dl>\n");
	page->facts = true;
	text_add(&page->text, page->html ? "<dt>" : "* **");
	add_words(page, name);
	text_add(&page->text, page->html ? "</dt><dd>" : ":** ");
	add_words(page, words);
	text_add(&page->text, page->html ? "</dd>\n" : "\n");
}

void report_page_paragraph(struct report_page *page, bool asks, const char *words)
{
	end_facts(page);
	if (!words || !*words)
		return;
	text_add(&page->text, !page->html ? asks ? "**" : "" : asks ? "<p class=\"ask\">" : "<p>");
	add_words(page, words);
	text_add(&page->text, !page->html ? asks ? "**\n\n" : "\n\n" : "</p>\n");
}

void report_page_picture(struct report_page *page, const char *words, const char *svg)
{
	end_facts(page);
	if (!page->html || !svg)
		return;
	text_add(&page->text, "<figure><img alt=\"");
	text_add_xml(&page->text, words);
	text_add(&page->text, "\" src=\"data:image/svg+xml;base64,");
	text_add_base64(&page->text, svg);
	text_add(&page->text, "\"></figure>\n");
}

struct status report_page_save(struct report_page *page, const char *path)
{
	struct status status;

	end_facts(page);
	if (page->html)
		text_add(&page->text, "</body>\n</html>\n");
	status = file_save(path, &page->text, false);
	text_free(&page->text);
	return status;
}
