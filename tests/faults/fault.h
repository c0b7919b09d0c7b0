/* The call that the driver (faults.c) asks the shim (shim.c) to fail, in a file that both map. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

enum fault_kind {
	FAULT_MALLOC,
	FAULT_MMAP,
	FAULT_OPEN,
	FAULT_READ,
	FAULT_WRITE,
	FAULT_THREAD,
	FAULT_FORK,
	FAULT_CLOCK,
	FAULT_KINDS
};

struct fault {
	enum fault_kind kind;
	long call;    /* the number of the call that fails, from 1; 0: calls are only counted */
	bool forever; /* every later call fails too */
	atomic_long calls[FAULT_KINDS]; /* calls of each kind until now */
};
