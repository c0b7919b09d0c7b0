/* Child processes that run the user's code, or the compiler of the user's code: what they inherit,
 * and how they end. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/text.h"

/* Like fork(), but the operating system kills the child process when the thread that calls this
 * function ends. The child blocks the stop signals of the terminal, until own_child_plain(): before
 * the child is traced or in a session of its own, Ctrl-Z would stop it, and only a SIGCONT to the
 * whole group would continue it. */
pid_t own_child_fork(void);

/* ---- in the child process, after own_child_fork() ---- */

/* Lowers a resource limit of this process and of its later child processes to `most`; see
 * setrlimit(). A limit that is already lower stays. */
void own_child_limit(int resource, rlim_t most);
/* Gives a newly forked process default signals and no core file. */
void own_child_plain(void);
/* Closes all descriptors of this child process but the standard streams and `kept`; -1: no
 * descriptor is kept. */
void own_child_close(int kept);
/* Prepares a newly forked process for the user's code: calls own_child_plain(), begins a session
 * without a terminal and without new rights. The process can start threads but no processes. Closes
 * all descriptors but `kept` (-1: none), opens the standard streams on /dev/null, and makes this
 * process the first that Linux kills if memory runs out. The standard error goes to the descriptor
 * `said` instead (-1: to /dev/null). */
void own_child_begin(int kept, int said);

/* Limits the memory that this process allocates from now on, beyond its present memory. If a signal
 * for a failure ends the process while most of this memory is used, sets *out first; NULL: sets
 * nothing. */
void own_child_limit_memory(atomic_bool *out);

/* ---- in the parent of such a child process ---- */

/* Notes a new child process that runs the user's code. If a signal ends this program before
 * own_child_end(), the child process and its group are killed. */
void own_child_began(pid_t child);
/* Whether a child process has ended; its exit status can still be read with waitpid(). */
bool own_child_over(pid_t child);
/* Waits for the end of a child process, which may have called setsid(), and kills all other
 * processes of its group. now: kills the child process at once. Returns the wait status of the
 * child process (see waitpid()). */
int own_child_end(pid_t child, bool now);

/* From now on, descendants whose parents have ended become child processes of this process. */
void own_child_adopt(void);
/* Kills all descendants of this process, which called own_child_adopt() and has one thread. Waits
 * at most 5 s for their end. */
void own_child_end_adopted(void);

/* Whether a process that called own_child_limit_memory() uses most of the memory that it may
 * allocate, so that an allocation may have failed. */
bool own_child_memory_is_out(pid_t child);
/* The words before the text of own_ended_by() if the memory is out: "allocated more than 1 GiB
 * beside its data, and then ". */
extern const char own_child_memory_words[];

/* Describes the error of a process, given the signal that ended the process: "accessed memory that
 * does not exist (SIGSEGV)". */
struct own_ending {
	char text[80];
};
struct own_ending own_ended_by(int signal);

/* The text that a child process writes to its standard error. */
struct own_said {
	int from; /* the reading end of a pipe; -1: closed */
	size_t length;
	char text[512]; /* the first bytes */
};

/* Opens the pipe; *to receives its writing end, for own_child_begin(). Returns false if there is no
 * pipe. */
bool own_said_open(struct own_said *said, int *to);
/* Reads the text that has been written so far, without waiting. */
void own_said_read(struct own_said *said);
/* Closes the pipe. Returns ": " and the first two lines of the text, without control characters; an
 * empty text if the process wrote nothing. */
struct words own_said_close(struct own_said *said);
