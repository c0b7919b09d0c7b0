/* Single-steps a child process. The single-stepped child process stops itself twice: when tracing
 * starts, and when everything is set up. After the second stop of the child, the parent
 * single-steps each instruction of the child. The empty function mark() marks the beginning and end
 * of a run. The address of mark() is the same in parent and child. */
#include "model/code/step.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/text.h"
#include "engine/machine/environment.h"
#include "engine/own/own.h"
#include "engine/own/own_child.h"
#include "model/code/decode.h"
#include "model/code/step_path.h"
#include "model/code/step_walk.h"

/* Exit statuses of the child. EXIT_PREPARED_BADLY: prepare() failed. EXIT_REFUSED: exit status of a
 * child process that the system does not allow to be traced with ptrace. */
enum { EXIT_PREPARED_BADLY = 100, EXIT_REFUSED = 99 };

/* ---- Functions that run in the child ---- */

static __attribute__((noinline, used)) void mark(void)
{
	__asm__ volatile("" ::: "memory");
}

static void stop_self(void)
{
	syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGSTOP);
}

static struct timeval timer_time(double seconds)
{
	return (struct timeval){ (time_t)seconds,
		(suseconds_t)((seconds - (double)(time_t)seconds) * 1e6) + 1 };
}

static _Noreturn void child_main(const struct step_plan *plan)
{
	double whole = plan->seconds < 3600 ? plan->seconds : 3600;
	struct itimerval limit = { .it_value = timer_time(whole),
		.it_interval = timer_time(whole / 8) };
	const volatile uint64_t counts[] = { plan->shorter, plan->longer, plan->longer };

	own_child_plain();
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(EXIT_REFUSED);
	stop_self();
	/* The timer wakes the parent when the time is up. The timer of the single-stepping parent
	 * repeats, because late() allows more time on a busy machine. */
	setitimer(ITIMER_REAL, &limit, NULL);
	if (plan->prepare && plan->prepare(plan->context) != 0)
		_exit(EXIT_PREPARED_BADLY);
	if (!plan->cold)
		plan->run(plan->context, plan->shorter);
	stop_self();
	/* The first and the second call of mark() enclose the shorter run of the kernel; the second
	 * and the third enclose the longer run. Apart from the run, the code between two calls of
	 * mark() is the same. The parent stops single-stepping at the third call of mark(). */
	for (volatile int i = 0; i < 3; i++) {
		mark();
		plan->run(plan->context, counts[i]);
	}
	_exit(0);
}

/* ---- Registers and addresses of the child ---- */

struct registers {
	uint64_t at;	      /* address of the next instruction */
	uint64_t general[32]; /* values of the general registers, in the order of REG_GENERAL */
};

/* Reads the registers of a stopped child. Returns false if the child no longer exists. */
static bool read_registers(pid_t child, struct registers *registers)
{
	struct user_regs_struct r;
	struct iovec room = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &room) != 0)
		return false;
#if defined(__x86_64__)
	*registers = (struct registers){
		.at = r.rip,
		.general = { r.rax, r.rcx, r.rdx, r.rbx, r.rsp, r.rbp, r.rsi, r.rdi, r.r8, r.r9,
			r.r10, r.r11, r.r12, r.r13, r.r14, r.r15 },
	};
#else
	registers->at = r.pc;
	memcpy(registers->general, r.regs, sizeof(r.regs));
	registers->general[31] = r.sp;
#endif
	return true;
}

/* Finds the value of a general register; REG_NONE has the value 0. Returns false if the register is
 * not a general register. */
static bool general(uint8_t reg, const struct registers *registers, uint64_t *value)
{
	bool known = reg >= REG_GENERAL && reg < REG_VECTOR;

	*value = known ? registers->general[reg - REG_GENERAL] : 0;
	return known || reg == REG_NONE;
}

