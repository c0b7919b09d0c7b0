/* The compiler of own loops: its limits, and the end of all its processes. Fake compilers are small
 * shell scripts. They hold a FIFO open, so that the end of the FIFO is the end of their last
 * process. */
#include "check.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/job.h"
#include "base/text.h"
#include "engine/own/compiler.h"
#include "engine/own/own_folder.h"

static char place[64], folder[80], library[96], script[80], fifo[80];
static atomic_bool cancel;
static struct compilation compilation;
static struct text said;
static struct status status;

static int set_up(void **state)
{
	snprintf(place, sizeof(place), "/tmp/test_compiler-XXXXXX");
	assert_non_null(mkdtemp(place));
	snprintf(folder, sizeof(folder), "%s/folder", place);
	snprintf(library, sizeof(library), "%s/own.so", folder);
	snprintf(script, sizeof(script), "%s/cc", place);
	snprintf(fifo, sizeof(fifo), "%s/fifo", place);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	atomic_store(&cancel, false);
	compilation = (struct compilation){ .path = "mine.c",
		.flags = "-O2",
		.folder = folder,
		.library = library,
		.seconds = COMPILER_SECONDS,
		.cancel = &cancel };
	return 0;
}

static int tear_down(void **state)
{
	own_folder_remove(place);
	text_free(&said);
	unsetenv("CC");
	return 0;
}

/* The command that takes a process out of its session; empty where the system has no subreapers
 * (emulated), which could not end the process. */
static const char *leave(void)
{
	bool adopts = prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;

	prctl(PR_SET_CHILD_SUBREAPER, 0);
	return adopts ? "setsid" : "";
}

/* The compiler is a script with these commands; $FIFO is the path of the FIFO, $LEAVE is leave().
 */
static void fake_compiler(const char *commands)
{
	FILE *file = fopen(script, "w");
	char words[96];

	assert_non_null(file);
	fprintf(file, "FIFO=%s\nLEAVE=%s\n%s\n", fifo, leave(), commands);
	fclose(file);
	snprintf(words, sizeof(words), "sh %s", script);
	setenv("CC", words, 1);
}

static void compile(void *unused)
{
	status = compiler_run(&compilation, &said);
}

static void check_no_folder(void)
{
	assert_int_equal(access(folder, F_OK), -1);
}

/* Waits until no process has the FIFO or pipe open for writing. */
static void check_closed(int input)
{
	struct pollfd wait = { .fd = input };
	char byte;

	assert_int_equal(poll(&wait, 1, 30000), 1);
	assert_int_equal(read(input, &byte, 1), 0);
	close(input);
}

/* A compiler that leaves processes and a file behind, and waits. One process leaves the compiler's
 * session. */
#define ENDLESS                                                                                 \
	"exec 9>$FIFO; echo x >$TMPDIR/left; mkdir $TMPDIR/more; $LEAVE sleep 60 & sleep 60 & " \
	"wait"

static void check_deadline(const char *commands, double seconds)
{
	fake_compiler(commands);
	compilation.seconds = seconds;
	compile(NULL);
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, "mine.c", words_of("did not end within %g s", seconds).text);
	check_no_folder();
}

TEST_WITH(a_compiler_without_end_is_ended_at_its_deadline, set_up, tear_down)
{
	check_deadline("sleep 60 & wait", 0.001);
}

/* A stopped supervisor wakes at the end of the program, and removes the folder. */
TEST_WITH(a_killed_program_leaves_no_stopped_supervisor, set_up, tear_down)
{
	pid_t child;
	int input;

	fake_compiler("kill -STOP $PPID; " ENDLESS);
	child = fork();
	if (child == 0) {
		compile(NULL);
		_exit(0);
	}
	input = open(fifo, O_RDONLY);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	check_closed(input);
	for (int i = 0; i < 3000 && access(folder, F_OK) == 0; i++)
		usleep(10000);
	check_no_folder();
}

/* The parent of the compiler watches its time, and a stopped process watches nothing. */
TEST_WITH(a_compiler_cannot_stop_its_supervisor, set_up, tear_down)
{
	check_deadline("kill -STOP $PPID; sleep 60", 0.5);
}

TEST_WITH(cancelling_ends_all_processes_of_the_compiler, set_up, tear_down)
{
	struct job *job;
	int input;

	fake_compiler(ENDLESS);
	job = job_begin(compile, NULL);
	input = open(fifo, O_RDONLY);
	atomic_store(&cancel, true);
	job_end(job);
	assert_int_equal(status.code, STATUS_CANCELLED);
	check_closed(input);
	check_no_folder();
}

TEST_WITH(a_killed_process_group_leaves_no_compiler_and_no_folder, set_up, tear_down)
{
	int input, ends[2];
	pid_t program;

	fake_compiler(ENDLESS);
	assert_int_equal(pipe(ends), 0);
	program = fork();
	if (program == 0) {
		setpgid(0, 0);
		compile(NULL);
		_exit(0);
	}
	close(ends[1]);
	input = open(fifo, O_RDONLY);
	kill(-program, SIGKILL);
	waitpid(program, NULL, 0);
	check_closed(input);
	/* The supervisor of the compiler holds the pipe open until it ends. */
	check_closed(ends[0]);
	check_no_folder();
}

TEST_WITH(a_compiler_that_ends_leaves_no_process, set_up, tear_down)
{
	int input = open(fifo, O_RDONLY | O_NONBLOCK);

	fake_compiler("exec 9>$FIFO; $LEAVE sleep 60 & sleep 60 & echo began");
	compile(NULL);
	check_ok(status);
	assert_string_equal(text_string(&said), "began\n");
	fcntl(input, F_SETFL, 0);
	check_closed(input);
	assert_int_equal(access(folder, F_OK), 0);
}

TEST_WITH(messages_without_end_end_the_compiler, set_up, tear_down)
{
	fake_compiler("exec yes");
	compile(NULL);
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, "mine.c", "more than 16 MiB of messages");
	assert_in_range(said.length, 1, 64 << 10);
	check_no_folder();
}

TEST_WITH(files_and_memory_of_the_compiler_are_limited, set_up, tear_down)
{
	fake_compiler("ulimit -f; ulimit -v; ulimit -c");
	compile(NULL);
	check_ok(status);
	/* 256 MiB in blocks of 512 bytes, 2 GiB in KiB. User-mode emulation of AArch64 has no limit
	 * of memory. */
	if (!CHECK_PATIENT && strcmp(text_string(&said), "524288\nunlimited\n0\n") == 0)
		return;
	assert_string_equal(text_string(&said), "524288\n2097152\n0\n");
}

TEST_WITH(the_compiler_has_no_terminal_and_no_other_descriptors, set_up, tear_down)
{
	int inherited[2];

	assert_int_equal(pipe(inherited), 0);
	/* A shell reads its script from one descriptor, usually 10. */
	fake_compiler("cat; for i in 3 4 5 6 7 8 9; do { true >&$i; } 2>/dev/null && echo $i; "
		      "done; { true </dev/tty; } 2>/dev/null && echo terminal; true");
	compile(NULL);
	check_ok(status);
	assert_string_equal(text_string(&said), "");
	close(inherited[0]);
	close(inherited[1]);
}

TEST_WITH(a_missing_compiler_is_named, set_up, tear_down)
{
	setenv("CC", "/no/such/compiler -pipe", 1);
	compile(NULL);
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, "no compiler: \"/no/such/compiler\"", "No such file");
	check_no_folder();
}

RUN_TESTS()
