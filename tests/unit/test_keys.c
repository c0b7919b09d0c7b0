/* data/keys: what is in it, and what is refused. */
#include "check.h"
#include "table.h"

#include "base/data.h"
#include "ui/keys.h"

static struct keys keys;

static struct status parse(const char *text)
{
	return keys_parse(&keys, text, "keys", command_rows());
}

TEST(the_keys_that_come_along_are_good)
{
	char origin[256], *text;

	check_ok(data_load("keys", &text, origin));
	check_ok(keys_parse(&keys, text, origin, command_rows()));
	free(text);
	assert_string_equal(keys_find(&keys, CONTEXT_MAIN, 'q')->command, "quit");
	/* Each function key has a twin that every keyboard has. */
	for (int i = 0; i < keys.count; i++) {
		const struct key_row *row = &keys.row[i];
		bool twin = false;

		if (row->code < KEYCODE_F1 || row->code > KEYCODE_F12 ||
			row->context != CONTEXT_MAIN)
			continue;
		for (int j = 0; j < keys.count; j++)
			twin |= keys.row[j].context == row->context &&
				keys.row[j].code < KEYCODE_ENTER &&
				strcmp(keys.row[j].command, row->command) == 0;
		if (!twin)
			fail_msg("%s (%s) has no twin", row->key, row->command);
	}
	/* Every overlay can be left. */
	for (int context = CONTEXT_ENTRY; context < CONTEXT_COUNT; context++)
		assert_non_null(keys_find(&keys, (enum context)context, KEYCODE_ESC));
}

TEST(rows_have_key_command_word_and_note)
{
	check_ok(parse("# comment\n\n[main]\n  C-l   redraw  # word | a note\nF12 pin swap # "
		       "another\n[ kernel previous # x"));
	assert_int_equal(keys.count, 3);
	assert_int_equal(keys.row[0].code, KEYCODE_CONTROL_A + 'l' - 'a');
	assert_string_equal(keys.row[0].word, "word");
	assert_string_equal(keys.row[0].note, "a note");
	assert_int_equal(keys.row[1].code, KEYCODE_F12);
	assert_string_equal(keys.row[1].command, "pin swap");
	assert_string_equal(keys.row[1].word, "");
	assert_int_equal(keys.row[2].code, '[');
}

/* The text is refused at that line, in a message that names each of the words. */
static void check_refused(const char *text, int line, const char *word, const char *allowed)
{
	struct status status = parse(text);
	char place[16];

	assert_int_equal(status.code, STATUS_USAGE);
	snprintf(place, sizeof(place), "keys:%d: ", line);
	check_parts(status.text, place, word, allowed);
}

TEST(wrong_lines_are_named)
{
	struct table table;

	table_open(&table, "keys", "refused");
	while (table_next(&table, 4))
		check_refused(table_unescape(table.field[3]), atoi(table.field[0]), table.field[1],
			table.field[2]);
}

TEST(long_lines_and_many_keys_are_refused)
{
	static const char *const contexts[CONTEXT_COUNT] = { "main", "entry", "find", "help",
		"text" };
	char line[400], *many = calloc(1, 20000);

	snprintf(line, sizeof(line), "[main]\nq quit # %0300d\n", 0);
	check_refused(line, 2, "the note", "300");
	snprintf(line, sizeof(line), "[main]\nq pin%0150d # x\n", 0);
	check_refused(line, 2, "the command", "153");
	for (int context = 0; context < CONTEXT_COUNT; context++) {
		sprintf(many + strlen(many), "[%s]\n", contexts[context]);
		for (int c = '$'; c < 'Z'; c++)
			sprintf(many + strlen(many), "%c quit # end\n", c);
	}
	check_contains(parse(many).text, "more than 160 keys");
	many[0] = '\0';
	for (int i = 0; i < KEYS_MAX; i++) {
		if (i % 80 == 0)
			sprintf(many + strlen(many), "[%s]\n", contexts[i / 80]);
		sprintf(many + strlen(many), "%c quit # end\n", '$' + i % 80);
	}
	check_ok(parse(many));
	assert_int_equal(keys.count, KEYS_MAX);
	free(many);
	/* The longest note and word that a row holds. */
	snprintf(line, sizeof(line), "[main]\nq quit # %039d | %095d\n", 0, 0);
	check_ok(parse(line));
	snprintf(line, sizeof(line), "[main]\nq quit # %039d | %096d\n", 0, 0);
	check_refused(line, 2, "the note", "95");
	snprintf(line, sizeof(line), "[main]\nq quit # %040d | note\n", 0);
	check_refused(line, 2, "the word", "39");
}