/* The address of a memory operand before its instruction runs; 0: unknown. */
static uint64_t address_of(const struct insn_memory *memory, const struct registers *registers)
{
	uint64_t base, index, address;

	if (memory->elsewhere || memory->vector_index || !general(memory->base, registers, &base) ||
		!general(memory->index, registers, &index))
		return 0;
	if (memory->relative)
		return (uint64_t)memory->disp;
	if (memory->extend == EXTEND_UNSIGNED)
		index = (uint32_t)index;
	if (memory->extend == EXTEND_SIGNED)
		index = (uint64_t)(int64_t)(int32_t)index;
	address = base + index * memory->scale + (uint64_t)memory->disp;
	return memory->extend == EXTEND_ADDRESS ? (uint32_t)address : address;
}

/* ---- Functions that run in the parent ---- */

enum { CODE_BYTES = 16, SLOTS = 1 << 17 };

struct tracer {
	const struct step_plan *plan;
	pid_t child;
	bool gone;    /* the child has ended, and waitpid() has reported its end */
	double begin; /* time when tracing started, from monotonic_seconds() */
	struct step_share
		before; /* time that this thread had run and waited for a processor until `begin` */

	int insn_count;
	struct insn *insn;
	int *slot; /* hash table by address, with SLOTS entries: 1 + the index of the instruction in
		      `insn`; 0: the entry is free */

	int seen_count;
	struct loop_step *seen; /* recorded steps (executed instructions) of the longer run; if
				   plan->kept, the steps of the shorter run come before them */
	int split;		/* number of recorded steps of the shorter run */
	uint64_t head; /* address, relative to loop(), at which single-stepping of a part of a call
			  begins */
	bool sampling; /* single-stepping ends without an error after plan->most_steps steps */
};

/* Adds the seconds that a thread ran, and the seconds that it waited for a processor, to `share`.
 * Returns false if the Linux kernel does not report the times of a thread. */
static bool add_share(const char *schedstat, struct step_share *share)
{
	FILE *file = fopen(schedstat, "re");
	unsigned long long ran, waited;
	bool there = file && fscanf(file, "%llu %llu", &ran, &waited) == 2;

	if (file)
		fclose(file);
	if (!there)
		return false;
	share->ran += (double)ran * 1e-9;
	share->waited += (double)waited * 1e-9;
	return true;
}

#define OWN_SCHEDSTAT "/proc/thread-self/schedstat"

bool step_late(double elapsed, const struct step_share *share, double seconds)
{
	if (elapsed < seconds)
		return false;
	return share->ran >= seconds || elapsed >= seconds * STEP_LATEST ||
	       share->ran + share->waited < elapsed * STEP_IDLE;
}

/* Whether the time limit for single-stepping the child process is over. Parent and child run
 * alternately. On a busy machine, parent and child wait for other processes at every step. */
static bool late(const struct tracer *tracer)
{
	double elapsed = monotonic_seconds() - tracer->begin;
	struct step_share share = { -tracer->before.ran, -tracer->before.waited };
	char path[48];

	if (elapsed < tracer->plan->seconds)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)tracer->child);
	if (!add_share(path, &share) || !add_share(OWN_SCHEDSTAT, &share))
		return true;
	return step_late(elapsed, &share, tracer->plan->seconds);
}

/* The reason why ptrace cannot trace a child on this machine. */
static struct status refused(int error)
{
	int64_t scope = system_number("", "/proc/sys/kernel/yama/ptrace_scope", 0);
	char seccomp[8];

	if (scope >= 3)
		return status_failed("stepping is not allowed here: "
				     "kernel.yama.ptrace_scope is %d, which forbids ptrace",
			(int)scope);
	if (system_value("", "/proc/self/status", "Seccomp", seccomp, sizeof(seccomp)) &&
		strcmp(seccomp, "0") != 0)
		return status_failed("stepping is not allowed here: a seccomp filter, "
				     "as containers have, refuses ptrace");
	return status_failed(
		"stepping is not possible here: ptrace is refused%s%s (an emulator, perhaps)",
		error ? ": " : "", error ? strerror(error) : "");
}

/* Writes the file and offset of an address in the child: "mine.so+0x1139". The file and offset come
 * from the child's memory map. */
