/* Programs as files: sections, symbols, line tables, and loops. The files are made in memory. */
#include "check.h"

#include "made_elf.h"
#include "model/program/demangle.h"
#include "model/program/program_loops.h"

static struct made_elf made;

static struct program *open_made(enum made_kind kind)
{
	struct program *program;

	made_file(&made, kind, 0);
	check_ok(program_open_descriptor(
		made_descriptor(made.bytes, made.size), "made.so", &program));
	return program;
}

static uint64_t base_of(enum made_kind kind)
{
	return kind == MADE_OBJECT ? 0 : MADE_BASE;
}

TEST(finds_functions_and_loops)
{
	static const int places[] = { SUM, NEST, SAME, SAME_2, NEVER, GUARD },
			 counts[] = { 1, 1, 0, 0, 0, 0 };

	for (int kind = 0; kind < MADE_KINDS; kind++) {
		struct program *program = open_made(kind);
		size_t count;
		const struct program_function *function = program_functions(program, &count);

		assert_int_equal(count, kind == MADE_STRIPPED ? 2 : 6);
		for (size_t i = 0; i < count; i++) {
			assert_int_equal(function[i].address, base_of(kind) + places[i]);
			assert_int_equal(program_loops_count(program, &function[i]), counts[i]);
			assert_true(!function[i].symbol == (kind == MADE_STRIPPED));
		}
		program_close(program);
	}
}

/* What a user may give, and where it leads. */
TEST(finds_what_the_user_means)
{
	static const struct {
		const char *given;
		enum status_code code;
		int place,
			address; /* the function; the address inside it, -1: the whole function */
	} rows[] = {
		{ "sum", STATUS_OK, SUM, -1 }, { "nest", STATUS_OK, NEST, -1 },
		{ "same", STATUS_USAGE, 0, 0 }, { "summ", STATUS_USAGE, 0, 0 },
		{ "0x1000", STATUS_OK, SUM, -1 }, { "0x0fff", STATUS_USAGE, 0, 0 },
		{ "0x10zz", STATUS_USAGE, 0, 0 }, { "made.c:22", STATUS_OK, NEST, NEST_LOOP },
		{ "src/made.c:12", STATUS_OK, SUM, SUM_LOOP },
		{ "/src/made.c:12", STATUS_OK, SUM, SUM_LOOP },
		{ "./made.c:12", STATUS_OK, SUM, SUM_LOOP }, { "ade.c:12", STATUS_USAGE, 0, 0 },
		{ "made.c:99999999999999999999", STATUS_USAGE, 0, 0 },
		{ "made.c:13", STATUS_USAGE, 0, 0 },
		{ "made.c:30", STATUS_USAGE, 0, 0 }, /* two functions */
	};
	struct program *program = open_made(MADE_COMPRESSED);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct program_place place;
		struct status status = program_find(program, rows[i].given, &place);

		if (status.code != rows[i].code)
			fail_msg("%s: %s", rows[i].given, status.text);
		if (status.code != STATUS_OK)
			continue;
		assert_int_equal(place.function.address, MADE_BASE + rows[i].place);
		assert_int_equal(place.address_count, rows[i].address >= 0);
		if (rows[i].address >= 0)
			assert_int_equal(place.address[0], MADE_BASE + rows[i].address);
	}
	program_close(program);
}

TEST(gives_lines)
{
	for (int kind = MADE_LIBRARY; kind <= MADE_OBJECT; kind++) {
		struct program *program = open_made(kind);
		uint64_t base = base_of(kind), addresses[] = { base + SUM, base + SUM_LOOP,
			base + NEST_LOOP, base + CODE_END };
		struct source_line line[4];

		assert_true(program_lines(program, addresses, 4, false, line));
		assert_string_equal(line[0].file, "made.c");
		assert_int_equal(line[0].line, LINE_SUM);
		assert_int_equal(line[1].line, LINE_SUM_LOOP);
		assert_int_equal(line[2].line, LINE_NEST_LOOP);
		assert_null(line[3].file);
		program_close(program);
	}
}

TEST(fills_loops)
{
	struct program *program = open_made(MADE_LIBRARY);
	struct program_loops loops;
	struct program_place place;
	struct loop loop;

	loop_init(&loop, 8, 8);
	check_ok(program_find(program, "nest", &place));
	program_loops_find(program, &place.function, &loops);
	assert_int_equal(loops.count, 1);
	assert_int_equal(loops.loop[0].depth, 2);
	assert_int_equal(loops.loop[0].begin, MADE_BASE + NEST_LOOP);
	assert_int_equal(program_loop_at(&loops, MADE_BASE + NEST_LOOP), 0);
	assert_int_equal(program_loop_at(&loops, MADE_BASE + NEST), -1);
	check_ok(program_loop_fill(&loops, 0, &loop));
	assert_int_equal(loop.insn_count, 3);
	assert_int_equal(loop.path_count, 3);
	assert_int_equal(loop.insn[0].address, MADE_BASE + NEST_LOOP);
	assert_true(loop.path[2].taken);
	assert_int_equal(loop.insn[2].target, MADE_BASE + NEST_LOOP);
	loop_free(&loop);
	program_loops_free(&loops);
	program_close(program);
}

static void write_made(const char *path)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	fclose(file);
}

