/* The signals that stop a command: long work of any layer asks whether one has come. */
#pragma once

/* Catches SIGINT, SIGTERM and SIGHUP from now on. A second signal ends the program at once. The
 * first one does so if the program has not ended interrupt_seconds later (tests set less), because
 * a stopped terminal (Ctrl-S) blocks output for ever. */
void interrupt_catch(void);
extern unsigned interrupt_seconds;

/* Returns the received signal, or 0. */
int interrupt_signal(void);

/* Returns the exit status of a command that would end with `exit_status`: 128 + the signal, if one
 * has come. */
int interrupt_exit(int exit_status);

/* Returns a descriptor that can be read when a signal has come; -1: no signals are caught. */
int interrupt_descriptor(void);
