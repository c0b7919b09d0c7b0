/* Any bytes as machine code: nothing beyond them is read, and what comes out is within its bounds.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/code/decode.h"

const size_t fuzz_longest = 192;

#if defined(__x86_64__)
enum { UNKNOWN_LENGTH = 1 };
const struct fuzz_seed fuzz_seeds[] = {
	/* A loop in a loop; a jump table; gathers, masks, immediates. */
	FUZZ_TEXT("\x48\x89\xd1\x48\x03\x07\x48\xff\xc9\x75\xf8\x48\x83\xc7\x08\x48\xff\xce\x75\xe8"
		  "\xc3"),
	FUZZ_TEXT("\x83\xff\x03\x77\x09\xff\x24\xf8\x48\xff\xce\x75\xfb\xc3\xc3"),
	FUZZ_TEXT("\x62\xf2\x7d\x49\x90\x0c\x97\x62\xf3\x6d\x48\x25\xcb\xff\xc4\xe2\xe9\x99\xcb\xe2"
		  "\xf0\xc3"),
	FUZZ_TEXT("\xf0\x48\x83\x07\x01\xf3\xa4\x64\x8b\x04\x25\x28\x00\x00\x00\x0f\x84\x00\x00\x00"
		  "\x00\xeb\xe0"),
	{ NULL, 0 },
};
#else
enum { UNKNOWN_LENGTH = 4 };
const struct fuzz_seed fuzz_seeds[] = {
	FUZZ_TEXT("\xe4\x03\x05\xaa\x22\x84\x40\xf8\x84\x04\x00\xf1\xc1\xff\xff\x54\x21\x20\x00\x91"
		  "\x43\xff\xff\xb5\xc0\x03\x5f\xd6"),
	FUZZ_TEXT("\x20\x78\xc2\x4c\x20\x90\x40\x0d\x20\x00\x40\x0c\xfd\x7b\xbf\xa9\x20\x4c\xc2\x9a"
		  "\xc0\xff\x1f\x37"),
	FUZZ_TEXT("\x20\x40\x02\x5e\x80\x46\xa2\xd2\x00\x08\x00\x58\x00\x42\x3b\xd5\xc1\xff\xff\x54"
		  "\x00\x00\x00\x14"),
	{ NULL, 0 },
};
#endif

#define check(what) ((what) ? (void)0 : broken(__LINE__, #what))

static _Noreturn void broken(int line, const char *what)
{
	fprintf(stderr, "tests/fuzz/decode.c:%d: not so: %s\n", line, what);
	abort();
}

static void check_registers(const uint8_t *list, int count, int room)
{
	check(count <= room);
	for (int i = 0; i < count; i++) {
		check(list[i] > REG_NONE && list[i] < REG_COUNT);
		check(!memchr(list + i + 1, list[i], (size_t)(count - i - 1)));
	}
}

static void check_insn(const struct insn *insn, size_t size, uint64_t address)
{
	check(insn->address == address);
	check(insn->length >= 1 && insn->length <= size && insn->length <= 15);
	check(memchr(insn->mnemonic, 0, sizeof(insn->mnemonic)) &&
		memchr(insn->shape, 0, sizeof(insn->shape)));
	check(memchr(insn->text, 0, sizeof(insn->text)) &&
		memchr(insn->condition, 0, sizeof(insn->condition)));
	check_registers(insn->reads, insn->read_count, INSN_READS);
	check_registers(insn->writes, insn->write_count, INSN_WRITES);
	check(insn->accumulator < REG_COUNT && insn->memory_count <= INSN_MEMORY &&
		insn->flow <= FLOW_OTHER);
	for (int i = 0; i < insn->memory_count; i++) {
		const struct insn_memory *memory = &insn->memory[i];

		check(memory->accesses >= 1 && memory->scale >= 1 && memory->base < REG_COUNT &&
			memory->index < REG_COUNT);
		check(!memory->relative || (!memory->base && !memory->index));
		check(insn->address_only ? !memory->load && !memory->store
					 : memory->load || memory->store);
	}
	check(!insn->writeback || insn->memory_count > 0);
	check(!insn->move || (insn->read_count == 1 && insn->write_count == 1));
	if (insn->known)
		check(insn->mnemonic[0] && insn->text[0]);
	else
		check(!insn->mnemonic[0] && !insn->text[0] && !insn->memory_count &&
			!insn->read_count && !insn->write_count &&
			insn->length == (size < UNKNOWN_LENGTH ? size : UNKNOWN_LENGTH));
}

static void check_loop(const uint8_t *code, size_t size)
{
	static struct loop loop;
	struct status status;

	if (!loop.insn)
		loop_init(&loop, 32, 32);
	status = decode_loop(code, size, 4, &loop);
	check(memchr(status.text, 0, sizeof(status.text)));
	if (status.code != STATUS_OK) {
		check(status.code == STATUS_FAILED && loop.insn_count == 0 && loop.path_count == 0);
		return;
	}
	check(loop.insn_count >= 1 && loop.insn_count <= LOOP_MOST &&
		loop.insn_count <= loop.insn_room);
	check(loop.path_count >= 1 && loop.path_count <= loop.insn_count &&
		loop.path_count <= loop.path_room);
	check(loop.insn[loop.insn_count - 1].target == loop.insn[0].address);
	check(loop.path[0].insn == 0 && loop.path[loop.path_count - 1].insn == loop.insn_count - 1);
	check(loop.path[loop.path_count - 1].taken && loop.forks < loop.insn_count &&
		loop.unknown <= loop.insn_count);
	for (int i = 0; i < loop.insn_count; i++) {
		uint64_t offset = loop.insn[i].address - (uint64_t)(uintptr_t)code;

		check(offset < size);
		check_insn(&loop.insn[i], size - offset, loop.insn[i].address);
		check(i == 0 ||
			loop.insn[i].address >= loop.insn[i - 1].address + loop.insn[i - 1].length);
	}
	for (int i = 1; i < loop.path_count; i++)
		check(loop.path[i].insn > loop.path[i - 1].insn);
}

/* A copy that ends where memory ends, and one that begins where it begins: the decoder libraries
 * are not instrumented, so that no sanitiser would tell. */
static uint8_t *guarded(const uint8_t *data, size_t size, int end)
{
	static uint8_t *pages;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *copy;

	if (!pages) {
		pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		check(pages != MAP_FAILED &&
			mprotect(pages + page, page, PROT_READ | PROT_WRITE) == 0);
	}
	copy = pages + page + (end ? page - size : 0);
	memcpy(copy, data, size);
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct insn insn;
	uint8_t *copy;

	if (size > 4096)
		size = 4096;
	for (int end = 0; end < 2; end++) {
		copy = guarded(data, size, end);
		check_loop(copy, size);
	}
	for (size_t at = 0; at < size; at++) {
		/* Near the end of addresses, too. */
		uint64_t address = at % 2 ? 0x1000 + at : UINT64_MAX - at;

		memset(&insn, 0xff, sizeof(insn));
		decode_insn(copy + at, size - at, address, &insn);
		check_insn(&insn, size - at, address);
	}
	return 0;
}
