/* A library for LD_PRELOAD that makes one kind of call fail: the n-th call, or the n-th and every
 * later call.
 *
 * SLEXPLORE_FAULT=FILE names a file with a struct fault (fault.h), which all processes of a trial
 * share, so that calls in child processes count too. Programs that the tested program starts, such
 * as the compiler, are not changed. */
#include "fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct fault *shared;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

/* The functions that the shim's functions of the same names replace. They are found when the shim
 * is loaded: dlsym() takes a lock, and a handler of signals calls write(), perhaps in a thread that
 * has this lock. */
#define FUNCTIONS(ROW)      \
	ROW(mmap)           \
	ROW(mmap64)         \
	ROW(open)           \
	ROW(open64)         \
	ROW(openat)         \
	ROW(openat64)       \
	ROW(fopen)          \
	ROW(fopen64)        \
	ROW(opendir)        \
	ROW(mkstemp)        \
	ROW(mkdtemp)        \
	ROW(read)           \
	ROW(pread)          \
	ROW(fread)          \
	ROW(fgets)          \
	ROW(getline)        \
	ROW(write)          \
	ROW(writev)         \
	ROW(fflush)         \
	ROW(fclose)         \
	ROW(pthread_create) \
	ROW(fork)           \
	ROW(clock_gettime)

#define ROW(name) static __typeof__(&(name)) next_##name;
FUNCTIONS(ROW)
#undef ROW

static void *find(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

static void find_all(void)
{
	if (next_clock_gettime)
		return;
#define ROW(name) next_##name = (__typeof__(&(name)))(uintptr_t)find(#name);
	FUNCTIONS(ROW)
#undef ROW
}

static __attribute__((constructor)) void begin(void)
{
	const char *path = getenv("SLEXPLORE_FAULT");
	int file;
	void *memory = MAP_FAILED;

	find_all();
	file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (file >= 0)
		memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (file >= 0)
		close(file);
	unsetenv("LD_PRELOAD");
	unsetenv("SLEXPLORE_FAULT");
	if (memory != MAP_FAILED)
		shared = memory;
}

/* Counts a call. Returns whether it must fail. */
static bool fails(enum fault_kind kind)
{
	struct fault *fault = shared;
	long call;

	if (!fault)
		return false;
	call = atomic_fetch_add(&fault->calls[kind], 1) + 1;
	return fault->kind == kind && fault->call > 0 &&
	       (fault->forever ? call >= fault->call : call == fault->call);
}

/* NEXT(NAME): the function that the shim's function of the same name replaces. Other libraries may
 * call it before the shim's constructor. */
#define NEXT(name) (find_all(), next_##name)

/* If this call of the kind must fail, sets errno to `error`, and returns `value`. */
#define REFUSE(kind, error, value)       \
	do {                             \
		if (fails(kind)) {       \
			errno = (error); \
			return (value);  \
		}                        \
	} while (0)

/* ---- malloc */

void *malloc(size_t size)
{
	REFUSE(FAULT_MALLOC, ENOMEM, NULL);
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	REFUSE(FAULT_MALLOC, ENOMEM, NULL);
	return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	REFUSE(FAULT_MALLOC, ENOMEM, NULL);
	return __libc_realloc(memory, size);
}

void *reallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes;

	REFUSE(FAULT_MALLOC, ENOMEM, NULL);
	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(memory, bytes);
}

