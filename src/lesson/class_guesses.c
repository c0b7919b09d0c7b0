#include "lesson/class_guesses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- guesses ---- */

/* Orders guesses: numbers before words, numbers by their value, and chosen answers in the order of
 * the question. */
static int compare_guesses(const void *a, const void *b)
{
	const struct class_guess *left = a, *right = b;
	bool numbers = isfinite(left->low) && isfinite(right->low);

	if (isfinite(left->low) != isfinite(right->low))
		return isfinite(left->low) ? -1 : 1;
	if (!numbers && left->choice != right->choice)
		return left->choice - right->choice;
	return numbers ? (left->low > right->low) - (left->low < right->low)
		       : strcmp(left->words, right->words);
}

static int compare_counts(const void *a, const void *b)
{
	const struct class_guess *left = a, *right = b;

	return left->count != right->count ? right->count - left->count
					   : compare_guesses(left, right);
}

/* Opens the lesson to which an answer belongs; NULL: this machine has no such lesson. */
static struct lesson *lesson_of(const struct answer *answer)
{
	struct lesson_mistakes mistakes = { 0 };
	struct lesson *lesson = NULL;

	if (strcspn(answer->lesson, "/.") < strlen(answer->lesson))
		return NULL; /* another person's file must not name a file of this machine */
	(void)lesson_open(answer->lesson, &lesson, &mistakes);
	lesson_mistakes_free(&mistakes);
	return lesson;
}

/* Returns the question to which an answer belongs; NULL: it is unknown. */
static const struct lesson_question *question_of(
	const struct lesson *lesson, const struct answer *answer)
{
	const struct lesson_step *step;

	if (!lesson || answer->step < 1 || answer->step > lesson->step_count)
		return NULL;
	step = &lesson->step[answer->step - 1];
	return step->question.ask != ASK_NOTHING && step->title &&
			       strcmp(step->title, answer->title) == 0
		       ? &step->question
		       : NULL;
}

/* Adds the words of a question, with "…" for each measured value, which differs between machines.
 * Words that depend on measured values are not known here: then adds nothing. */
static void add_prompt(struct text *text, const struct lesson_text *prompt)
{
	size_t from = 0, length;
	const char *words;

	for (int i = 0; i < prompt->hole_count; i++)
		if (lesson_hole(prompt->words + prompt->hole[i].offset, prompt->hole[i].length,
			    &words, &length) != HOLE_VALUE)
			return;
	for (int i = 0; i < prompt->hole_count; i++) {
		const struct lesson_hole *hole = &prompt->hole[i];

		text_addn(text, prompt->words + from, hole->offset - from);
		text_add(text, "…");
		from = hole->offset + hole->length;
	}
	text_add(text, prompt->words + from);
}

struct words class_prompt(const struct answer *answer)
{
	struct lesson *lesson = lesson_of(answer);
	const struct lesson_question *question = question_of(lesson, answer);
	const char *usual = question ? lesson_usual_prompt(question->ask) : NULL;
	struct text text = { 0 };
	struct words words;

	if (question && question->prompt.words)
		add_prompt(&text, &question->prompt);
	words = words_of("%s", text.length ? text_string(&text) : usual ? usual : "");
	for (char *c = words.text; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	for (size_t end = strlen(words.text); end > 0 && words.text[end - 1] == ' ';)
		words.text[--end] = '\0';
	text_free(&text);
	lesson_free(lesson);
	return words;
}

/* Adds the answers of the question that nobody chose. Answers with values in their words, which
 * differ between machines, are not added. */
static void add_unchosen(struct class_guesses *found, const struct answer *answer)
{
	const struct lesson_question *question;
	int given = found->count;

	found->lesson = lesson_of(answer);
	question = question_of(found->lesson, answer);
	for (int i = 0; question && question->ask == ASK_CHOICE && i < question->option_count;
		i++) {
		const struct lesson_text *text = &question->option[i].text;
		bool chosen = text->hole_count > 0;

		for (int k = 0; k < given; k++)
			chosen |= found->guess[k].choice == i + 1;
		if (!chosen)
			found->guess[found->count++] = (struct class_guess){ .words = text->words,
				.last = text->words,
				.low = NAN,
				.high = NAN,
				.joined = 1,
				.choice = i + 1 };
	}
	qsort(found->guess, (size_t)found->count, sizeof(*found->guess), compare_guesses);
}

struct class_guesses class_guesses_of(const struct answers *answers, int begin, int end)
{
	struct class_guesses found = { .numbers = true };
	int different = 0;

