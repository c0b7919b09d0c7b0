#include "base/fatal.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void (*rescue_first)(void);
static void (*remover)(void);
static pid_t rescued; /* the process that called fatal_rescue(); 0: none */
static atomic_flag begun = ATOMIC_FLAG_INIT;

void fatal_rescue(void (*rescue)(void))
{
	rescue_first = rescue;
	rescued = getpid();
}

void fatal_remover(void (*function)(void))
{
	remover = function;
}

void fatal_remove(void)
{
	if (remover)
		remover();
}

void fatal(const char *format, ...)
{
	va_list arguments;

	if (rescued && getpid() != rescued)
		_exit(1);
	/* If two threads fail at once, the second waits for the end of the program. */
	while (atomic_flag_test_and_set(&begun))
		pause();
	if (rescue_first)
		rescue_first();
	fputs("slexplore: ", stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}