char *strdup(const char *string)
{
	size_t bytes = strlen(string) + 1;
	char *copy = malloc(bytes);

	return copy ? memcpy(copy, string, bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	REFUSE(FAULT_MALLOC, ENOMEM, NULL);
	return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
	if (fails(FAULT_MALLOC))
		return ENOMEM;
	*memory = __libc_memalign(alignment, size);
	return *memory ? 0 : ENOMEM;
}

/* ---- mmap */

void *mmap(void *place, size_t size, int protection, int flags, int file, off_t offset)
{
	REFUSE(FAULT_MMAP, ENOMEM, MAP_FAILED);
	return NEXT(mmap)(place, size, protection, flags, file, offset);
}

void *mmap64(void *place, size_t size, int protection, int flags, int file, off64_t offset)
{
	REFUSE(FAULT_MMAP, ENOMEM, MAP_FAILED);
	return NEXT(mmap64)(place, size, protection, flags, file, offset);
}

/* ---- open */

/* Returns the access mode from the arguments of open(), which has this argument only if it may
 * create a file. */
static mode_t mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                    \
	int name(const char *path, int flags, ...)    \
	{                                             \
		va_list arguments;                    \
		mode_t mode;                          \
                                                      \
		va_start(arguments, flags);           \
		mode = mode_of(flags, arguments);     \
		va_end(arguments);                    \
		REFUSE(FAULT_OPEN, EMFILE, -1);       \
		return NEXT(name)(path, flags, mode); \
	}
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                           \
	int name(int folder, const char *path, int flags, ...) \
	{                                                      \
		va_list arguments;                             \
		mode_t mode;                                   \
                                                               \
		va_start(arguments, flags);                    \
		mode = mode_of(flags, arguments);              \
		va_end(arguments);                             \
		REFUSE(FAULT_OPEN, EMFILE, -1);                \
		return NEXT(name)(folder, path, flags, mode);  \
	}
OPENAT(openat)
OPENAT(openat64)

FILE *fopen(const char *path, const char *mode)
{
	REFUSE(FAULT_OPEN, EMFILE, NULL);
	return NEXT(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	REFUSE(FAULT_OPEN, EMFILE, NULL);
	return NEXT(fopen64)(path, mode);
}

DIR *opendir(const char *path)
{
	REFUSE(FAULT_OPEN, EMFILE, NULL);
	return NEXT(opendir)(path);
}

int mkstemp(char *name)
{
	REFUSE(FAULT_OPEN, EMFILE, -1);
	return NEXT(mkstemp)(name);
}

char *mkdtemp(char *name)
{
	REFUSE(FAULT_OPEN, EMFILE, NULL);
	return NEXT(mkdtemp)(name);
}

/* The flag of a FILE that ferror() reads, in glibc. */
enum { ERROR_SEEN = 0x20 };

/* ---- read */

ssize_t read(int file, void *bytes, size_t size)
{
	REFUSE(FAULT_READ, EIO, -1);
	return NEXT(read)(file, bytes, size);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset)
{
	REFUSE(FAULT_READ, EIO, -1);
	return NEXT(pread)(file, bytes, size, offset);
}

size_t fread(void *bytes, size_t size, size_t count, FILE *file)
{
	if (fails(FAULT_READ)) {
		file->_flags |= ERROR_SEEN;
		errno = EIO;
		return 0;
	}
	return NEXT(fread)(bytes, size, count, file);
}

char *fgets(char *line, int size, FILE *file)
{
	if (fails(FAULT_READ)) {
		file->_flags |= ERROR_SEEN;
		errno = EIO;
		return NULL;
	}
	return NEXT(fgets)(line, size, file);
}

ssize_t getline(char **line, size_t *size, FILE *file)
{
	if (fails(FAULT_READ)) {
		file->_flags |= ERROR_SEEN;
		errno = EIO;
		return -1;
	}
	return NEXT(getline)(line, size, file);
}

/* ---- write. Writes to standard error never fail, because the driver reads the messages. */

ssize_t write(int file, const void *bytes, size_t size)
{
	if (file != STDERR_FILENO)
		REFUSE(FAULT_WRITE, ENOSPC, -1);
	return NEXT(write)(file, bytes, size);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
	if (file != STDERR_FILENO)
		REFUSE(FAULT_WRITE, ENOSPC, -1);
	return NEXT(writev)(file, parts, count);
}

int fflush(FILE *file)
{
	if (file && file != stderr && fails(FAULT_WRITE)) {
		file->_flags |= ERROR_SEEN;
		__fpurge(file);
		errno = ENOSPC;
		return EOF;
	}
	return NEXT(fflush)(file);
}

int fclose(FILE *file)
{
	if (__fpending(file) > 0 && fails(FAULT_WRITE)) {
		__fpurge(file);
		NEXT(fclose)(file);
		errno = ENOSPC;
		return EOF;
	}
	return NEXT(fclose)(file);
}

/* ---- threads, processes, time */

int pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *), void *context)
{
	if (fails(FAULT_THREAD))
		return EAGAIN;
	return NEXT(pthread_create)(thread, attributes, main, context);
}

pid_t fork(void)
{
	REFUSE(FAULT_FORK, EAGAIN, -1);
	return NEXT(fork)();
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	REFUSE(FAULT_CLOCK, EINVAL, -1);
	return NEXT(clock_gettime)(clock, time);
}
