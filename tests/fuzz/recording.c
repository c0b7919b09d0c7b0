/* Any file as a recording: refused with a line, or played, its screens drawn, whatever is done in
 * it. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "base/text.h"
#include "recording/replay.h"
#include "ui/frontend.h"
#include "ui/panels.h"

/* As record writes it, with one setting of a kernel of this program and one of another. */
#define HEAD                                                                                      \
	"{\"v\":1,\"record\":\"recording\",\"id\":0,\"format\":1,\"program\":\"0.1.0\",\"host\":" \
	"\"n1\",\"time\":\"2026-11-21T18:00:00Z\","                                               \
	"\"arch\":\"aarch64\",\"machine\":\"Arm Neoverse N1\",\"seed\":1}\n" HEAD_REST
#define HEAD_REST                                                                               \
	"{\"v\":1,\"record\":\"machine\",\"id\":0,\"cpu\":0,\"processors\":1,\"bound\":true,"   \
	"\"caches\":[[1,65536,64],[2,1048576,64]],"                                             \
	"\"memory_limit\":1000000000,\"tick_hz\":6.25e7,\"tick_step\":1.0,\"clock\":\"add "     \
	"chain\",\"watched\":false}\n"                                                          \
	"{\"v\":1,\"record\":\"core\",\"id\":0,\"match\":\"exact\",\"name\":\"neoverse-n1\","   \
	"\"title\":\"Arm Neoverse N1\","                                                        \
	"\"ports\":[\"B\",\"S0\",\"S1\",\"div\"],\"units\":[3]}\n"                              \
	"{\"v\":1,\"record\":\"events\",\"id\":0,\"count\":3,\"cycles\":0,\"generic\":false,"   \
	"\"left_out\":0,\"why\":\"\"}\n"                                                        \
	"{\"v\":1,\"record\":\"event\",\"id\":0,\"index\":0,\"name\":\"arm_n1::CPU_CYCLES\","   \
	"\"role\":\"cycles\",\"must\":true,\"title\":\"cycles\"}\n"                             \
	"{\"v\":1,\"record\":\"event\",\"id\":0,\"index\":1,\"name\":\"arm_n1::INST_RETIRED\"," \
	"\"role\":\"instructions\",\"must\":true}\n"                                            \
	"{\"v\":1,\"record\":\"event\",\"id\":0,\"index\":2,\"name\":\"arm_n1::P\",\"role\":"   \
	"\"ports\",\"ports\":[1,2],\"title\":\"S0 S1\","                                        \
	"\"core\":\"neoverse-n1\"}\n"