/* A file with debug information next to the program is used if it belongs to the program. */
TEST(uses_debug_files)
{
	char directory[] = "/tmp/slexplore-XXXXXX", path[64], debug[64];
	uint32_t sum;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/made", directory);
	snprintf(debug, sizeof(debug), "%s/made.debug", directory);
	made_file(&made, MADE_LIBRARY, 0);
	write_made(debug);
	sum = (uint32_t)crc32(0, made.bytes, (uInt)made.size);
	for (int good = 1; good >= 0; good--) {
		struct program *program;
		struct program_place place;
		struct status status;

		made_file(&made, MADE_STRIPPED, sum + !good);
		write_made(path);
		check_ok(program_open(path, &program));
		status = program_find(program, "made.c:22", &place);
		assert_int_equal(status.code, good ? STATUS_OK : STATUS_USAGE);
		program_close(program);
	}
	unlink(path);
	unlink(debug);
	rmdir(directory);
}

/* A file that is cut off before the end of its section headers fails with a message. After that it
 * opens, and what is missing is not found. */
TEST(survives_cut_files)
{
	size_t headers = sizeof(Elf64_Ehdr);

	made_file(&made, MADE_COMPRESSED, 0);
	headers += (size_t)made.count * sizeof(Elf64_Shdr);
	for (size_t size = 0; size < made.size; size++) {
		struct program *program;
		struct program_place place;
		struct status status = program_open_descriptor(
			made_descriptor(made.bytes, size), "cut.so", &program);

		assert_int_equal(status.code, size < headers ? STATUS_FAILED : STATUS_OK);
		if (status.code != STATUS_OK) {
			check_contains(status.text, "cut.so");
			continue;
		}
		status = program_find(program, "made.c:22", &place);
		assert_int_equal(status.code, STATUS_USAGE);
		program_close(program);
	}
}

TEST(refuses_other_files)
{
	static const struct {
		size_t at;
		uint8_t value;
	} rows[] = { { 0, 0 }, { EI_CLASS, ELFCLASS32 }, { EI_DATA, ELFDATA2MSB },
		{ offsetof(Elf64_Ehdr, e_machine), EM_S390 },
		{ offsetof(Elf64_Ehdr, e_type), ET_CORE },
		{ offsetof(Elf64_Ehdr, e_shentsize), 40 },
		{ offsetof(Elf64_Ehdr, e_shoff) + 7, 0x80 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct program *program;
		struct status status;

		made_file(&made, MADE_LIBRARY, 0);
		made.bytes[rows[i].at] = rows[i].value;
		status = program_open_descriptor(
			made_descriptor(made.bytes, made.size), "odd.so", &program);
		assert_int_equal(status.code, STATUS_FAILED);
	}
}

TEST(demangles)
{
	struct text text = { 0 };

	demangle("plain", &text);
	assert_string_equal(text_string(&text), "plain");
	text_clear(&text);
	demangle("_ZN5shape4areaEi", &text);
	/* Without the C++ library, the name stays as it is. */
	if (strcmp(text_string(&text), "_ZN5shape4areaEi") != 0) {
		assert_string_equal(text_string(&text), "shape::area(int)");
		text_clear(&text);
		demangle("_ZN3abc3def17h0123456789abcdefE", &text);
		assert_string_equal(text_string(&text), "abc::def");
		text_clear(&text);
		demangle("_ZN42_$LT$a..Of$LT$T$GT$$u20$as$u20$b..Drop$GT$4drop17h0123456789abcdefE"
			 ".llvm.12",
			&text);
		assert_string_equal(text_string(&text), "<a::Of<T> as b::Drop>::drop");
	}
	text_free(&text);
	assert_true(demangled_is("shape::area(int)", "shape::area"));
	assert_true(demangled_is("shape::area(int)", "shape::area(int)"));
	assert_false(demangled_is("shape::area(int)", "shape::are"));
}

TEST(matches_the_end_of_a_name)
{
	static const struct {
		const char *name, *given;
		bool fits;
	} rows[] = {
		{ "ns::shape::area(int) const", "area", true },
		{ "ns::shape::area(int) const", "shape::area", true },
		{ "ns::shape::area(int) const", "rea", false },
		{ "ns::shape::area(int) const", "shape", false },
		{ "ns::shape::area(int) const", "int", false },
		{ "double best<double>(std::vector<double>)", "best", true },
		{ "double best<double>(std::vector<double>)", "best<double>", true },
		{ "double best<double>(std::vector<double>)", "double", false },
		{ "best<int>::of(int)", "best", false },
		{ "best<int>::of(int)", "of", true },
		{ "(anonymous namespace)::of(int)", "of", true },
		{ "<a::Of<T> as b::Drop>::drop", "drop", true },
		{ "<a::Of<T> as b::Drop>::drop", "Drop", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (demangled_ends(rows[i].name, rows[i].given) != rows[i].fits)
			fail_msg("%s: %s", rows[i].name, rows[i].given);
}

/* One rule for files that the command line names. */
TEST(a_program_that_cannot_be_opened_is_a_mistake_of_the_user)
{
	struct program *program;
	struct status status = program_open("./there/is/no/such.so", &program);

	assert_int_equal(status.code, STATUS_USAGE);
	check_contains(status.text, "./there/is/no/such.so: ");
	assert_null(program);
}

RUN_TESTS()
