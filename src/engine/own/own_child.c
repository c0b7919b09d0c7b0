#include "engine/own/own_child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fatal.h"

/* Milliseconds for the end of all descendants. */
enum { ENDING_MS = 5000 };

/* Limits of the user's code. FILE_MOST: bytes of each file. FILES_MOST: open files. PROCESSES_MOST:
 * processes and threads of this user; Linux does not limit the processes of root. */
enum { FILE_MOST = 256 << 20, FILES_MOST = 256, PROCESSES_MOST = 4096 };

/* Bytes of private memory that the user's code may allocate beside its data. Code that allocates
 * without end reaches this limit before the explorer or other programs lack memory. */
static const rlim_t memory_most = (rlim_t)1 << 30;
const char own_child_memory_words[] = "allocated more than 1 GiB beside its data, and then ";

void own_child_limit(int resource, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now) != 0)
		return;
	now.rlim_cur = now.rlim_cur < most ? now.rlim_cur : most;
	now.rlim_max = now.rlim_max < most ? now.rlim_max : most;
	setrlimit(resource, &now);
}

pid_t own_child_fork(void)
{
	const pid_t before = getpid();
	sigset_t stops, mask;
	pid_t child;

	sigemptyset(&stops);
	sigaddset(&stops, SIGTSTP);
	sigaddset(&stops, SIGTTIN);
	sigaddset(&stops, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &stops, &mask);
	child = fork();
	if (child != 0) {
		int error = errno;

		pthread_sigmask(SIG_SETMASK, &mask, NULL);
		errno = error;
		return child;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent may have ended before prctl(). */
	if (getppid() != before)
		_exit(1);
	return 0;
}

void own_child_plain(void)
{
	sigset_t none;

	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	own_child_limit(RLIMIT_CORE, 0);
}

static void close_range_of(unsigned first, unsigned last)
{
	struct rlimit files = { .rlim_cur = 0 };

	if (first > last)
		return;
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, last, 0) == 0)
		return;
#endif
	/* Linux before 5.9 closes descriptors only one by one. */
	getrlimit(RLIMIT_NOFILE, &files);
	for (unsigned i = first; i <= last && i < files.rlim_cur && i < 1 << 16; i++)
		close((int)i);
}

void own_child_close(int kept)
{
	close_range_of(STDERR_FILENO + 1, kept < 0 ? UINT_MAX : (unsigned)kept - 1);
	if (kept >= 0)
		close_range_of((unsigned)kept + 1, UINT_MAX);
}

#ifdef __x86_64__
#define THIS_ARCH AUDIT_ARCH_X86_64
/* The bit that is set in the numbers of system calls of the x32 ABI. */
#define ABI_BIT 0x40000000u
#else
#define THIS_ARCH AUDIT_ARCH_AARCH64
#define ABI_BIT	  0u
#endif

#define REFUSAL	     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), REFUSAL
#define ARGUMENT(number) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (number))
#define IS(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, then, otherwise)
#define PERMISSION		   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Refuses a call whose argument names another process. */
#define REFUSE_OTHERS(call, number)                                                        \
	IS(SYS_##call, 0, 5), ARGUMENT(number), IS(0, 1, 0), IS((unsigned)getpid(), 0, 1), \
		PERMISSION, REFUSAL

/* Refuses this process every way to outlive the measurement: new processes (threads are allowed),
 * its own session or group, and a change of its end with its parent (PR_SET_PDEATHSIG), which a
 * change of the user would also undo. Refuses it to trace, stop or end other processes, such as the
 * explorer. Without seccomp, nothing is refused. */
static void refuse_to_outlive(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
		REFUSAL,
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~ABI_BIT),
		REFUSE(ptrace),
		REFUSE(process_vm_writev),
		REFUSE(rt_sigqueueinfo),
		REFUSE(rt_tgsigqueueinfo),
#ifdef SYS_pidfd_send_signal
		REFUSE(pidfd_send_signal),
#endif
		/* A file or a socket sends signals to its owner. The owner of a terminal is its
		 * foreground group, such as the explorer, unless it was given another. */
		IS(SYS_fcntl, 0, 8),
		ARGUMENT(1),
		IS(F_SETOWN, 4, 0),
		IS(F_SETOWN_EX, 3, 0),
		IS(F_SETFL, 0, 3),
		ARGUMENT(2),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_ASYNC, 0, 1),
		REFUSAL,
		PERMISSION,
		IS(SYS_ioctl, 0, 6),
		ARGUMENT(1),
		IS(FIOSETOWN, 2, 0),
		IS(SIOCSPGRP, 1, 0),
		IS(FIOASYNC, 0, 1),
		REFUSAL,
		PERMISSION,
		/* A limit of another process, such as on its processor time, can end it. */
		REFUSE_OTHERS(prlimit64, 0),
		/* A counter of another process can send SIGTRAP to it. */
		REFUSE_OTHERS(perf_event_open, 1),
		/* kill(), tkill() and tgkill() are allowed for this process and its group (0). */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_kill, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tkill, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)getpid(), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		REFUSAL,
		REFUSE(setsid),
		REFUSE(setpgid),
		REFUSE(setuid),
		REFUSE(setgid),
		REFUSE(setreuid),
		REFUSE(setregid),
		REFUSE(setresuid),
		REFUSE(setresgid),
		REFUSE(setfsuid),
		REFUSE(setfsgid),