#define SETTING(id, knobs)                                                                         \
	"{\"v\":1,\"record\":\"trials\",\"id\":" id                                                \
	",\"trials\":[[3.0,2.5,1.0,1.0,0.0,0],[3.01,2.5,1.0,null,0.01,0,1.0],"                     \
	"[3.2,2.5,1.2,1.0,0.02,1],[null,2.5,null,null,0.03,5]]}\n"                                 \
	"{\"v\":1,\"record\":\"counters\",\"id\":" id                                              \
	",\"from\":\"counter\",\"passes\":1,\"direct\":true,\"events\":[[\"arm_n1::CPU_CYCLES\","  \
	"\"cycles\",3.0,2.9,3.1,\"known\"],[\"arm_n1::INST_RETIRED\",\"instructions\",4.0,4.0,4."  \
	"0,\"scaled\",0.5],[\"arm_n1::P\",\"ports S0\","                                           \
	"null,null,null,\"refused\",\"not allowed\",13]]}\n"                                       \
	"{\"v\":1,\"record\":\"facts\",\"id\":" id                                                 \
	",\"cpu\":0,\"bound\":true,\"watched\":true,\"cycles_from\":\"counter\",\"ring\":2048,"    \
	"\"granule\":4,\"bytes\":8,\"footprint\":16384,\"call\":2048,\"calls\":1,\"pages\":"       \
	"\"4k\",\"forgotten\":{\"contended\":3}}\n"                                                \
	"{\"v\":1,\"record\":\"sample\",\"id\":" id "," knobs ",\"cpe\":3.0}\n"                    \
	"{\"v\":1,\"record\":\"limits\",\"id\":" id                                                \
	",\"name\":\"latency\",\"hard\":true,\"cpe\":3.0,\"cycles\":12.0,\"binding\":true,"        \
	"\"cause\":\"chain\"}\n"                                                                   \
	"{\"v\":1,\"record\":\"limits\",\"id\":" id                                                \
	",\"name\":\"ports\",\"hard\":true,\"cause\":\"unknown\"}\n"                               \
	"{\"v\":1,\"record\":\"ports\",\"id\":" id                                                 \
	",\"pressure\":{\"B\":1.0,\"S0\":0.5,\"S1\":0.5,\"div\":0.0},\"naive\":{\"B\":1.0}}\n"     \
	"{\"v\":1,\"record\":\"insn\",\"id\":" id                                                  \
	",\"offset\":0,\"text\":\"fmul d0, d0, d1\",\"known\":true,\"slots\":1.0,\"latency\":3.0," \
	"\"ports\":\"S0\",\"carried\":true,\"count\":1.0,\"bytes\":4,\"writes\":true,\"times\":3}" \
	"\n"                                                                                       \
	"{\"v\":1,\"record\":\"insn\",\"id\":" id ",\"offset\":12,\"text\":\"b.ne "                \
	"0x0\",\"known\":true,\"fused\":true,\"bytes\":4,\"jumps\":true}\n"                        \
	"{\"v\":1,\"record\":\"modelled\",\"id\":" id ",\"events\":[null,4.0,0.5]}\n"              \
	"{\"v\":1,\"record\":\"explain\",\"id\":" id "," knobs                                     \
	",\"elements\":4.0,\"slots\":5.0,\"instructions\":4.0,\"turns\":8,"                        \
	"\"instructions_from\":\"stepped\",\"chain\":12.0,\"fullest\":[0],\"function\":\"mul_"     \
	"chain\"}\n"
#define CHAIN(acc) \
	"\"kernel\":\"mul-chain\",\"knobs\":{\"size\":16384,\"acc\":" acc ",\"restart\":0}"
#define MOUNTAIN(size, stride) \
	"\"kernel\":\"mountain\",\"knobs\":{\"size\":" size ",\"stride\":" stride "}"

/* Format 2: columns of trials, and records that others name by their number. */
#define SHARED(id, number, knobs, more)                                                          \
	"{\"v\":1,\"record\":\"trials\",\"id\":" id ",\"cpe\":\"BsDASB\",\"ghz\":\"BsDAAA\","    \
	"\"watch\":\"AS.AB\",\"at\":\"EQAAA\",\"fate\":\"AQAAS\"}\n"                             \
	"{\"v\":1,\"record\":\"facts\",\"id\":1" number                                          \
	",\"cpu\":0,\"bound\":true,\"watched\":true,\"cycles_from\":\"counter\",\"ring\":2048,"  \
	"\"granule\":4,\"bytes\":8,\"footprint\":16384,\"call\":2048,\"pages\":\"4k\"}\n"        \
	"{\"v\":1,\"record\":\"counters\",\"id\":2" number                                       \
	",\"passes\":1,\"events\":[[0,3.0,2.9,3.1],[1,4.0,4.0,4.0,\"scaled\",0.5],"              \
	"[2,null,null,null,\"refused\",13]]}\n"                                                  \
	"{\"v\":1,\"record\":\"sample\",\"id\":" id "," knobs                                    \
	",\"cpe\":3.0,\"calls\":1,\"forgotten\":{\"contended\":3},\"facts\":1" number            \
	",\"counters\":2" number more "}\n"                                                      \
	"{\"v\":1,\"record\":\"limits\",\"id\":3" number                                         \
	",\"name\":\"latency\",\"hard\":true,\"cpe\":3.0,\"cycles\":12.0,\"cause\":\"chain\"}\n" \
	"{\"v\":1,\"record\":\"ports\",\"id\":4" number                                          \
	",\"pressure\":{\"B\":1.0,\"S0\":0.5,\"S1\":0.5,\"div\":0.0}}\n"                         \
	"{\"v\":1,\"record\":\"kind\",\"id\":8" number                                           \
	",\"known\":true,\"slots\":1.0,\"latency\":3.0,"                                         \
	"\"ports\":\"S0\",\"carried\":true,\"count\":1.0,\"bytes\":4,\"writes\":true}\n"         \
	"{\"v\":1,\"record\":\"insn\",\"id\":5" number                                           \
	",\"text\":\"fmul d0, d0, d1\",\"kind\":8" number "}\n"                                  \
	"{\"v\":1,\"record\":\"modelled\",\"id\":6" number ",\"events\":[null,4.0,0.5]}\n"       \
	"{\"v\":1,\"record\":\"explanation\",\"id\":7" number                                    \
	",\"elements\":4.0,\"slots\":5.0,\"instructions\":4.0,\"turns\":8,"                      \
	"\"instructions_from\":\"stepped\",\"chain\":12.0,\"fullest\":[0],\"limits\":[3" number  \
	"],\"ports\":4" number ",\"modelled\":6" number ",\"code\":[5" number ",[5" number       \
	",3],[5" number ",1,40]]}\n"                                                             \
	"{\"v\":1,\"record\":\"explain\",\"id\":" id ",\"explanation\":7" number "}\n"