	found.guess = memory_new((size_t)(end - begin) + 1 + LESSON_OPTIONS, sizeof(*found.guess));
	for (int i = begin; i < end; i++) {
		const struct answer *answer = &answers->answer[i];

		if (!answer->guess[0])
			continue;
		found.numbers &= isfinite(answer->number);
		found.guess[found.count++] = (struct class_guess){ answer->guess, answer->guess,
			answer->number, answer->number, 1, strcmp(answer->verdict, "right") == 0, 1,
			answer->choice };
	}
	found.numbers &= found.count > 0;
	qsort(found.guess, (size_t)found.count, sizeof(*found.guess), compare_guesses);
	for (int i = 0; i < found.count; i++) {
		struct class_guess *last = different ? &found.guess[different - 1] : NULL;

		if (last && compare_guesses(last, &found.guess[i]) == 0) {
			last->count++;
			last->right += found.guess[i].right;
		} else {
			found.guess[different++] = found.guess[i];
		}
	}
	found.count = different;
	if (end > begin && strcmp(answers->answer[begin].ask, "choice") == 0)
		add_unchosen(&found, &answers->answer[begin]);
	return found;
}

void class_guesses_free(struct class_guesses *guesses)
{
	free(guesses->guess);
	lesson_free(guesses->lesson);
	*guesses = (struct class_guesses){ 0 };
}

void class_guesses_rank(struct class_guesses *guesses)
{
	if (!guesses->numbers)
		qsort(guesses->guess, (size_t)guesses->count, sizeof(*guesses->guess),
			compare_counts);
}

/* Joins a guess with the next one. */
static void join(struct class_guesses *guesses, int index)
{
	struct class_guess *guess = &guesses->guess[index];

	guess->last = guess[1].last;
	guess->high = guess[1].high;
	guess->count += guess[1].count;
	guess->right += guess[1].right;
	guess->joined += guess[1].joined;
	guess->choice = 0;
	memmove(guess + 1, guess + 2,
		(size_t)(guesses->count - index - 2) * sizeof(*guesses->guess));
	guesses->count--;
}

/* Returns the factor from the lowest number of a guess to the highest number of the next one. */
static double factor_to_next(const struct class_guess *guess)
{
	return guess->low > 0 ? guess[1].high / guess->low : INFINITY;
}

void class_guesses_join(struct class_guesses *guesses, int most)
{
	while (guesses->count > most && guesses->count > 1) {
		int at = guesses->count - 2;

		for (int i = 0; guesses->numbers && i + 1 < guesses->count; i++)
			if (factor_to_next(&guesses->guess[i]) <
				factor_to_next(&guesses->guess[at]))
				at = i;
		join(guesses, at);
	}
}

int class_guesses_most(const struct class_guesses *guesses)
{
	int most = 1;

	for (int i = 0; i < guesses->count; i++)
		most = guesses->guess[i].count > most ? guesses->guess[i].count : most;
	return most;
}

struct words class_guess_words(const struct class_guess *guess)
{
	if (guess->joined == 1)
		return class_words(guess->words);
	return isfinite(guess->low) ? words_of("%s to %s", class_words(guess->words).text,
					      class_words(guess->last).text)
				    : words_of("%d other guesses", guess->joined);
}

/* ---- measured values ---- */

/* An answer, and the key by which answers are sorted: the machine or the right answer. */
struct keyed {
	const char *key;
	const struct answer *answer;
};

static int compare_keys(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;

	return strcmp(left->key, right->key);
}

static int compare_measured(const void *a, const void *b)
{
	double left = ((const struct keyed *)a)->answer->measured,
	       right = ((const struct keyed *)b)->answer->measured;

	if (isfinite(left) != isfinite(right))
		return isfinite(left) ? -1 : 1;
	return (left > right) - (left < right);
}

static int compare_machines(const void *a, const void *b)
{
	const struct class_machine *left = a, *right = b;

	return left->count != right->count ? right->count - left->count
					   : strcmp(left->name, right->name);
}

/* Returns the answer whose measured value is the median; NULL: the question asks for no number. */
static const struct answer *median_of(struct keyed *keyed, int count)
{
	int numbers = 0;

	qsort(keyed, (size_t)count, sizeof(*keyed), compare_measured);
	while (numbers < count && isfinite(keyed[numbers].answer->measured))
		numbers++;
	return numbers ? keyed[(numbers - 1) / 2].answer : NULL;
}

/* Finds the most frequent right answer among answers in the order of their keys. */
static const char *usual_of(struct keyed *keyed, int count)
{
	const char *usual = "";
	int most = 0;

	for (int i = 0; i < count; i++)
		keyed[i].key = keyed[i].answer->truth;
	qsort(keyed, (size_t)count, sizeof(*keyed), compare_keys);
	for (int i = 0, run = 0; i < count; i++) {
		run = i > 0 && strcmp(keyed[i].key, keyed[i - 1].key) == 0 ? run + 1 : 1;
		if (keyed[i].key[0] && run > most) {
			most = run;
			usual = keyed[i].key;
		}
	}
	return usual;
}

static void add_to_machine(
	struct class_machine *machine, const struct answer *answer, const char *usual)
{
	double value = answer->measured;
	bool number = isfinite(value),
	     differs = !number && *usual && answer->truth[0] && strcmp(answer->truth, usual) != 0;