static void describe_place(pid_t child, uint64_t address, char *buffer, size_t size)
{
	char path[64], line[512];
	FILE *file;

	snprintf(buffer, size, "0x%" PRIx64, address);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)child);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		uint64_t begin, end, offset;
		int at = 0;
		char *name;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &begin, &end,
			    &offset, &at) < 3 ||
			!at || address < begin || address >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		name = strrchr(line + at, '/') ? strrchr(line + at, '/') + 1 : line + at;
		if (*name)
			snprintf(buffer, size, "%.80s+0x%" PRIx64, name, address - begin + offset);
		break;
	}
	if (file)
		fclose(file);
}

static struct status ended_by_signal(const struct tracer *tracer, int number)
{
	struct registers registers;
	char place[128] = "";

	if (number == SIGALRM)
		return status_failed(
			"single-stepping the loop took longer than %.3g s", tracer->plan->seconds);
	if (!tracer->gone && read_registers(tracer->child, &registers))
		describe_place(tracer->child, registers.at, place, sizeof(place));
	return status_failed(
		"the code %s%s%s", own_ended_by(number).text, *place ? " at " : "", place);
}

/* Whether a signal does not come from the stepped code, but usually from the terminal.
 * Single-stepping ignores a signal from the terminal in the child, because the explorer receives it
 * too. */
static bool passes(int number)
{
	return number == SIGWINCH || number == SIGCHLD || number == SIGCONT || number == SIGURG ||
	       number == SIGINT || number == SIGQUIT || number == SIGTSTP || number == SIGHUP ||
	       number == SIGTERM || number == SIGPIPE;
}

/* Continues the child with `request` (PTRACE_CONT or PTRACE_SINGLESTEP). Waits until the signal
 * `wanted` stops the child process. */
static struct status go(struct tracer *tracer, int request, int wanted)
{
	bool stepping = request == PTRACE_SINGLESTEP;

	for (;;) {
		int how = 0;
		pid_t waited;

		if (ptrace(request, tracer->child, NULL, NULL) != 0 && errno != ESRCH)
			return refused(errno);
		/* A child that runs freely may disable its own timer, so the parent checks the time
		 * too. */
		while ((waited = waitpid(tracer->child, &how, __WALL | (stepping ? 0 : WNOHANG))) <=
			0) {
			const struct timespec moment = { 0, 50000 };

			if (waited < 0 && errno != EINTR)
				return status_failed("the single-stepped process has ended: %s",
					strerror(errno));
			if (late(tracer))
				return ended_by_signal(tracer, SIGALRM);
			if (!stepping)
				nanosleep(&moment, NULL);
		}
		if (WIFEXITED(how) || WIFSIGNALED(how)) {
			tracer->gone = true;
			if (WIFSIGNALED(how))
				return ended_by_signal(tracer, WTERMSIG(how));
			if (WEXITSTATUS(how) == EXIT_PREPARED_BADLY && tracer->plan->failure)
				return *tracer->plan->failure;
			return status_failed(
				"the loop ended the single-stepped process: exit status %d",
				WEXITSTATUS(how));
		}
		if (WSTOPSIG(how) == wanted)
			return status_ok();
		if (!passes(WSTOPSIG(how)) && !(WSTOPSIG(how) == SIGALRM && !late(tracer)))
			return ended_by_signal(tracer, WSTOPSIG(how));
	}
}

static struct status start(struct tracer *tracer)
{
	int how;

	tracer->begin = monotonic_seconds();
	tracer->before = (struct step_share){ 0 };
	add_share(OWN_SCHEDSTAT, &tracer->before);
	tracer->child = fork();
	if (tracer->child == 0)
		child_main(tracer->plan);
	if (tracer->child < 0) {
		tracer->gone = true;
		return status_failed(
			"no process could be started for single-stepping: %s", strerror(errno));
	}
	if (TEMP_FAILURE_RETRY(waitpid(tracer->child, &how, __WALL)) < 0)
		return status_failed("the process to single-step has ended: %s", strerror(errno));
	if (!WIFSTOPPED(how)) {
		tracer->gone = true;
		return refused(0);
	}
	(void)ptrace(PTRACE_SETOPTIONS, tracer->child, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL);
	return go(tracer, PTRACE_CONT, SIGSTOP);
}

