/* Single-steps a child process. The single-stepped child process stops itself twice: when tracing
 * starts, and when everything is set up. After the second stop of the child, the parent
 * single-steps each instruction of the child. The empty function mark() marks the beginning and end
 * of a run. The address of mark() is the same in parent and child. */
#include "model/code/step_inside.h"

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

#include "base/interrupt.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "engine/own/own_child.h"
#include "model/code/decode.h"
#include "model/code/step_path.h"

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

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(EXIT_REFUSED);
	own_child_plain();
	stop_self();
	/* The timer wakes the parent when the time is up. The timer of the single-stepping parent
	 * repeats, because step_is_late() allows more time on a busy machine. */
	setitimer(ITIMER_REAL, &limit, NULL);
	if (plan->prepare && plan->prepare(plan->context) != 0)
		_exit(EXIT_PREPARED_BADLY);
	if (!plan->cold)
		plan->run(plan->context, plan->shorter);
	stop_self();
	/* If calls of the user's loop are repeated on fresh data, two calls of mark() enclose each
	 * call of the loop. The call before may have changed its data, as a sort in place does. */
	while (plan->renew) {
		plan->renew(plan->context);
		mark();
		plan->run(plan->context, plan->longer);
		mark();
	}
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

/* MOMENT_FIRST, MOMENT_LAST: nanoseconds between two checks of a child that runs freely. */
enum { CODE_BYTES = 16, SLOTS = 1 << 17, MOMENT_FIRST = 50000, MOMENT_LAST = 4000000 };

static struct status step_failed(enum step_reason reason, struct status status)
{
	status.reason = (int)reason;
	return status;
}

static struct status ended_by_signal(const struct tracer *tracer, int number)
{
	struct registers registers;
	const char *memory = "";
	char place[128] = "";

	if (number == SIGALRM)
		return step_failed(STEP_TOO_LONG,
			status_failed("single-stepping the loop took longer than %.3g s",
				tracer->plan->seconds));
	if (!tracer->gone && read_registers(tracer->child, &registers)) {
		step_describe_place(tracer->child, registers.at, place, sizeof(place));
		memory = own_child_memory_is_out(tracer->child) ? own_child_memory_words : "";
	}
	return status_failed("the code %s%s%s%s%s", memory, own_ended_by(number).text,
		*place ? " at " : "", place,
		number == SIGSEGV && tracer->plan->called ? tracer->plan->called : "");
}

static struct status interrupted(void)
{
	return status_make(STATUS_CANCELLED, "interrupted while the code was single-stepped");
}

/* Continues the child with `request` (PTRACE_CONT or PTRACE_SINGLESTEP). Waits until the signal
 * `wanted` stops the child process. */
static struct status go(struct tracer *tracer, int request, int wanted)
{
	bool stepping = request == PTRACE_SINGLESTEP;

	for (;;) {
		struct timespec moment = { 0, MOMENT_FIRST };
		int how = 0;
		pid_t waited;

		if (interrupt_signal())
			return interrupted();
		if (ptrace(request, tracer->child, NULL, NULL) != 0 && errno != ESRCH)
			return step_refused(errno);
		/* A child that runs freely may disable its own timer, so the parent checks the time
		 * too. */
		while ((waited = waitpid(tracer->child, &how, __WALL | (stepping ? 0 : WNOHANG))) <=
			0) {
			if (waited < 0 && errno != EINTR)
				return status_failed("the single-stepped process has ended: %s",
					strerror(errno));
			if (step_is_late(tracer))
				return ended_by_signal(tracer, SIGALRM);
			if (interrupt_signal())
				return interrupted();
			if (!stepping)
				nanosleep(&moment, NULL);
			/* Frequent checks would count as work of the parent, and an idle child as
			 * a busy one (STEP_IDLE). */
			if (moment.tv_nsec < MOMENT_LAST)
				moment.tv_nsec += moment.tv_nsec / 4;
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
		if (!step_passes(WSTOPSIG(how)) &&
			!(WSTOPSIG(how) == SIGALRM && !step_is_late(tracer)))
			return ended_by_signal(tracer, WSTOPSIG(how));
	}
}

/* Whether the child has stopped itself after it asked to be traced. Otherwise another process
 * stopped it, and the child continues. */
static bool is_at_first_stop(pid_t child, int signal)
{
	if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(uintptr_t)PTRACE_O_EXITKILL) != 0)
		(void)kill(child, SIGCONT); /* not traced yet */
	else if (signal == SIGSTOP)
		return true;
	else
		(void)ptrace(PTRACE_CONT, child, NULL, NULL);
	return false;
}

struct status step_start(struct tracer *tracer)
{
	int how;

