/* Own loops from their file to the steps of a child that loads them. Needs the system's compiler:
 * skipped where there is none. */
#include "check.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "engine/own/own.h"
#include "model/code/step.h"

static char directory[64];
static struct loop loop;
static struct kernel_walk walk;
static bool walked;
static struct loop_branches branches;

static const struct kernel *open_loop(const char *name, const char *code)
{
	const struct kernel *kernel = NULL;
	struct text said = { 0 };
	struct status status;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(code, file);
	fclose(file);
	status = own_open(path, NULL, &said, &kernel);
	unlink(path);
	if (status.code == STATUS_FAILED && (strstr(status.text, "no compiler") ||
						    strstr(status.text, "not linked statically")))
		skip();
	if (!status_is_ok(&status))
		fail_msg("%s\n%s", status.text, text_string(&said));
	text_free(&said);
	return kernel;
}

/* Steps it; skips where nothing can be stepped. On a busy machine the time may end first, so there
 * are several tries. */
static struct status step(const struct kernel *kernel)
{
	int64_t v[KNOBS_MAX] = { 0 };
	struct status status;
	int tries = 0;

	for (int i = 0; i < kernel->knob_count; i++)
		v[i] = kernel->knobs[i].initial;
	do {
		free(branches.branch);
		status = step_own(kernel->own, v, 1, &loop, &walk, &walked, &branches);
	} while (strstr(status.text, "took longer than") && ++tries < 5);
	if (status.code == STATUS_FAILED && (strstr(status.text, "stepping is not ") ||
						    strstr(status.text, "took longer than"))) {
		print_message("skipped: %s\n", status.text);
		skip();
	}
	return status;
}

static int setup(void **state)
{
	snprintf(directory, sizeof(directory), "/tmp/test_step_own-XXXXXX");
	assert_non_null(mkdtemp(directory));
	loop_init(&loop, LOOP_INSNS, LOOP_PATH);
	return 0;
}

static int teardown(void **state)
{
	rmdir(directory);
	loop_free(&loop);
	free(branches.branch);
	branches = (struct loop_branches){ 0 };
	return 0;
}

TEST(test_array)
{
	int loads = 0;

	check_ok(step(open_loop("array.c", "/* slexplore: a=f64[n] cflags=-O1 */\n"
					   "double kept;\n"
					   "long loop(long n, double *a) { for (long i = 0; i < n; "
					   "i++) kept += a[i]; return 0; }\n")));
	assert_true(loop.turns >= 24);
	check_near(loop.elements, loop.turns, 0.5);
	assert_true(loop.insns_per_element >= 3 && loop.insns_per_element < 12);
	for (int i = 0; i < loop.path_count; i++)
		loads += loop.path[i].address[0] != 0;
	assert_true(loads >= loop.turns);
}

/* A loop has a version of its own for few elements: the one for the user's n counts. */
TEST(test_version_for_many_elements)
{
	check_ok(step(open_loop("versions.c",
		"/* slexplore: a=u64[n] n=2048 cflags=-O1 */\n"
		"long loop(long n, volatile unsigned long *a) {\n"
		"unsigned long s = 0; long i = 0;\n"
		"if (n < 1000) for (; i < n; i++) { s += a[i]; s += a[i]; s += a[i]; }\n"
		"else for (; i < n; i++) s += a[i];\n"
		"return (long)s; }\n")));
	check_near(loop.elements, loop.turns, 0.5);
	assert_true(loop.path_count < 7 * loop.turns);
}

/* A list has as many nodes as each run has elements. */
TEST(test_list)
{
	check_ok(step(
		open_loop("list.c", "/* slexplore: elements=n b=list(n,64) */\n"
				    "long loop(long n, void *a, void **b) { long k = 0; for (; b; "
				    "b = *b) { k++; __asm__(\"\" : \"+r\"(k)); } return k; }\n")));
	check_near(loop.elements, loop.turns, 0.5);
	assert_int_equal(loop.path_count % loop.turns, 0);
}

TEST(test_crash)
{
	struct status status;

	status = step(open_loop("crash.c",
		"/* slexplore: a=f64[n] */\n"
		"long loop(long n, double *a, volatile long *b) { return *b + n; }\n"));
	assert_int_equal(status.code, STATUS_FAILED);
	check_parts(status.text, "SIGSEGV", ".so+0x");
	status = step(
		open_loop("none.c", "/* slexplore: a=f64[n] */\nlong lop(long n) { return n; }\n"));
	check_contains(status.text, "has no function loop()");
}

/* A loop that could write to a descriptor of this program could end the explorer. */
TEST(test_descriptors_session_and_rights)
{
	int inherited = open("/dev/null", O_WRONLY);

	assert_true(inherited > STDERR_FILENO);
	check_ok(step(open_loop("alone.c",
		"#include <fcntl.h>\n#include <stdlib.h>\n#include <sys/prctl.h>\n"
		"#include <unistd.h>\n"
		"/* slexplore: a=f64[n] cflags=-O1 */\n"
		"static __attribute__((constructor)) void look(void) {\n"
		"for (int i = 3; i < 1024; i++) if (fcntl(i, F_GETFD) >= 0) abort();\n"
		"if (getsid(0) != getpid() || !prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)) abort(); }\n"
		"double kept;\n"
		"long loop(long n, double *a) { for (long i = 0; i < n; "
		"i++) kept += a[i]; return 0; }\n")));
	close(inherited);
}