/* The slot of an address in the hash table. If the hash table does not contain the address, returns
 * a free slot for it. */
static int *find_slot(struct tracer *tracer, uint64_t address)
{
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 32) % SLOTS;

	while (tracer->slot[at] && tracer->insn[tracer->slot[at] - 1].address != address)
		at = (at + 1) % SLOTS;
	return &tracer->slot[at];
}

/* Reads up to CODE_BYTES bytes of code from the child, word by word. Stops at the end of readable
 * memory. */
static size_t read_code(const struct tracer *tracer, uint64_t address, uint8_t *bytes)
{
	size_t got = 0;

	while (got < CODE_BYTES) {
		size_t skip = (address + got) % sizeof(long), more = sizeof(long) - skip;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKTEXT, tracer->child,
			(void *)(uintptr_t)(address + got - skip), NULL);
		if (errno)
			break;
		if (more > CODE_BYTES - got)
			more = CODE_BYTES - got;
		memcpy(bytes + got, (const char *)&word + skip, more);
		got += more;
	}
	return got;
}

/* The index of the instruction at an address of the child. -1: the address has no readable code, or
 * there are too many instructions. Each instruction of the child process is decoded only once. */
static int meet(struct tracer *tracer, uint64_t address)
{
	int *slot = find_slot(tracer, address);
	uint8_t code[CODE_BYTES];
	size_t size;

	if (*slot)
		return *slot - 1;
	size = read_code(tracer, address, code);
	if (size == 0 || tracer->insn_count == SLOTS / 2)
		return -1;
	tracer->insn = memory_grow(tracer->insn, (size_t)tracer->insn_count, sizeof(*tracer->insn));
	decode_insn(code, size, address, &tracer->insn[tracer->insn_count]);
	*slot = ++tracer->insn_count;
	return *slot - 1;
}

static void keep(struct tracer *tracer, int index, const struct registers *registers)
{
	const struct insn *insn = &tracer->insn[index];
	struct loop_step *seen;

	tracer->seen = memory_grow(tracer->seen, (size_t)tracer->seen_count, sizeof(*tracer->seen));
	seen = &tracer->seen[tracer->seen_count++];
	*seen = (struct loop_step){ .insn = (uint16_t)index };
	for (int i = 0; i < insn->memory_count; i++)
		if (insn->memory[i].load || insn->memory[i].store)
			seen->address[i] = address_of(&insn->memory[i], registers);
}

/* The words of the message about a run with too many instructions. */
#define NOT_ENDED " did not end within"

/* Steps the child until its next instruction is mark(). Counts the steps before mark(). If `kept`
 * is true, records each single-stepped instruction. */
static struct status step_to(struct tracer *tracer, bool kept, int *steps)
{
	struct registers registers;
	uint64_t before = 0;

	for (*steps = 0;;) {
		struct status status;
		int index;

		if (!read_registers(tracer->child, &registers))
			return status_failed(
				"the registers of the stepped process cannot be read: %s",
				strerror(errno));
		if (registers.at == (uint64_t)(uintptr_t)mark && *steps > 0)
			return status_ok();
		index = kept || registers.at == before ? meet(tracer, registers.at) : 0;
		if (index < 0)
			return ended_by_signal(tracer, SIGSEGV);
		/* If the address did not change, the instruction repeats itself (rep movsb) and
		 * counts as one step. An instruction that jumps to itself is a new step each time.
		 */
		if (registers.at != before || tracer->insn[index].flow != FLOW_NONE) {
			if (*steps >= tracer->plan->most_steps && tracer->sampling)
				return status_ok();
			if (*steps >= tracer->plan->most_steps)
				return status_failed("stepping %llu elements" NOT_ENDED
						     " %d instructions",
					(unsigned long long)(kept ? tracer->plan->longer
								  : tracer->plan->shorter),
					tracer->plan->most_steps);
			if (kept)
				keep(tracer, index, &registers);
			++*steps;
		}
		before = registers.at;
		status = go(tracer, PTRACE_SINGLESTEP, SIGTRAP);
		if (!status_is_ok(&status))
			return status;
	}
}

