#include "base/document.h"

#include <string.h>

#include "base/file.h"

/* Style of every HTML page. The colours have names, which the rules for dark screens replace. */
static const char style[] =
	":root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--text:#1a1a1f;--dim:#5c5f66;"
	"--line:#e4e6ea;--accent:#0072b2;--ok:#17713f;--note:#8a5a00;--bad:#b3261e}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--page:#0d0f12;--card:#15181d;"
	"--text:#f2f3f5;--dim:#a9afba;--line:#2b3038;--accent:#56b4e9;--ok:#42e58f;--note:#e69f00;"
	"--bad:#ff8a80}}\n"
	"*{box-sizing:border-box}\n"
	"body{font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
	"color:var(--text);background:var(--page);max-width:1160px;margin:0 auto;"
	"padding:28px 20px 48px}\n"
	"h1{font-size:30px;line-height:1.2;margin:0 0 "
	"6px;letter-spacing:-.01em;text-wrap:balance}\n"
	"h2{font-size:20px;margin:0 0 10px}\n"
	"h3{font-size:16px;margin:22px 0 6px}\n"
	"p{margin:6px 0;max-width:80ch;white-space:pre-line}\n"
	"p b{font-weight:600}\n"
	".ask{font-weight:600}\n"
	".mark{border:1px solid;border-radius:16px;padding:1px 11px;font-size:13.5px;"
	"font-weight:400;color:var(--dim)}\n.mark.right{color:var(--ok)}.mark.wrong{color:var(--"
	"bad)}\n"
	"h2 .mark{float:right}\n"
	"dl{clear:right;display:grid;grid-template-columns:minmax(100px,max-content) 1fr;gap:3px "
	"20px;margin:6px "
	"0 10px}\ndt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}\n"
	"ul{margin:10px 0;padding-left:20px;max-width:84ch}\nli{margin:3px 0}\n"
	"section{background:var(--card);border:1px solid var(--line);border-radius:12px;"
	"padding:20px 22px;margin:18px 0}\n"
	".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:12px;"
	"margin:20px 0}\n"
	".cards div{background:var(--card);border:1px solid var(--line);border-radius:12px;"
	"padding:12px 14px}\n"
	".cards b{display:block;font-size:24px;line-height:1.3;font-weight:600;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}\n"
	".cards span{display:block;font-size:13px;color:var(--dim)}\n"
	/* A shadow at an edge shows that the table continues there; at the table's own edge, a
	 * cover that scrolls with the table hides the shadow. */
	".scroll{overflow-x:auto;margin:10px 0;background:"
	"linear-gradient(90deg,var(--card) 40%,transparent) local 0/30px 100% no-repeat,"
	"linear-gradient(270deg,var(--card) 40%,transparent) local 100%/30px 100% no-repeat,"
	"linear-gradient(90deg,var(--line),transparent) 0/16px 100% no-repeat,"
	"linear-gradient(270deg,var(--line),transparent) 100%/16px 100% no-repeat}\n"
	"table{border-collapse:collapse;font-size:14.5px;font-variant-numeric:tabular-nums}\n"
	"th{font-weight:600;color:var(--dim);font-size:13px;text-align:left;vertical-align:bottom}"
	"\n"
	"th,td{padding:5px 18px 5px 0;border-bottom:1px solid var(--line)}\n"
	"td{vertical-align:top}\ntd:first-child{font-weight:600}\n"
	".r{text-align:right;white-space:nowrap}\n"
	".ok{color:var(--ok)}.note{color:var(--note)}.bad{color:var(--bad)}\n"
	"figure{margin:14px 0;min-width:0;max-width:640px}\n.pair figure{max-width:none}\n"
	"figure svg,figure img{display:block;width:100%;height:auto;border-radius:6px}\n"
	/* On a narrow screen, a picture of class wide keeps a legible size and scrolls. */
	".wide{overflow-x:auto}.wide img{min-width:576px}\n"
	"figcaption{font-size:13.5px;color:var(--dim);margin-bottom:4px}\n"
	"figcaption b{color:var(--text);font-size:15px;font-weight:600;display:block}\n"
	".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(440px,100%),1fr));"
	"gap:6px 28px}\n"
	"pre{font:13.5px/1.6 ui-monospace,\"DejaVu Sans Mono\",monospace;overflow-x:auto;"
	"background:var(--page);border-radius:8px;padding:12px 14px;margin:10px 0}\n"
	"svg text{font-family:\"DejaVu Sans\",Verdana,sans-serif}\n"
	"svg path,svg circle{stroke-linejoin:round}\n.n{fill:none}\n"
	"@media (max-width:560px){body{padding:16px 10px 32px}h1{font-size:24px}"
	"section{padding:14px 12px}.cards{grid-template-columns:1fr 1fr;gap:8px}"
	"th,td{padding-right:12px}pre{white-space:pre-wrap;overflow-wrap:anywhere}"
	/* Words in the last column would be one word wide; the table scrolls instead. */
	"td:last-child:not(.r){min-width:200px}}\n"
	"@page{size:A4;margin:14mm}\n"
	"@media print{body{background:#fff;padding:0;font-size:10pt;max-width:none}"
	"section{border:0;border-top:1px solid #bbb;border-radius:0;padding:10px 0;margin:8px 0}"
	".cards{grid-template-columns:repeat(4,1fr);gap:6px}.cards b{font-size:15pt}"
	".wide img{min-width:0}section>figure{max-width:120mm}.whole{break-inside:avoid}"
	"figure,tr,.cards div,li{break-inside:avoid}h2,h3{break-after:avoid}"
	".pair{grid-template-columns:1fr 1fr;gap:4px "
	"14px}table{font-size:9pt}.scroll{overflow:visible;background:none}"
	"pre{white-space:pre-wrap}}\n";