#ifdef SYS_fork
		REFUSE(fork),
		REFUSE(vfork),
#endif
#ifdef SYS_clone3
		/* The flags of clone3() are in memory, which a filter cannot read. C libraries call
		 * clone() if clone3() does not exist. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
		/* The lower half of the first argument. */
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		REFUSAL,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_PDEATHSIG, 0, 1),
		REFUSAL,
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	/* SPEC_ALLOW: a filter must not change how the processor speculates, because the user's
	 * code is measured. Without the flag SPEC_ALLOW, Linux before 5.16 would forbid loads to
	 * bypass earlier stores in filtered processes. */
	(void)syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program);
}

/* If memory runs out, Linux kills this process rather than the explorer. */
static void die_first(void)
{
	int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (file < 0)
		return;
	(void)TEMP_FAILURE_RETRY(write(file, "1000", 4));
	close(file);
}

void own_child_begin(int kept, int said)
{
	int nowhere, streams = said < 0 ? 3 : 2;

	/* A session of its own has no terminal: the terminal's keys (Ctrl-C, Ctrl-Z) reach only the
	 * explorer, and kill(0, …) in the user's code reaches only the child process. */
	setsid();
	own_child_plain();
	/* Set-user-ID programs that the user's code starts get no further rights. */
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	refuse_to_outlive();
	die_first();
	own_child_limit(RLIMIT_FSIZE, FILE_MOST);
	own_child_limit(RLIMIT_NOFILE, FILES_MOST);
	own_child_limit(RLIMIT_NPROC, PROCESSES_MOST);
	if (said >= 0)
		dup2(said, STDERR_FILENO);
	own_child_close(kept);
	nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int stream = STDIN_FILENO; nowhere >= 0 && stream < streams; stream++)
		dup2(nowhere, stream);
	if (nowhere > STDERR_FILENO)
		close(nowhere);
}

/* Returns the bytes of private memory of a process; 0: unknown. Also called in a signal handler. */
static rlim_t private_memory(pid_t process)
{
	char path[32] = "/proc/self/statm", text[128];
	const char *at = text;
	unsigned long long pages = 0;
	ssize_t length;
	int file;

	if (process != getpid())
		snprintf(path, sizeof(path), "/proc/%d/statm", (int)process);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = TEMP_FAILURE_RETRY(read(file, text, sizeof(text) - 1));
	close(file);
	text[length > 0 ? length : 0] = '\0';
	/* The sixth number is the size of the data and the stack, in pages. */
	for (int field = 1; field < 6 && at; field++)
		at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
	for (; at && *at >= '0' && *at <= '9'; at++)
		pages = 10 * pages + (unsigned)(*at - '0');
	return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

bool own_child_memory_is_out(pid_t child)
{
	struct rlimit limit;

	return prlimit(child, RLIMIT_DATA, NULL, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       private_memory(child) + memory_most / 2 > limit.rlim_cur;
}

static atomic_bool *memory_out;

static void note_memory(int signal)
{
	(void)signal;
	if (own_child_memory_is_out(getpid()))
		atomic_store(memory_out, true);
}

void own_child_limit_memory(atomic_bool *out)
{
	static const int failures[] = { SIGSEGV, SIGBUS, SIGABRT };
	/* The stack of the user's code may be full. */
	static unsigned char memory[64 << 10];
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };
	const struct sigaction action = { .sa_handler = note_memory,
		.sa_flags = (int)(SA_ONSTACK | SA_RESETHAND) };
	rlim_t now = private_memory(getpid());

	if (now == 0)
		return;
	own_child_limit(RLIMIT_DATA, now + memory_most);
	memory_out = out;
	sigaltstack(&stack, NULL);
	for (size_t i = 0; out && i < sizeof(failures) / sizeof(failures[0]); i++)
		sigaction(failures[i], &action, NULL);
}

/* ---- in the parent */

/* The child processes that run now; 0: free. If the program ends by a signal, kill_all() ends them
 * with their descendants. */
static atomic_int children[16];
static atomic_int parent; /* the process that has these children */

enum { CHILDREN = sizeof(children) / sizeof(children[0]) };

static void kill_all(void)
{
	if (atomic_load(&parent) != getpid())
		return;
	for (int i = 0; i < CHILDREN; i++) {
		int child = atomic_load(&children[i]);

		if (child > 0) {
			kill(child, SIGKILL);
			kill(-child, SIGKILL);
		}
	}
}

void own_child_began(pid_t child)
{
	if (atomic_exchange(&parent, getpid()) != getpid())
		fatal_remover(kill_all);
	for (int i = 0, none = 0; i < CHILDREN; i++, none = 0)
		if (atomic_compare_exchange_strong(&children[i], &none, (int)child))
			return;
}

static void forget(pid_t child)
{
	for (int i = 0, number = (int)child; i < CHILDREN; i++, number = (int)child)
		if (atomic_compare_exchange_strong(&children[i], &number, 0))
			return;
}

bool own_child_over(pid_t child)
{
	siginfo_t about = { .si_pid = 0 };

	return waitid(P_PID, (id_t)child, &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       about.si_pid == child;
}

int own_child_end(pid_t child, bool now)
{
	siginfo_t about;
	int how = 0;

	if (now)
		kill(child, SIGKILL);
	/* The child process is reaped after the kill of its group, so that its number still names
	 * its group. */
	(void)TEMP_FAILURE_RETRY(waitid(P_PID, (id_t)child, &about, WEXITED | WNOWAIT));
	kill(-child, SIGKILL);
	forget(child);
	(void)TEMP_FAILURE_RETRY(waitpid(child, &how, __WALL));
	return how;
}

void own_child_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Kills the child processes of this thread. */
static void kill_children(void)
{
	char path[64], list[4096];
	ssize_t length;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)gettid());
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return;
	/* The last number may be cut: it is read again after the first ones have ended. */
	length = TEMP_FAILURE_RETRY(read(file, list, sizeof(list) - 1));
	close(file);
	list[length > 0 ? length : 0] = '\0';
	for (char *at = list, *end; (end = strchr(at, ' ')); at = end + 1) {
		long child = strtol(at, NULL, 10);

		if (child > 1)
			kill((pid_t)child, SIGKILL);
	}
}