/* Changes the address of the next instruction of a stopped child. */
static bool set_place(pid_t child, uint64_t at)
{
	struct user_regs_struct r;
	struct iovec room = { &r, sizeof(r) };

	if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &room) != 0)
		return false;
#if defined(__x86_64__)
	r.rip = at;
#else
	r.pc = at;
#endif
	return ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &room) == 0;
}

/* Runs the child at full speed until it is about to execute the instruction at `address`, by a
 * breakpoint. */
static struct status run_to(struct tracer *tracer, uint64_t address)
{
#if defined(__x86_64__)
	static const uint8_t trap[] = { 0xcc };
#else
	static const uint8_t trap[] = { 0x00, 0x00, 0x20, 0xd4 };
#endif
	void *at = (void *)(uintptr_t)address;
	struct status status;
	long word, changed;

	errno = 0;
	word = changed = ptrace(PTRACE_PEEKTEXT, tracer->child, at, NULL);
	if (errno)
		return status_failed(
			"the code of the hot loop cannot be read: %s", strerror(errno));
	memcpy(&changed, trap, sizeof(trap));
	if (ptrace(PTRACE_POKETEXT, tracer->child, at, (void *)changed) != 0)
		return status_failed(
			"no breakpoint could be set in the hot loop: %s", strerror(errno));
	status = go(tracer, PTRACE_CONT, SIGTRAP);
	if (status_is_ok(&status) &&
		(ptrace(PTRACE_POKETEXT, tracer->child, at, (void *)word) != 0 ||
			!set_place(tracer->child, address)))
		status = status_failed(
			"the breakpoint in the hot loop could not be removed: %s", strerror(errno));
	return status;
}

static struct status trace(struct tracer *tracer, struct loop *loop)
{
	const struct step_plan *plan = tracer->plan;
	int steps[3] = { 0 }; /* number of steps before the first call of mark(), in the shorter
				 run, and in the longer run */
	struct status status = start(tracer);

	for (int i = 0; i < 3 && status_is_ok(&status); i++) {
		tracer->split = tracer->seen_count;
		status = step_to(tracer, i == 2 || (i == 1 && plan->kept), &steps[i]);
	}
	if (!status_is_ok(&status))
		return status;
	/* The two runs may differ by one or two instructions even if the code ignores the number of
	 * elements. */
	if (steps[2] <= steps[1] + 2)
		return status_failed("%llu elements take as many instructions as %llu: does the "
				     "code use its count n?",
			(unsigned long long)plan->longer, (unsigned long long)plan->shorter);
	return step_path(&(struct step_trace){ tracer->insn, tracer->insn_count,
				 tracer->seen + tracer->split, tracer->seen_count - tracer->split },
		(double)(steps[2] - steps[1]) / (double)(plan->longer - plan->shorter), loop);
}

static void end(struct tracer *tracer)
{
	/* The user's code may have started processes, which belong to its child's group. */
	if (!tracer->gone)
		own_child_end(tracer->child, true);
	else if (tracer->child > 0)
		kill(-tracer->child, SIGKILL);
}

/* Runs `how`, which single-steps a child, on one processor. Parent and child run alternately. If
 * they ran on two processors, each step would wake a processor: 80 instead of 20 µs in a virtual
 * machine. The child inherits the parent's processor. */
static struct status on_one_processor(struct status (*how)(struct tracer *, struct loop *),
	struct tracer *tracer, struct loop *loop)
{
	struct status status;
	cpu_set_t before, here;
	int cpu = sched_getcpu();
	bool bound = false;