TEST(saved_settings_give_keys_other_commands)
{
	struct status status;

	check_ok(parse("[main]\nq quit # end | quit\n[entry]\nx close # c\n"));
	check_ok(keys_override(&keys, "\n\nq pin\nF5 set acc=1", "settings", command_rows()));
	assert_int_equal(keys.count, 3);
	assert_string_equal(keys_find(&keys, CONTEXT_MAIN, 'q')->command, "pin");
	assert_string_equal(keys_find(&keys, CONTEXT_MAIN, 'q')->word, "");
	assert_string_equal(keys_find(&keys, CONTEXT_MAIN, KEYCODE_F1 + 4)->command, "set acc=1");
	/* Wrong lines are named by the line of the file, and the others count. */
	status = keys_override(&keys, "\nF13 pin\nx pni\ny\nz again", "settings", command_rows());
	check_parts(status.text, "settings:2: ", "unknown key \"F13\"", "");
	assert_null(keys_find(&keys, CONTEXT_MAIN, 'x'));
	assert_string_equal(keys_find(&keys, CONTEXT_MAIN, 'z')->command, "again");
	status = keys_override(&keys, "x pni", "settings", command_rows());
	check_parts(status.text, "settings:1: ", "unknown command \"pni\"", "pin");
	assert_int_equal(keys_override(&keys, "y", "settings", command_rows()).code, STATUS_FAILED);
}

TEST(names_have_codes)
{
	static const struct {
		const char *name;
		int code;
	} keys_named[] = { { "a", 'a' }, { "?", '?' }, { "!", '!' }, { "~", '~' }, { "Space", ' ' },
		{ "Enter", KEYCODE_ENTER }, { "Esc", KEYCODE_ESC }, { "BackTab", KEYCODE_BACKTAB },
		{ "PageDown", KEYCODE_PAGEDOWN }, { "Up", KEYCODE_UP }, { "F1", KEYCODE_F1 },
		{ "F12", KEYCODE_F12 }, { "C-a", KEYCODE_CONTROL_A }, { "C-z", KEYCODE_CONTROL_Z },
		{ "Char", KEYCODE_CHAR } };
	static const char *const unknown[] = { "F0", "F13", "F1x", "C-A", "C-`", "C-{", "C-ab",
		"Ca", "Xx", "D-a", "", " ", "\x7f", "ab", "\xe9" };

	for (size_t i = 0; i < sizeof(keys_named) / sizeof(keys_named[0]); i++)
		assert_int_equal(keys_code(keys_named[i].name), keys_named[i].code);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(keys_code(unknown[i]), KEYCODE_NONE);
}

TEST(the_screen_decides_the_context)
{
	static struct screen screen;
	static const enum context contexts[] = { [OVERLAY_HELP] = CONTEXT_HELP,
		[OVERLAY_FIND] = CONTEXT_FIND,
		[OVERLAY_TEXT] = CONTEXT_TEXT,
		[OVERLAY_NONE] = CONTEXT_MAIN };

	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		screen.overlay = (enum overlay)i;
		screen.entry[0] = '\0';
		assert_int_equal(keys_context(&screen), contexts[i]);
		screen.entry[0] = '7';
		assert_int_equal(keys_context(&screen),
			contexts[i] == CONTEXT_MAIN ? CONTEXT_ENTRY : contexts[i]);
	}
}

