/* Any keys, clicks, turns of the wheel, pasted texts and sizes of the screen, in the explorer over
 * a canned engine: the screen stays whole, the setting allowed, and pasted text types nothing where
 * no field is open. */
#include "fuzz.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../screen/canned.h"
#include "ui/frontend.h"

/* What begins each event; what follows it is in struct event. */
enum {
	CHARACTERS = 0,
	NAMED = 110,
	MOUSE = 175,
	PASTED = 215,
	TIME = 230,
	SIZE = 240,
	OTHER = 246
};

/* Bytes of an input, read one after another; 0 at its end. */
struct bytes {
	const uint8_t *next, *end;
};

static const char typed[] = "\x80/mouse on\xe4\x80tmP \xf0\xc0\x40\x08\x05";
static const char clicks[] = "\x80/mouse on\xe4\xaf\x05\x05\xb0\x05\x05\xb1\x20\x04\xaf\x09\x17";
static const char pasted[] = "\xd7\x05"
			     "64k\n9/\xd7\x04"
			     "list\xd7\x06"
			     "\xff\0\033[A\n";
static const char sized[] = "\xf0\x03\x02\xf0\x90\x30m\xf0\x28\x0a"
			    "6\xd7\x02"
			    "4k";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(typed), FUZZ_TEXT(clicks), FUZZ_TEXT(pasted),
	FUZZ_TEXT(sized), { NULL, 0 } };
const size_t fuzz_longest = 96;
const uint64_t fuzz_runs = 60;

static void demand(bool good)
{
	if (!good)
		abort();
}

static int take(struct bytes *bytes)
{
	return bytes->next < bytes->end ? *bytes->next++ : 0;
}

static struct input pasting(struct bytes *bytes, char text[64])
{
	int length = take(bytes) % 64, used = 0;

	while (used < length && bytes->next < bytes->end)
		text[used++] = (char)take(bytes);
	text[used] = '\0';
	return (struct input){ .code = KEYCODE_PASTE, .pasted = text };
}

/* Sends an event. Returns false for one that is no input of the user. */
static bool read_input(
	struct bytes *bytes, const struct canvas *canvas, struct input *input, char text[64])
{
	int kind = take(bytes);

	if (kind < NAMED)
		*input = (struct input){ ' ' + (kind - CHARACTERS) % 95 };
	else if (kind < MOUSE)
		*input = (struct input){ KEYCODE_ENTER +
					 (kind - NAMED) % (KEYCODE_CONTROL_Z - KEYCODE_ENTER + 1) };
	else if (kind < PASTED) {
		*input = (struct input){ KEYCODE_CLICK + (kind - MOUSE) % 3 };
		input->x = take(bytes) % (canvas->width + 2) - 1;
		input->y = take(bytes) % (canvas->height + 2) - 1;
	} else if (kind < TIME)
		*input = pasting(bytes, text);
	else if (kind >= OTHER)
		*input = (struct input){ KEYCODE_UNKNOWN };
	else
		bytes->next--;
	return kind < TIME || kind >= OTHER;
}

/* Each cell has a character that a terminal can show, and a style. */
static void check_canvas(const struct canvas *canvas)
{
	for (int i = 0; i < canvas->width * canvas->height; i++) {
		const struct canvas_cell *cell = &canvas->cells[i];

		demand(cell->style < STYLE_COUNT);
		demand(cell->character == 0 ? i % canvas->width > 0 : wcwidth(cell->character) > 0);
	}
}

static void check_view(const struct view *view)
{
	struct status status = setting_check(&view->setting, MEMORY_LIMITS_UNKNOWN);

	demand(status_is_ok(&status));
	demand(view->knob >= 0 && view->knob <= view->setting.kernel->knob_count);
	demand(memchr(view->screen.entry, '\0', sizeof(view->screen.entry)) != NULL);
}

static void run_input(struct frontend *front, const struct input *input, double now)
{
	const struct screen *screen = session_screen(front->session);
	enum context context = keys_context(screen);
	char entry[sizeof(screen->entry)];

	memcpy(entry, screen->entry, sizeof(entry));
	frontend_input(front, input, now);
	if (input->code == KEYCODE_UNKNOWN ||
		(input->code == KEYCODE_PASTE && context == CONTEXT_MAIN))
		demand(strcmp(entry, screen->entry) == 0);
}

static void play(struct canned *canned, struct frontend *front, struct bytes *bytes)
{
	char text[64];

	while (bytes->next < bytes->end && !session_quit(front->session)) {
		struct input input;

		if (read_input(bytes, &front->canvas, &input, text)) {
			run_input(front, &input, canned->now);
		} else if (take(bytes) < SIZE) {
			canned_pass(canned, 0.1, -1);
		} else {
			int width = take(bytes), height = take(bytes) % 80;

			canvas_resize(&front->canvas, 1 + width, 1 + height);
		}
		session_advance(front->session, canned->now);
		frontend_draw(front, canned->now);
		check_canvas(&front->canvas);
		check_view(&front->view);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct frontend front;
	struct bytes bytes = { data, data + size };
	struct canned canned;
	struct engine engine = canned_engine(&canned);
	struct explainer explainer;
	struct session_options options = { .seed = 1, .invocation = "", .explainer = &explainer };
	struct session *session;
	struct status status;

	/* No key may write a file: a file cannot be made in this directory. */
	if (chdir("/proc") ||
		(!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")))
		exit(77);
	canned_init(&canned, true);
	canned_counters(&canned, CANNED_PORTS);
	canned_decode(&canned);
	explainer = canned_explainer(&canned);
	setting_init(&options.setting, kernel_registry[size % 3]);
	session = session_new(&engine, &options);
	session_choose(session, "mouse", "on");
	status = frontend_init(&front, session, 80, 24, size % 7 == 0);
	demand(status_is_ok(&status));
	frontend_draw(&front, canned.now);
	play(&canned, &front, &bytes);
	frontend_free(&front);
	session_free(session);
	uarch_free(canned.uarch);
	return 0;
}