	if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(before), &before) == 0) {
		CPU_ZERO(&here);
		CPU_SET(cpu, &here);
		bound = sched_setaffinity(0, sizeof(here), &here) == 0;
	}
	status = how(tracer, loop);
	end(tracer);
	if (bound)
		sched_setaffinity(0, sizeof(before), &before);
	return status;
}

static struct tracer tracer_of(const struct step_plan *plan)
{
	return (struct tracer){ .plan = plan, .slot = memory_new(SLOTS, sizeof(int)) };
}

static void forget(struct tracer *tracer)
{
	free(tracer->insn);
	free(tracer->slot);
	free(tracer->seen);
	*tracer = (struct tracer){ .gone = true };
}

struct status step_loop(const struct step_plan *plan, struct loop *loop)
{
	struct tracer tracer = tracer_of(plan);
	struct status status;

	loop_clear(loop);
	status = on_one_processor(trace, &tracer, loop);
	forget(&tracer);
	if (!status_is_ok(&status))
		loop_clear(loop);
	return status;
}

/* ---- Stepping the user's own loops */

/* The number of data elements n grows until the recorded path has TURNS_ENOUGH iterations or
 * PATH_ENOUGH steps. One iteration of a vectorised loop can process dozens of elements. If the
 * numbers of elements are powers of two, neither run executes the remainder loop after a vectorised
 * loop. SAMPLE_STEPS: number of instructions that are single-stepped in a call with the user's n;
 * fewer than SAMPLE_LEAST show too little. */
enum {
	N_FIRST = 128,
	N_LONG = 16,
	N_TIMES = 8,
	N_MOST = 8192,
	TURNS_ENOUGH = 24,
	PATH_ENOUGH = 400,
	STEPS_MOST = 60000,
	SAMPLE_STEPS = 8192,
	SAMPLE_LEAST = 512
};

/* If the data exceed SAMPLE_FROM bytes, a part of a call with the user's n is single-stepped. If
 * the data exceed SAMPLE_BYTES, the loop is single-stepped with a smaller n, because laying out
 * larger data takes too long. */
static const uint64_t sample_from = 16 << 10, sample_bytes = 128 << 20;

/* Time limit in seconds for single-stepping an own loop, which is a function of the user's library.
 * One single step of the child process needs 3 µs, or 20 µs under a hypervisor. */
static const double OWN_SECONDS = 2.0;

/* Memory that parent and child share. */
struct own_shared {
	struct status failure;
	struct own_laid laid;
};

/* The user's own loop while it is single-stepped. */
struct own_stepping {
	const struct own *own;
	const int64_t *v; /* values of the loop's knobs at the setting; the first is n */
	int64_t n;	  /* the length n of the single-stepped run */
	struct own_shared *shared;
	struct own_steps steps;
	struct step_plan plan;
	uint64_t mark, head; /* addresses, relative to loop(), of the instruction that counts
				elements, and of the first instruction of the hot loop */
	double each; /* number of elements from one execution of the counting instruction to the
			next; 0: there is no such instruction */
};

static void plan_steps(
	struct own_stepping *stepping, uint64_t seed, int64_t n, int64_t shorter, int most)
{
	stepping->n = n;
	stepping->steps = (struct own_steps){ .own = stepping->own,
		.v = stepping->v,
		.seed = seed,
		.n = { n, shorter },
		.failure = &stepping->shared->failure,
		.laid = &stepping->shared->laid };
	stepping->plan = (struct step_plan){ .run = own_steps_run,
		.context = &stepping->steps,
		.longer = own_elements(stepping->own, n),
		.shorter = own_elements(stepping->own, shorter ? shorter : n),
		.most_steps = most,
		.seconds = OWN_SECONDS,
		.prepare = own_steps_prepare,
		.kept = shorter > 0,
		.cold = shorter == 0,
		.failure = &stepping->shared->failure };
}

/* The trace (executed instructions) of the longer run, or of a part of a call with large data. */
static struct step_trace trace_of(const struct tracer *tracer)
{
	return (struct step_trace){ tracer->insn, tracer->insn_count, tracer->seen + tracer->split,
		tracer->seen_count - tracer->split };
}