	tracer->begin = monotonic_seconds();
	tracer->before = (struct step_share){ 0 };
	step_add_own_share(&tracer->before);
	if (interrupt_signal()) {
		tracer->gone = true;
		return interrupted();
	}
	tracer->child = own_child_fork();
	if (tracer->child == 0)
		child_main(tracer->plan);
	if (tracer->child < 0) {
		tracer->gone = true;
		return status_failed(
			"no process could be started for single-stepping: %s", strerror(errno));
	}
	own_child_began(tracer->child);
	do {
		if (TEMP_FAILURE_RETRY(waitpid(tracer->child, &how, __WALL | WUNTRACED)) < 0)
			return status_failed(
				"the process to single-step has ended: %s", strerror(errno));
		if (!WIFSTOPPED(how)) {
			tracer->gone = true;
			return step_refused(0);
		}
	} while (!is_at_first_stop(tracer->child, WSTOPSIG(how)));
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

struct status step_to_mark(struct tracer *tracer, bool kept, int *steps)
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
			if (tracer->sampling && tracer->seen_count >= tracer->plan->most_steps)
				return status_ok();
			if (*steps >= tracer->plan->most_steps)
				return step_failed(STEP_NOT_ENDED,
					status_failed("stepping %llu elements did not end within "
						      "%d instructions",
						(unsigned long long)(kept ? tracer->plan->longer
									  : tracer->plan->shorter),
						tracer->plan->most_steps));
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

struct status step_run_to(struct tracer *tracer, uint64_t address)
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

struct status step_calls(struct tracer *tracer, struct loop *loop)
{
	struct status status = step_start(tracer);

	(void)loop;
	tracer->sampling = true;
	while (status_is_ok(&status) && tracer->calls < STEP_CALLS) {
		int steps;

		status = step_run_to(tracer, (uint64_t)(uintptr_t)mark);
		if (status_is_ok(&status))
			status = step_to_mark(tracer, true, &steps);
		if (!status_is_ok(&status))
			break;
		tracer->end[tracer->calls++] = tracer->seen_count;
		if (tracer->seen_count >= tracer->plan->most_steps)
			break;
		tracer->complete++;
		status = go(tracer, PTRACE_SINGLESTEP, SIGTRAP);
	}
	return status;
}

int *step_counts(const struct tracer *tracer, int from, int to)
{
	int *count = memory_new((size_t)tracer->insn_count + 1, sizeof(*count));

	for (int i = from; i < to; i++)
		count[tracer->seen[i].insn]++;
	return count;
}

struct status step_both(struct tracer *tracer, struct loop *loop)
{
	const struct step_plan *plan = tracer->plan;
	int steps[3] = { 0 }; /* number of steps before the first call of mark(), in the shorter
				 run, and in the longer run */
	int *before;
	struct status status = step_start(tracer);

	for (int i = 0; i < 3 && status_is_ok(&status); i++) {
		tracer->split = tracer->seen_count;
		status = step_to_mark(tracer, i == 2 || (i == 1 && plan->kept), &steps[i]);
	}
	if (!status_is_ok(&status))
		return status;
	/* The two runs may differ by one or two instructions even if the code ignores the number of
	 * elements. */
	if (steps[2] <= steps[1] + 2)
		return step_failed(STEP_SAME_WORK,
			status_failed("%llu elements take as many instructions as %llu: does the "
				      "code use its count n?",
				(unsigned long long)plan->longer,
				(unsigned long long)plan->shorter));
	before = plan->kept ? step_counts(tracer, 0, tracer->split) : NULL;
	status = step_path(
		&(struct step_trace){ tracer->insn, tracer->insn_count,
			tracer->seen + tracer->split, tracer->seen_count - tracer->split, before },
		(double)(steps[2] - steps[1]) / (double)(plan->longer - plan->shorter), loop);
	free(before);
	return status;
}

static void end(struct tracer *tracer)
{
	/* The user's code may have started processes, which belong to its child's group. */
	if (!tracer->gone)
		own_child_end(tracer->child, true);
	else if (tracer->child > 0)
		kill(-tracer->child, SIGKILL);
}

struct status step_on_one_processor(struct status (*how)(struct tracer *, struct loop *),
	struct tracer *tracer, struct loop *loop)
{
	struct step_watch watch;
	struct status status;
	cpu_set_t before, here;
	int cpu = sched_getcpu();
	bool bound = false;

	if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(before), &before) == 0) {
		CPU_ZERO(&here);
		CPU_SET(cpu, &here);
		bound = sched_setaffinity(0, sizeof(here), &here) == 0;
	}
	step_watch_begin(&watch, tracer->plan);
	status = how(tracer, loop);
	end(tracer);
	step_watch_end(&watch);
	if (bound)
		sched_setaffinity(0, sizeof(before), &before);
	return status;
}

struct tracer step_tracer(const struct step_plan *plan)
{
	return (struct tracer){ .plan = plan, .slot = memory_new(SLOTS, sizeof(int)) };
}

void step_forget(struct tracer *tracer)
{
	free(tracer->insn);
	free(tracer->slot);
	free(tracer->seen);
	*tracer = (struct tracer){ .gone = true };
}

struct status step_loop(const struct step_plan *plan, struct loop *loop)
{
	struct tracer tracer = step_tracer(plan);
	struct status status;

	loop_clear(loop);
	status = step_on_one_processor(step_both, &tracer, loop);
	step_forget(&tracer);
	if (!status_is_ok(&status))
		loop_clear(loop);
	return status;
}