static const char shared[] =
	"{\"v\":1,\"record\":\"recording\",\"id\":0,\"format\":2,\"program\":"
	"\"0.2\",\"host\":\"n1\",\"arch\":\"aarch64\",\"machine\":\"Arm "
	"Neoverse N1\",\"seed\":1}\n" HEAD_REST SHARED("1", "0", CHAIN("1"), "") SHARED(
		"2", "1", CHAIN("1"), ",\"replaces\":1") SHARED("3", "2", MOUNTAIN("16384", "1"),
		"") "{\"v\":1,\"record\":\"explain\",\"id\":3,\"explanation\":70}\n";

static const char one[] = HEAD SETTING("1", CHAIN("1"));
static const char two[] =
	HEAD SETTING("1", CHAIN("1")) SETTING("2", CHAIN("4")) SETTING("3", MOUNTAIN("16384", "1"));
static const char grid[] = HEAD SETTING("7", MOUNTAIN("16384", "1"))
	SETTING("8", MOUNTAIN("16384", "2")) SETTING("9", MOUNTAIN("65536", "1"))
		SETTING("10", MOUNTAIN("65536", "2")) HEAD SETTING("1", MOUNTAIN("65536", "2"));
/* A sample in three lines, one that lacks a line, and a continuation of nothing. */
static const char continued[] = HEAD
	"{\"v\":1,\"record\":\"facts\",\"id\":1,\"more\":2,\"cpu\":0,\"cycles_from\":\"coun\"}\n"
	"{\"v\":1,\"record\":\"more\",\"id\":1,\"of\":\"facts\",\"cycles_from\":\"ter\"}\n"
	"{\"v\":1,\"record\":\"more\",\"id\":1,\"of\":\"facts\",\"ring\":2048,\"forgotten\":{}}\n"
	"{\"v\":1,\"record\":\"explain\",\"id\":1,\"more\":99999}\n"
	"{\"v\":1,\"record\":\"explain\",\"id\":1,\"more\":1}\n"
	"{\"v\":1,\"record\":\"more\",\"id\":2,\"of\":\"explain\",\"knobs\":{\"size\":[]}}"
	"\n" SETTING("3", MOUNTAIN("16384", "1"));
static const char odd[] =
	HEAD "{\"record\":\"facts\",\"id\":-1,\"cycles_from\":\"counter\",\"asked\":\"huge\","
	     "\"nodes\":-1,\"node\":1e9,\"cores\":99,\"others_gbps\":\"x\"}\n[[[[[[[[[[[[\n{\"a\":"
	     "1e999}\n{\"record\":\"trials\",\"id\":1,\"trials\":[[1e308,-1,1,1,1,9]]}\n"
	     "{\"record\":\"sample\",\"id\":4294967296,\"kernel\":\"\\u001b]0;x\\u0007\",\"knobs\":"
	     "{\"size\":99999999999999999999}}\n\xff\xfe\n";