/* Finds an instruction that runs a fixed number of times per element, and the first instruction of
 * the hot loop. */
static void find_mark(
	struct own_stepping *stepping, const struct tracer *tracer, const struct loop *loop)
{
	size_t room = (size_t)tracer->insn_count + 1;
	int *count[2] = { memory_new(room, sizeof(int)), memory_new(room, sizeof(int)) }, mark;
	const uint64_t from[2] = { stepping->plan.shorter, stepping->plan.longer };

	for (int i = 0; i < tracer->seen_count; i++)
		count[i >= tracer->split][tracer->seen[i].insn]++;
	mark = walk_mark(count[0], count[1], tracer->insn_count, from, &stepping->each);
	if (mark >= 0)
		stepping->mark = tracer->insn[mark].address - stepping->shared->laid.loop;
	stepping->head = loop->insn[loop->path[0].insn].address - stepping->shared->laid.loop;
	free(count[0]);
	free(count[1]);
}

/* Derives the order of memory accesses (walk) from a trace. `n` is the loop length that the user
 * chose. */
static bool find_walk(const struct own_stepping *stepping, const struct tracer *tracer, int64_t n,
	struct kernel_walk *walk)
{
	const struct own_description *description = own_description(stepping->own);
	struct walk_array array[OWN_ARGUMENTS];
	struct walk_question question = { .trace = trace_of(tracer),
		.array = array,
		.mark = -1,
		.each = stepping->each,
		.elements = (double)own_elements(stepping->own, n) };
	bool found;

	for (int i = 0; i < OWN_ARGUMENTS; i++)
		if (stepping->shared->laid.at[i])
			array[question.arrays++] = (struct walk_array){
				.at = stepping->shared->laid.at[i],
				.bytes = own_argument_bytes(&description->argument[i], stepping->n),
				.whole = (double)own_argument_bytes(&description->argument[i], n)
			};
	for (int i = 0; i < tracer->insn_count; i++)
		if (tracer->insn[i].address == stepping->shared->laid.loop + stepping->mark)
			question.mark = i;
	question.misses = memory_new((size_t)question.trace.seen_count + 1, sizeof(bool));
	found = stepping->each > 0 && question.mark >= 0 && walk_find(&question, walk);
	for (int i = 0; i < question.trace.seen_count && found; i++)
		tracer->seen[tracer->split + i].misses = question.misses[i];
	free(question.misses);
	return found;
}

/* Steps the child from the first iteration of its hot loop on. */
static struct status sample(struct tracer *tracer, struct loop *loop)
{
	const struct own_steps *steps = tracer->plan->context;
	struct status status = start(tracer);
	int taken = 0;

	(void)loop;
	tracer->sampling = true;
	if (status_is_ok(&status))
		status = run_to(tracer, steps->laid->loop + tracer->head);
	if (status_is_ok(&status))
		status = step_to(tracer, true, &taken);
	return taken >= SAMPLE_LEAST ? status_ok() : status;
}

/* Returns the largest length n, up to the user's, whose data are not too large to be laid out. */
static int64_t sampled_n(const struct own *own, int64_t n)
{
	const struct own_description *description = own_description(own);
	int64_t multiple = description->multiple * 2;

	while (own_bytes(description, n) > sample_bytes && n > N_MOST)
		n = (n / 2 + multiple - 1) / multiple * multiple;
	return n;
}

/* Takes the path of executed instructions from a part of a call with large data, because larger
 * data may lead to other paths, as in a search. Keeps the path of the small run if the part of the
 * large call shows too few instructions of the loop. */
