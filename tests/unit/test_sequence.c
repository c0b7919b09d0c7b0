/* Sequences of terminals that are no keys. */
#include "check.h"

#include "ui/keys.h"

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
	if (sequence == SEQUENCE_SHORT)
		return text + 2;
	for (text++; *text; before = (wint_t)*text++)
		if (sequence_ends(sequence, before, (wint_t)*text))
			return text + 1;
	return text;
}

static void what_a_terminal_tells_of_itself_is_passed_over(void **state)
{
	(void)state;
	assert_true(wcscmp(keys_of(L"[41;10Rq"), L"q") == 0);		 /* where the cursor is */
	assert_true(wcscmp(keys_of(L"[?62;22cq"), L"q") == 0);		 /* what it can do */
	assert_true(wcscmp(keys_of(L"[?12;2$yq"), L"q") == 0);		 /* a mode */
	assert_true(wcscmp(keys_of(L"]11;rgb:00/00/00\aq"), L"q") == 0); /* a colour */
	assert_true(wcscmp(keys_of(L"]11;rgb:00/00/00\033\\q"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"P>|name 1.0\033\\q"), L"q") == 0); /* its name */
}

static void keys_that_are_not_known_are_passed_over(void **state)
{
	(void)state;
	assert_true(wcscmp(keys_of(L"[1;5Pq"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"[15;5~q"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"[[Aq"), L"q") == 0);
	assert_true(wcscmp(keys_of(L"Oxq"), L"q") == 0);
}

/* Esc, and soon after it another key. */
static void keys_right_after_an_escape_stay_keys(void **state)
{
	static const wchar_t *const texts[] = { L"", L"q", L"P", L"Pq", L"O", L"O ", L"]", L"]q",
		L"1", L"\033" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_ptr_equal(keys_of(texts[i]), texts[i]);
}

static void what_has_not_come_yet_is_waited_for(void **state)
{
	(void)state;
	assert_true(*keys_of(L"[") == 0);
	assert_true(*keys_of(L"[41;") == 0);
	assert_true(*keys_of(L"]11;rgb") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_terminal_tells_of_itself_is_passed_over),
		cmocka_unit_test(keys_that_are_not_known_are_passed_over),
		cmocka_unit_test(keys_right_after_an_escape_stay_keys),
		cmocka_unit_test(what_has_not_come_yet_is_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