TEST(look_up_goes_from_the_key_to_its_class)
{
	check_ok(parse("[main]\nq quit # e\nDigit digit {char} # d\n[entry]\nk digit k # k\n"
		       "[find]\nChar find {find}{char} # c\nq close # c\n"));
	assert_string_equal(keys_find(&keys, CONTEXT_MAIN, '7')->key, "Digit");
	assert_string_equal(keys_find(&keys, CONTEXT_ENTRY, 'k')->command, "digit k");
	/* What a context does not name does nothing there. */
	assert_null(keys_find(&keys, CONTEXT_ENTRY, 'q'));
	assert_string_equal(keys_find(&keys, CONTEXT_FIND, 'q')->command, "close");
	assert_string_equal(keys_find(&keys, CONTEXT_FIND, '7')->key, "Char");
	for (const char *digit = "09"; *digit; digit++)
		assert_string_equal(keys_find(&keys, CONTEXT_MAIN, *digit)->key, "Digit");
	assert_null(keys_find(&keys, CONTEXT_MAIN, '/'));
	assert_null(keys_find(&keys, CONTEXT_MAIN, ':'));
	assert_null(keys_find(&keys, CONTEXT_MAIN, KEYCODE_F1));
	assert_string_equal(keys_find(&keys, CONTEXT_FIND, ' ')->key, "Char");
	assert_string_equal(keys_find(&keys, CONTEXT_FIND, KEYCODE_ENTER - 1)->key, "Char");
	assert_null(keys_find(&keys, CONTEXT_FIND, ' ' - 1));
	assert_null(keys_find(&keys, CONTEXT_FIND, KEYCODE_ENTER));
	assert_null(keys_find(&keys, CONTEXT_FIND, KEYCODE_F1));
	assert_null(keys_find(&keys, CONTEXT_HELP, 'q'));
}

TEST(while_a_value_is_typed_every_character_goes_into_it)
{
	char origin[256], *text;

	check_ok(data_load("keys", &text, origin));
	check_ok(keys_parse(&keys, text, origin, command_rows()));
	free(text);
	for (int c = ' '; c < 0x7f; c++) {
		char command[40], wanted[] = "digit ?";

		wanted[6] = (char)c;
		keys_expand(keys_find(&keys, CONTEXT_ENTRY, c), c, "", command, sizeof(command));
		assert_string_equal(command, wanted);
		/* So it is with what is looked for. */
		keys_expand(keys_find(&keys, CONTEXT_FIND, c), c, "find", command, sizeof(command));
		assert_int_equal(command[9], c);
	}
	assert_null(keys_find(&keys, CONTEXT_ENTRY, KEYCODE_F1 + 1));
	assert_null(keys_find(&keys, CONTEXT_ENTRY, KEYCODE_PAGEUP));
}

TEST(commands_are_filled_in)
{
	char command[40];

	check_ok(parse("[find]\nChar find {find}{char} # c\nBackspace find {find-1} # e\n"));
	keys_expand(&keys.row[0], 'x', "ab", command, sizeof(command));
	assert_string_equal(command, "find abx");
	keys_expand(&keys.row[1], KEYCODE_BACKSPACE, "ab", command, sizeof(command));
	assert_string_equal(command, "find a");
	keys_expand(&keys.row[1], KEYCODE_BACKSPACE, "", command, sizeof(command));
	assert_string_equal(command, "find ");
	keys_expand(&keys.row[0], 0xe4, "a", command, sizeof(command));
	assert_string_equal(command, "find a?");
	keys_expand(&keys.row[0], 0x7f, "", command, sizeof(command));
	assert_string_equal(command, "find ?");
	/* Only whole parts that fit are added. */
	keys_expand(&keys.row[0], 'x', "abc", command, 10);
	assert_string_equal(command, "find abcx");
	keys_expand(&keys.row[0], 'x', "abc", command, 9);
	assert_string_equal(command, "find abc");
	keys_expand(&keys.row[0], 'x', "abc", command, 8);
	assert_string_equal(command, "find x");
}