void own_child_end_adopted(void)
{
	for (int i = 0; i < ENDING_MS; i++) {
		pid_t ended;

		kill_children();
		while ((ended = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (ended < 0)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

struct own_ending own_ended_by(int signal)
{
	static const char *const words[32] = {
		[SIGSEGV] = "accessed memory that does not exist (SIGSEGV)",
		[SIGBUS] = "accessed memory that has no page (SIGBUS)",
		[SIGFPE] = "divided by zero, or overflowed in a division (SIGFPE)",
		[SIGILL] = "ran an instruction that this processor does not have (SIGILL)",
		[SIGABRT] = "aborted (SIGABRT)",
		[SIGSYS] = "made a system call that is not allowed (SIGSYS)",
		[SIGTRAP] = "ran into a breakpoint (SIGTRAP)",
		[SIGSTOP] = "stopped itself (SIGSTOP)",
		[SIGXFSZ] = "wrote a file of more than 256 MiB (SIGXFSZ)",
		[SIGKILL] = "was killed (SIGKILL), perhaps because memory ran out",
	};
	struct own_ending ending;

	if (signal > 0 && signal < 32 && words[signal])
		snprintf(ending.text, sizeof(ending.text), "%s", words[signal]);
	else
		snprintf(ending.text, sizeof(ending.text), "was ended by signal %d", signal);
	return ending;
}

/* ---- the text on standard error */

bool own_said_open(struct own_said *said, int *to)
{
	int ends[2];

	*said = (struct own_said){ .from = -1 };
	*to = -1;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	said->from = ends[0];
	*to = ends[1];
	return true;
}

void own_said_read(struct own_said *said)
{
	char block[4096];
	ssize_t got;

	/* A full pipe would stop the process, so text that is not kept is read, too. */
	while (said->from >= 0 &&
		(got = TEMP_FAILURE_RETRY(read(said->from, block, sizeof(block)))) > 0) {
		size_t room = sizeof(said->text) - said->length,
		       kept = (size_t)got < room ? (size_t)got : room;

		memcpy(said->text + said->length, block, kept);
		said->length += kept;
	}
}

struct words own_said_close(struct own_said *said)
{
	struct words words = { "" };
	const char *at = said->text, *end = at + said->length;
	size_t length = 0;

	own_said_read(said);
	end = at + said->length;
	if (said->from >= 0)
		close(said->from);
	said->from = -1;
	for (int lines = 0; lines < 2 && at < end; at++) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		if (!line_end)
			line_end = end;
		while (at < line_end && *at == ' ')
			at++;
		if (at < line_end)
			length += (size_t)snprintf(words.text + length, sizeof(words.text) - length,
				"%s%.*s", lines++ ? " " : ": ",
				(int)(line_end - at < 100 ? line_end - at : 100), at);
		at = line_end;
	}
	for (char *byte = words.text; *byte; byte++)
		if ((unsigned char)*byte < ' ' || *byte == 127)
			*byte = '?';
	return words;
}
