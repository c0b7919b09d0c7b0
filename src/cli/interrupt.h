/* Signals that end a batch command in order: what was finished is still written. */
#pragma once

/* Catches SIGINT, SIGTERM and SIGHUP from now on; a second one of a kind ends the program at once.
 */
void interrupt_catch(void);

/* The signal that came, or 0. */
int interrupt_signal(void);

/* Becomes readable when a signal has come. */
int interrupt_descriptor(void);
