/* Copies of instructions that write another register, and how far the result of an instruction
 * reaches: tests/data/reach. */
#include "table.h"

#include "kernels/assemble.h"
#include "model/code/reach.h"
#include "model/code/redirect.h"

#if defined(__x86_64__)

static unsigned char code[512];

static int register_of(const char *name)
{
	static const char *const general[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi",
		"rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

	for (int i = 0; i < 16; i++)
		if (strcmp(name, general[i]) == 0)
			return REG_GENERAL + i;
	return name[0] == 'k' ? REG_MASK + atoi(name + 1) : REG_VECTOR + atoi(name + 3);
}

TEST(copies_write_the_other_register)
{
	struct table table;

	table_open(&table, "reach", "copies");
	while (table_next(&table, 4)) {
		unsigned char bytes[ASSEMBLE_LONGEST];
		uint8_t copy[REDIRECT_LONGEST];
		struct insn insn = { .text = "-" };
		size_t length;

		check_ok(encode_line(table.field[0], bytes, &length));
		length = redirect_insn(bytes, length, register_of(table.field[1]),
			register_of(table.field[2]), copy);
		if (length > 0)
			decode_insn(copy, length, 0, &insn);
		table_expect(&table, insn.text, table.field[3]);
	}
}

static void assemble_lines(struct assembly *as, char *lines)
{
	char *rest;

	for (char *line = strtok_r(lines, ";", &rest); line; line = strtok_r(NULL, ";", &rest))
		if (line[strspn(line, " ")])
			assemble(as, "%s", line);
}

TEST(the_result_of_an_instruction_reaches)
{
	static const char *const words[] = { [REACH_NOTHING] = "nothing",
		[REACH_ADDRESS] = "address",
		[REACH_CONTROL] = "control",
		[REACH_MEMORY] = "memory",
		[REACH_DIVISION] = "division" };
	static struct assembly as;
	struct table table;

	table_open(&table, "reach", "reach");
	while (table_next(&table, 4)) {
		struct decoded_function function;
		int top;

		assemble_begin(&as, code, sizeof(code));
		top = assemble_here(&as);
		assemble_lines(&as, table.field[0]);
		assemble(&as, "dec rcx");
		assemble_jump(&as, "jnz", top);
		assemble_lines(&as, table.field[1]);
		assemble(&as, "ret");
		check_ok(assemble_end(&as));
		check_ok(decode_function(code, sizeof(code), &function));
		table_expect(&table,
			words[reach_find(&function, function.first + (int)table_number(&table, 2))],
			table.field[3]);
		decode_function_free(&function);
	}
}

#else

TEST(code_of_this_processor_is_not_changed)
{
	skip();
}

#endif

RUN_TESTS()