/* ---- control sequences ---- */

/* What is left of text that comes after an Esc, as keys. */
static const wchar_t *keys_of(const wchar_t *text)
{
	wint_t after[SEQUENCE_LOOK], before = 0;
	size_t count = 0;
	enum sequence sequence;

	while (count < SEQUENCE_LOOK && text[count]) {
		after[count] = (wint_t)text[count];
		count++;
	}
	sequence = sequence_after_escape(after, count);
	if (sequence == SEQUENCE_NONE)
		return text;
	if (sequence == SEQUENCE_ALT)
		return text + 1;
	if (sequence == SEQUENCE_SHORT)
		return text + 2;
	for (text++; *text; before = (wint_t)*text++)
		if (sequence_ends(sequence, before, (wint_t)*text))
			return text + 1;
	return text;
}

TEST(an_esc_ends_a_string_whose_end_was_lost)
{
	assert_true(sequence_is_cut(SEQUENCE_STRING, 27, 'q'));
	assert_true(sequence_is_cut(SEQUENCE_STRING, 27, 27));
	assert_false(sequence_is_cut(SEQUENCE_STRING, 27, '\\'));
	assert_false(sequence_is_cut(SEQUENCE_STRING, 'q', 'q'));
	assert_false(sequence_is_cut(SEQUENCE_CONTROL, 27, 'q'));
}

TEST(what_a_terminal_tells_of_itself_is_passed_over)
{
	static const wchar_t *const more[] = { L"P!|x\033\\q", L"P0$r\033\\q", L"P9$r\033\\q",
		L"]0\aq", L"]9\aq", L"]1a\\b\aq", L"]1a\033b\aq",
		L"[1 q"
		L"q",
		L"[1?Aq", L"[@q", L"[1[q", L"[\x1fq", L"OAq", L"OZq", L"Oaq", L"Ozq" };

	assert_true(wcscmp(keys_of(L"[41;10Rq"), L"q") == 0);		 /* where the cursor is */
	assert_true(wcscmp(keys_of(L"[?62;22cq"), L"q") == 0);		 /* what it can do */
	assert_true(wcscmp(keys_of(L"[?12;2$yq"), L"q") == 0);		 /* a mode */
	assert_true(wcscmp(keys_of(L"]11;rgb:00/00/00\aq"), L"q") == 0); /* a colour */
	assert_true(wcscmp(keys_of(L"]11;rgb:00/00/00\033\\q"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"P>|name 1.0\033\\q"), L"q") == 0); /* its name */
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		assert_true(wcscmp(keys_of(more[i]), L"q") == 0);
}

TEST(keys_that_are_not_known_are_passed_over)
{
	assert_true(wcscmp(keys_of(L"[1;5Pq"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"[15;5~q"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"[[Aq"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"Oxq"), L"q") == 0);
}

/* Esc, and at once a character: Alt and that key, which types nothing. */
TEST(keys_with_alt_are_one_key)
{
	static const wchar_t *const texts[] = { L"q", L"P", L"Pq", L"O", L"O ", L"]", L"]q", L"1",
		L"12", L"O@", L"O[", L"O`", L"O{", L"]/", L"]:", L"P/", L"P:", L"P?", L"\u00e9" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_ptr_equal(keys_of(texts[i]), texts[i] + 1);
}

/* Esc alone, twice, or before a key that has no character. */
TEST(an_escape_before_a_control_character_is_a_key)
{
	static const wchar_t *const texts[] = { L"", L"\033", L"\r", L"\x7f", L"\t1", L"\rq" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_ptr_equal(keys_of(texts[i]), texts[i]);
}

TEST(what_has_not_come_yet_is_waited_for)
{
	assert_true(*keys_of(L"[") == 0);
	assert_true(*keys_of(L"[41;") == 0);
	assert_true(*keys_of(L"]11;rgb") == 0);
}

RUN_TESTS()