const struct fuzz_seed fuzz_seeds[] = { FUZZ_TEXT(one), FUZZ_TEXT(shared), FUZZ_TEXT(two),
	FUZZ_TEXT(grid), FUZZ_TEXT(continued), FUZZ_TEXT(odd), { NULL, 0 } };
const size_t fuzz_longest = 16384;
const uint64_t fuzz_runs = 700;

static void demand(bool good)
{
	if (!good)
		abort();
}

/* Text for a terminal: valid, a line, without control characters. */
static void check_text(const char *string, bool lines)
{
	struct text clean = { 0 };

	for (const char *at = string; *at;) {
		size_t length = lines ? strcspn(at, "\n") : strlen(at);
		char line[4096];

		demand(length < sizeof(line));
		memcpy(line, at, length);
		line[length] = '\0';
		text_clear(&clean);
		text_add_clean(&clean, line, sizeof(line));
		demand(strcmp(line, text_string(&clean)) == 0);
		at += length + (at[length] == '\n');
	}
	text_free(&clean);
}

static const char *const commands[] = { "knob +1", "knob -1", "knob +4", "knob next",
	"knob previous", "kernel next", "kernel previous", "view next", "move right", "move left",
	"move up", "move down", "focus next", "focus slices", "set size=64k", "set acc=3",
	"set stride=9", "remedy", "pin", "pin swap", "counters", "counters scroll +1", "code +8",
	"find size", "choose", "help", "close", "yank", "again", "uarch zen4", "event cycles",
	"record", "freeze", "digit 4", "entry accept", "kernel combine", "kernel mountain",
	"view code", "view mountain" };

/* A walk, the same for the same recording. */
static void play(struct replay *replay, uint64_t seed)
{
	struct engine engine = replay_engine(replay);
	struct explainer explainer = replay_explainer(replay);
	struct session_options options = { .setting = *replay_entry(replay, 0).setting,
		.explainer = &explainer,
		.replay = replay,
		.seed = replay_summary(replay).place->seed };
	struct session *session = session_new(&engine, &options);
	static struct keys keys; /* no keys: the panels are what is looked at */
	static struct view view;
	struct random random = { seed };
	struct canvas canvas;
	double now = 1;

	canvas_init(&canvas, 60 + (int)random_below(&random, 80),
		16 + (int)random_below(&random, 34), random_below(&random, 2));
	for (int step = 0; step < 6; step++) {
		session_advance(session, now);
		demand(session_next(session, now + 1000) < 0 ||
			session_next(session, now + 1000) == 0);
		session_view(session, now, &view);
		demand(replay_find(replay, &view.setting) >= 0);
		panels_draw(&canvas, &view, &keys, NULL, NULL);
		session_command(session,
			commands[random_below(&random, sizeof(commands) / sizeof(commands[0]))],
			now);
		now += 0.3;
	}
	canvas_free(&canvas);
	session_free(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int file = -1;
	static char path[32];
	struct replay *replay;
	struct status status;
	uint64_t seed = size;

	if (file < 0) {
		file = memfd_create("recording", MFD_CLOEXEC);
		demand(file >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	}
	demand(ftruncate(file, 0) == 0 &&
		(size == 0 || pwrite(file, data, size, 0) == (ssize_t)size));
	status = replay_open(path, &replay);
	demand(status_is_ok(&status) == (replay != NULL));
	if (!replay) {
		demand(strlen(status.text) > 5);
		check_text(status.text, false);
		return 0;
	}
	demand(replay_summary(replay).count > 0);
	check_text(replay_summary(replay).notes, true);
	for (size_t i = 0; i < size; i++)
		seed = seed * 31 + data[i];
	play(replay, seed);
	replay_free(replay);
	return 0;
}