	machine->count++;
	machine->doubtful += answer->doubt[0] != '\0';
	if (number && !(machine->low <= value)) {
		machine->low = value;
		machine->truth = answer->truth;
	}
	if (number && !(machine->high >= value)) {
		machine->high = value;
		machine->high_truth = answer->truth;
	}
	if (!number && answer->truth[0] && !machine->differs)
		machine->truth = machine->high_truth = answer->truth;
	machine->differs |= differs;
}

void class_measured_of(
	const struct answers *answers, int begin, int end, struct class_measured *measured)
{
	struct keyed *keyed = memory_new((size_t)(end - begin) + 1, sizeof(*keyed));
	struct class_machine *machine = memory_new((size_t)(end - begin) + 1, sizeof(*machine));
	int count = end - begin, machines = 0;
	const struct answer *median;

	for (int i = 0; i < count; i++)
		keyed[i].answer = &answers->answer[begin + i];
	median = median_of(keyed, count);
	*measured = (struct class_measured){ .median = median ? median->measured : (double)NAN,
		.usual = median ? median->truth : usual_of(keyed, count) };
	for (int i = 0; i < count; i++)
		keyed[i].key = keyed[i].answer->machine;
	qsort(keyed, (size_t)count, sizeof(*keyed), compare_keys);
	for (int i = 0; i < count; i++) {
		if (i == 0 || strcmp(keyed[i].key, keyed[i - 1].key) != 0)
			machine[machines++] = (struct class_machine){ .name = keyed[i].key,
				.truth = "",
				.high_truth = "",
				.low = NAN,
				.high = NAN };
		add_to_machine(&machine[machines - 1], keyed[i].answer, measured->usual);
	}
	qsort(machine, (size_t)machines, sizeof(*machine), compare_machines);
	for (int i = 0; i < machines; i++)
		if (i < CLASS_MACHINES)
			measured->machine[measured->count++] = machine[i];
		else
			measured->others += machine[i].count;
	free(machine);
	free(keyed);
}

struct words class_words(const char *words)
{
	char clean[200];

	text_copy_clean(clean, sizeof(clean), words);
	return words_of("%s", clean);
}

struct words class_machine_words(const struct class_machine *machine)
{
	if (strcmp(machine->truth, machine->high_truth) != 0)
		return words_of("%s to %s", class_words(machine->truth).text,
			class_words(machine->high_truth).text);
	return machine->truth[0] ? class_words(machine->truth) : words_of("nothing measured");
}

/* ---- students ---- */

/* Orders answers by student; the answers of the present question come last. */
static int compare_students(const void *a, const void *b)
{
	const struct keyed *left = a, *right = b;
	int order = strcmp(left->answer->who, right->answer->who);

	return order != 0 ? order : strcmp(left->key, right->key);
}

struct class_students class_students_of(const struct answers *answers, int begin, int end)
{
	struct class_students students = { 0 };
	struct keyed *keyed = memory_new((size_t)answers->count + 1, sizeof(*keyed));
	int count = 0;

	for (int i = 0; i < answers->count && begin < end; i++)
		if (strcmp(answers->answer[i].lesson, answers->answer[begin].lesson) == 0)
			keyed[count++] = (struct keyed){ i >= begin && i < end ? "done" : "",
				&answers->answer[i] };
	qsort(keyed, (size_t)count, sizeof(*keyed), compare_students);
	for (int i = 0; i < count; i++) {
		const struct answer *answer = keyed[i].answer;

		if (i + 1 < count && strcmp(answer->who, keyed[i + 1].answer->who) == 0)
			continue;
		students.all++;
		students.done += keyed[i].key[0] != '\0';
		if (keyed[i].key[0] || !answer->name[0])
			continue;
		text_add(&students.missing, students.missing.length ? ", " : "");
		text_add_clean(&students.missing, answer->name, sizeof(answer->name));
	}
	free(keyed);
	return students;
}
