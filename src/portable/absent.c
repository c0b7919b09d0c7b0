/* Replaces the libraries that a static program lacks. This file is linked only into the portable
 * program (`make portable`).
 *
 * Debian has no static libudev, which reports block devices to hwloc. This program never uses block
 * devices. If udev_new() returns NULL, hwloc works without block devices.
 *
 * A static program has no dynamic loader. The library hwloc would load this machine's plugins,
 * which use another C library; hwloc ignores plugins that it cannot open. The linker option --wrap
 * redirects calls of NAME to __wrap_NAME.
 *
 * A static program has no decoder and, on x86-64, no encoder. Debian has no static library of
 * Zydis, and static libraries of Capstone are not all alike. The functions in this file replace
 * decode.c, decode_ARCH.c, redirect_ARCH.c, step.c and assemble_x86.c. The linker then does not
 * link the files that these functions replace. Commands that need limits or generated code report
 * why the decoder or encoder is missing. */
#include "kernels/assemble.h"
#include "model/code/decode.h"
#include "model/code/redirect.h"
#include "model/code/step.h"

/* ---- Libraries, for hwloc. The functions that replace the libraries ignore the arguments that
 * callers pass. */

void *absent(void);
#define ABSENT(name) void *name(void) __attribute__((alias("absent")))
ABSENT(udev_new);
ABSENT(udev_unref);
ABSENT(udev_device_new_from_subsystem_sysname);
ABSENT(udev_device_get_property_value);
ABSENT(udev_device_unref);
ABSENT(__wrap_dlopen);
ABSENT(__wrap_dlsym);
ABSENT(__wrap_dlclose); /* 0: success */
char *__wrap_dlerror(void);

void *absent(void)
{
	return NULL;
}

char *__wrap_dlerror(void)
{
	static char none[] = "no dynamic loader in a statically linked program";

	return none;
}

/* ---- The decoder */

static struct status no_decoder(struct loop *loop)
{
	loop_clear(loop);
	return status_failed("this program was linked without a decoder; one built "
			     "with make, not make portable, reads machine code");
}

void decode_insn(const uint8_t *bytes, size_t size, uint64_t address, struct insn *insn)
{
	(void)bytes, (void)size;
	*insn = (struct insn){ .address = address, .length = 1, .text = "(unknown)" };
}

struct status decode_loop(const void *code, size_t size, double elements, struct loop *loop)
{
	(void)code, (void)size, (void)elements;
	return no_decoder(loop);
}

struct status decode_function(const void *code, size_t size, struct decoded_function *decoded)
{
	(void)code, (void)size;
	*decoded = (struct decoded_function){ 0 };
	return status_failed("this program was linked without a decoder");
}

void decode_function_free(struct decoded_function *decoded)
{
	(void)decoded;
}

struct status follow_loop(
	const void *code, size_t size, const void *top, double elements, struct loop *loop)
{
	(void)code, (void)size, (void)top, (void)elements;
	return no_decoder(loop);
}

struct status step_loop(const struct step_plan *plan, struct loop *loop)
{
	(void)plan;
	return no_decoder(loop);
}

struct status step_own(const struct own *own, const int64_t *v, uint64_t seed, struct loop *loop,
	struct kernel_walk *walk, bool *walked, struct loop_branches *branches)
{
	(void)own, (void)v, (void)seed, (void)walk;
	*walked = false;
	*branches = (struct loop_branches){ 0 };
	return no_decoder(loop);
}

/* No instruction can be copied to another register. */
size_t redirect_insn(
	const uint8_t *bytes, size_t size, int from, int to, uint8_t copy[REDIRECT_LONGEST])
{
	(void)bytes, (void)size, (void)from, (void)to, (void)copy;
	return 0;
}

/* ---- The encoder */

#if defined(__x86_64__)

struct status encode_line(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	(void)text, (void)bytes, (void)length;
	return status_failed("this program was linked without an encoder; one built "
			     "with make, not make portable, makes code at run time");
}

struct status encode_jump(const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	return encode_line(text, bytes, length);
}

struct status encode_address(
	const char *text, unsigned char bytes[ASSEMBLE_LONGEST], size_t *length)
{
	return encode_line(text, bytes, length);
}

bool encode_distance(unsigned char *at, const unsigned char *target)
{
	(void)at, (void)target;
	return false;
}

/* Reports success, because the code after the padding then fails with a message that gives the
 * reason. */
bool encode_nops(unsigned char *at, size_t bytes)
{
	(void)at, (void)bytes;
	return true;
}

#endif