static void take_loop(
	const struct own_stepping *stepping, const struct tracer *tracer, struct loop *loop)
{
	struct step_trace trace = trace_of(tracer);
	uint64_t mark = stepping->shared->laid.loop + stepping->mark;
	struct loop sampled;
	struct status status;
	int first = -1, last = -1, rounds = -1;

	for (int i = 0; i < trace.seen_count; i++)
		if (trace.insn[trace.seen[i].insn].address == mark) {
			first = first < 0 ? i : first;
			last = i;
			rounds++;
		}
	if (rounds < 2)
		return;
	loop_init(&sampled, loop->insn_room, loop->path_room);
	status = step_path(&trace, (last - first) / (rounds * stepping->each), &sampled);
	if (status_is_ok(&status) &&
		(sampled.turns >= TURNS_ENOUGH || sampled.path_count >= PATH_ENOUGH)) {
		struct loop small = *loop;

		*loop = sampled;
		sampled = small;
	}
	loop_free(&sampled);
}

/* Single-steps the loop with the user's n, and derives the order of its memory accesses (walk). */
static void step_sample(struct own_stepping *stepping, int64_t n, struct loop *loop,
	struct kernel_walk *walk, bool *walked)
{
	struct tracer tracer;
	struct status status;

	plan_steps(stepping, stepping->steps.seed, sampled_n(stepping->own, n), 0, SAMPLE_STEPS);
	tracer = tracer_of(&stepping->plan);
	tracer.head = stepping->head;
	status = on_one_processor(sample, &tracer, loop);
	if (status_is_ok(&status) && find_walk(stepping, &tracer, n, walk)) {
		*walked = true;
		take_loop(stepping, &tracer, loop);
	}
	forget(&tracer);
}

struct status step_own(const struct own *own, const int64_t *v, uint64_t seed, struct loop *loop,
	struct kernel_walk *walk, bool *walked)
{
	int64_t n = v[0];
	int64_t multiple = own_description(own)->multiple * 2;
	struct own_stepping stepping = { .own = own, .v = v };
	struct tracer tracer = { 0 };
	struct status status;

	*walked = false;
	stepping.shared = mmap(NULL, sizeof(*stepping.shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stepping.shared == MAP_FAILED)
		return status_failed("no memory for single-stepping: %s", strerror(errno));
	status = own_build(own, v, NULL, NULL);
	if (!status_is_ok(&status)) {
		munmap(stepping.shared, sizeof(*stepping.shared));
		return status;
	}
	for (int64_t few = N_FIRST;; few *= N_TIMES) {
		int64_t longer = (few + multiple - 1) / multiple * multiple;

		forget(&tracer);
		plan_steps(&stepping, seed, longer, longer / 2, STEPS_MOST);
		tracer = tracer_of(&stepping.plan);
		loop_clear(loop);
		status = on_one_processor(trace, &tracer, loop);
		if (few >= N_MOST ||
			(status_is_ok(&status) &&
				(loop->turns >= TURNS_ENOUGH || loop->path_count >= PATH_ENOUGH)))
			break;
		/* If elements are long, such as blocks of a cipher, a smaller n suffices. */
		if (few == N_FIRST && multiple < N_FIRST && strstr(status.text, NOT_ENDED)) {
			few = N_LONG / N_TIMES;
			continue;
		}
		if (few <= N_LONG)
			break;
		/* A larger number of data elements n helps only if the run did not reach the loop
		 * because it had too few elements. */
		if (!status_is_ok(&status) && !strstr(status.text, "no instruction repeats") &&
			!strstr(status.text, "as many instructions"))
			break;
	}
	if (strstr(status.text, NOT_ENDED))
		status = status_failed(
			"%d instructions are not enough for %llu elements: let n be as "
			"small as 16, and shorten the work of an element",
			STEPS_MOST, (unsigned long long)stepping.plan.longer);
	if (status_is_ok(&status)) {
		find_mark(&stepping, &tracer, loop);
		*walked = find_walk(&stepping, &tracer, n, walk);
		if (stepping.each > 0 && n > stepping.n &&
			own_bytes(own_description(own), n) > sample_from)
			step_sample(&stepping, n, loop, walk, walked);
	} else {
		loop_clear(loop);
	}
	forget(&tracer);
	munmap(stepping.shared, sizeof(*stepping.shared));
	return status;
}