static bool ends_in(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcmp(path + length - tail, ending) == 0;
}

bool document_is_html(const char *path)
{
	return ends_in(path, ".html");
}

struct status document_check(const char *path)
{
	if (!ends_in(path, ".html") && !ends_in(path, ".md"))
		return status_usage("report %.200s: the name must end in .html or .md", path);
	return file_check(path);
}

/* Adds words to the body. In Markdown, characters with a meaning get a backslash. In a cell of a
 * table, a line feed becomes a blank. */
static void add_words(struct document *document, const char *words, bool cell)
{
	struct text clean = { 0 };

	if (document->html) {
		text_add_xml(&document->body, words);
		return;
	}
	text_add_clean_lines(&clean, words);
	for (const char *at = text_string(&clean); *at; at++) {
		if (strchr("\\`*_<>[]", *at) || (cell && *at == '|'))
			text_add(&document->body, "\\");
		text_addn(&document->body, cell && *at == '\n' ? " " : at, 1);
	}
	text_free(&clean);
}

/* Ends the open list of facts. */
static void end_facts(struct document *document)
{
	if (document->facts)
		text_add(&document->body, document->html ? "</dl>\n" : "\n");
	document->facts = false;
}

/* Adds an element with words, in HTML only. */
static void add_element(struct document *document, const char *tag, const char *words)
{
	text_addf(&document->body, "<%s>", tag);
	text_add_xml(&document->body, words);
	text_addf(&document->body, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void document_heading(struct document *document, int level, const char *words)
{
	end_facts(document);
	if (!words || !*words)
		return;
	if (document->html)
		text_addf(&document->body, "<h%d>", level);
	else
		text_addf(&document->body, "%.*s ", level, "###");
	add_words(document, words, false);
	text_add(&document->body, document->html ? words_of("</h%d>\n", level).text : "\n\n");
}

void document_paragraph(struct document *document, const char *words)
{
	end_facts(document);
	if (!words || !*words)
		return;
	text_add(&document->body, document->html ? "<p>" : "");
	add_words(document, words, false);
	text_add(&document->body, document->html ? "</p>\n" : "\n\n");
}

void document_question(struct document *document, const char *words)
{
	end_facts(document);
	if (!words || !*words)
		return;
	text_add(&document->body, document->html ? "<p class=\"ask\">" : "**");
	add_words(document, words, false);
	text_add(&document->body, document->html ? "</p>\n" : "**\n\n");
}

void document_fact(struct document *document, const char *name, const char *words)
{
	if (!words || !*words)
		return;
	if (!document->facts && document->html)
		text_add(&document->body, "<dl>\n");
	document->facts = true;
	text_add(&document->body, document->html ? "<dt>" : "* **");
	add_words(document, name, false);
	text_add(&document->body, document->html ? "</dt><dd>" : ":** ");
	add_words(document, words, false);
	text_add(&document->body, document->html ? "</dd>\n" : "\n");
}

void document_remark(struct document *document, const char *words)
{
	end_facts(document);
	text_add(&document->body, document->html ? "<ul><li>" : "* ");
	add_words(document, words, false);
	text_add(&document->body, document->html ? "</li></ul>\n" : "\n");
}

void document_commands(struct document *document, const char *lines)
{
	end_facts(document);
	text_add(&document->body, document->html ? "<pre>" : "```\n");
	if (document->html)
		text_add_xml(&document->body, lines);
	else
		text_add_clean_lines(&document->body, lines);
	if (!document->html && *lines && lines[strlen(lines) - 1] != '\n')
		text_add(&document->body, "\n");
	text_add(&document->body, document->html ? "</pre>\n" : "```\n\n");
}

void document_section(struct document *document, const char *id, const char *title)
{
	end_facts(document);
	if (document->html)
		text_addf(&document->body, "<section id=\"%s\">\n", id);
	document_heading(document, 2, title);
}

void document_section_marked(struct document *document, const char *title, const char *mark)
{
	bool verdict = strcmp(mark, "right") == 0 || strcmp(mark, "wrong") == 0;

	end_facts(document);
	text_add(&document->body, document->html ? "<section class=\"whole\">\n<h2>" : "## ");
	add_words(document, title, false);
	if (*mark && document->html)
		text_addf(&document->body, " <span class=\"mark%s%s\">", verdict ? " " : "",
			verdict ? mark : "");
	else if (*mark)
		text_add(&document->body, " (");
	add_words(document, mark, false);
	if (*mark)
		text_add(&document->body, document->html ? "</span>" : ")");
	text_add(&document->body, document->html ? "</h2>\n" : "\n\n");
}

void document_section_end(struct document *document)
{
	end_facts(document);
	text_add(&document->body, document->html ? "</section>\n" : "\n");
}

/* ---- Key numbers */

void document_cards(struct document *document)
{
	end_facts(document);
	if (document->html)
		text_add(&document->body, "<div class=\"cards\">\n");
}

void document_card(
	struct document *document, const char *label, const char *value, const char *detail)
{
	if (!document->html) {
		text_addf(&document->body, "* **%s:** ", label);
		text_add_clean_lines(&document->body, value);
		text_add(&document->body, *detail ? ", " : "");
		text_add_clean_lines(&document->body, detail);
		text_add(&document->body, "\n");
		return;
	}
	text_add(&document->body, "<div>");
	add_element(document, "span", label);
	add_element(document, "b", value);
	add_element(document, "span", detail);
	text_add(&document->body, "</div>\n");
}

void document_cards_end(struct document *document)
{
	text_add(&document->body, document->html ? "</div>\n" : "\n");
}

/* ---- Tables */

void document_table(struct document *document, const char *const *columns)
{
	struct text *body = &document->body;

	end_facts(document);
	document->right = 0;
	text_add(body, document->html ? "<div class=\"scroll\"><table>\n<thead><tr>" : "|");
	for (int i = 0; columns[i]; i++) {
		bool right = columns[i][0] == '>';

		document->right |= (unsigned)right << i;
		text_add(body, !document->html ? " " : right ? "<th class=\"r\">" : "<th>");
		add_words(document, columns[i] + right, true);
		text_add(body, document->html ? "</th>" : " |");
	}
	if (document->html) {
		text_add(body, "</tr></thead>\n<tbody>\n");
		return;
	}
	text_add(body, "\n|");
	for (int i = 0; columns[i]; i++)
		text_add(body, columns[i][0] == '>' ? " ---: |" : " --- |");
	text_add(body, "\n");
}

void document_row(struct document *document, const char *const *cells, const char *look)
{
	struct text *body = &document->body;

	text_add(body, document->html ? "<tr>" : "|");
	for (int i = 0; cells[i]; i++) {
		if (!document->html)
			text_add(body, " ");
		else if (i == 0 && look)
			text_addf(body, "<td class=\"%s\">", look);
		else
			text_add(body, document->right >> i & 1 ? "<td class=\"r\">" : "<td>");
		add_words(document, cells[i], true);
		text_add(body, document->html ? "</td>" : " |");
	}
	text_add(body, document->html ? "</tr>\n" : "\n");
}

void document_table_end(struct document *document)
{
	text_add(&document->body, document->html ? "</tbody></table></div>\n" : "\n");
}

/* ---- Pictures */

void document_pictures(struct document *document)
{
	end_facts(document);
	if (document->html)
		text_add(&document->body, "<div class=\"pair\">\n");
}

void document_pictures_end(struct document *document)
{
	if (document->html)
		text_add(&document->body, "</div>\n");
}

void document_picture(struct document *document, const char *element, const char *caption)
{
	size_t title = strcspn(caption, "\n");

	end_facts(document);
	if (!document->html)
		return;
	text_add(&document->body, "<figure>");
	if (*caption) {
		text_add(&document->body, "<figcaption><b>");
		text_add_xml(&document->body, words_of("%.*s", (int)title, caption).text);
		text_add(&document->body, "</b>");
		text_add_xml(&document->body, caption + title + (caption[title] == '\n'));
		text_add(&document->body, "</figcaption>\n");
	}
	text_add(&document->body, element);
	text_add(&document->body, "</figure>\n");
}

void document_image(struct document *document, const char *words, const char *svg)
{
	end_facts(document);
	if (!document->html || !svg)
		return;
	text_add(&document->body, "<figure class=\"wide\"><img alt=\"");
	text_add_xml(&document->body, words);
	text_add(&document->body, "\" src=\"data:image/svg+xml;base64,");
	text_add_base64(&document->body, svg);
	text_add(&document->body, "\"></figure>\n");
}

/* ---- The file */

struct status document_save(struct document *document, const char *title, const char *path)
{
	struct text page = { 0 };
	struct status status;

	end_facts(document);
	if (!document->html)
		return file_save(path, &document->body, false);
	text_add(&page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
			"<title>");
	text_add_xml(&page, title);
	text_add(&page, "</title>\n<style>\n");
	text_add(&page, style);
	text_add(&page, text_string(&document->light));
	if (document->dark.length)
		text_addf(&page, "@media screen and (prefers-color-scheme:dark){\n%s}\n",
			text_string(&document->dark));
	text_add(&page, "</style>\n</head>\n<body>\n");
	text_add(&page, text_string(&document->body));
	text_add(&page, "</body>\n</html>\n");
	status = file_save(path, &page, false);
	text_free(&page);
	return status;
}

void document_free(struct document *document)
{
	text_free(&document->body);
	text_free(&document->light);
	text_free(&document->dark);
}