/* The walk through data of 4 MiB follows from a sample at the setting's n. */
TEST(test_walk)
{
	check_ok(step(open_loop("walk.c",
		"/* slexplore: a=list(n,64) n=65536 */\n"
		"struct node { struct node *next; };\n"
		"long loop(long n, struct node *p) { long k = 0; for (; p; p = p->next) k++; "
		"return k; }\n")));
	assert_true(walked);
	assert_true(walk.scattered);
	check_near(walk.lines, 1, 0.05);
	check_near(walk.range, 4 << 20, 1 << 18);
	check_near(walk.chains, 1, 1e-9);
}

/* If an element has hundreds of instructions, fewer elements are stepped. */
TEST(test_long_elements)
{
	check_ok(step(open_loop("long.c",
		"/* slexplore: a=i64[n] cflags=-O1 */\n"
		"long loop(long n, long *a) { long s = 0; for (long i = 0; i < n; i++) for (long k "
		"= 0; k < 200; k++) s += a[i] ^ k; return s; }\n")));
	assert_true(loop.insns_per_element > 500);
}

/* Several calls show the branches of a loop, each with other data. A loop without branches on data
 * needs no such calls. */
TEST(test_branches)
{
	int taken[2] = { 0, 0 }, differ = 0, found = 0;

	check_ok(step(open_loop("branch.c",
		"/* slexplore: a=u8[n]:random(2) n=256 cflags=-O1 */\n"
		"long loop(long n, unsigned char *a) { long k = 0; for (long i = 0; i < n; i++) if "
		"(a[i]) { k++; __asm__ volatile(\"\"); } return k; }\n")));
	assert_true(branches.first >= 512 && branches.count > 4 * branches.first);
	/* The code that calls the loop has branches too, and more of them under a sanitizer. */
	check_near(branches.elements, 256.0 * branches.count / branches.first,
		0.15 * branches.elements);
	for (int i = 0; i < branches.first; i++) {
		taken[branches.branch[i].taken]++;
		differ += branches.branch[i].taken != branches.branch[i + branches.first].taken;
	}
	assert_true(taken[0] > 16 && taken[1] > 16);
	assert_true(differ > 8);
	check_ok(step(open_loop("plain.c",
		"/* slexplore: a=u8[n]:random(2) n=64 cflags=-O1 */\n"
		"long loop(long n, unsigned char *a) { long k = 0; for (long i = 0; i < n; i++) k "
		"+= a[i]; return k; }\n")));
	assert_int_equal(branches.count, 0);
	/* The path of a large call may begin at another instruction than that of a small call. The
	 * addresses of the branches are those of the loop all the same. */
	check_ok(step(open_loop("runs.c",
		"/* slexplore: a=u8[n]:random(2) b=u8[2*n] n=16k */\n"
		"long loop(long n, unsigned char *a, unsigned char *b) { long o = 0; unsigned char "
		"c = "
		"a[0]; unsigned k = 0; for (long i = 0; i < n; i++) { if (a[i] == c && k < 255) "
		"k++; "
		"else { b[o++] = c; b[o++] = k; c = a[i]; k = 1; } } return o; }\n")));
	assert_true(branches.count > 1000);
	for (int i = 0; i < branches.count; i++)
		for (int k = 0; k < loop.insn_count; k++)
			found += loop.insn[k].address == branches.branch[i].address &&
				 loop.insn[k].flow == FLOW_BRANCH;
	assert_true(found > branches.count * 9 / 10);
}

/* The target of a call depends on data: no branch of the loop goes both ways. */
TEST(calls_by_pointers_are_branches_too)
{
	int calls = 0;

	check_ok(step(open_loop("calls.c",
		"/* slexplore: a=u8[n]:random(2) n=256 cflags=-O1 */\n"
		"__attribute__((noinline)) static long f(long v) { return v + 1; }\n"
		"__attribute__((noinline)) static long g(long v) { return v * 3; }\n"
		"static long (*volatile t[2])(long) = { f, g };\n"
		"long loop(long n, unsigned char *a) { long s = 0; for (long i = 0; i < n; i++) "
		"s += t[a[i]](i); return s; }\n")));
	assert_false(loop.varies);
	assert_true(branches.count > 1000);
	for (int i = 0; i < branches.count; i++)
		calls += branches.branch[i].indirect;
	assert_true(calls > branches.count / 4);
}

/* An inner loop up to n has as many iterations as in the user's calls. */
TEST(a_small_n_is_stepped_as_it_is)
{
	static double each[2];

	for (int i = 0; i < 2; i++) {
		check_ok(step(open_loop(
			"small.c", words_of("/* slexplore: a=u64[n] n=%d cflags=-O1 */\n"
					    "long loop(long n, volatile unsigned long *a) {\n"
					    "unsigned long s = 0;\n"
					    "for (long i = 0; i < n; i++) for (long k = 0; k < i; "
					    "k++) s += a[k];\n"
					    "return (long)s; }\n",
					   i ? 64 : 32)
					   .text)));
		each[i] = loop.insns_per_element;
	}
	check_near(each[1] / each[0], 2, 0.1);
}

/* A loop whose calls take minutes to single-step can be stopped. The signal stays, so a process of
 * its own gets it. */
TEST(a_signal_ends_the_stepping)
{
	const struct kernel *kernel =
		open_loop("s.c", "/* slexplore: a=f64[n] cflags=-O1 */\n"
				 "double kept;\n"
				 "long loop(long n, double *a) { for (long i = 0; i < n; i++) kept "
				 "+= a[i]; return 0; }\n");
	pid_t child;
	int how;

	check_ok(step(kernel));
	child = fork();
	if (child == 0) {
		interrupt_catch();
		raise(SIGTERM);
		_exit(step(kernel).code == STATUS_CANCELLED ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

RUN_TESTS(.each_set_up = setup, .each_tear_down = teardown)
