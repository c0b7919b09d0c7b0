/* Core models and tables of instructions made for this test: what is refused and how it is said,
 * names, facts, inheritance. */
#include "uarch_fakes.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- what is refused */

#define BEGIN "uarch x X\nisa x86_64\n"
#define A50   "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define A150  A50 A50 A50
#define WHOLE BEGIN "width 4 [M]\nports p0 p1 [M]\n"

/* The message has the line (0: none) and names the bad word. */
static void check_refused(
	const char *text, const struct status *status, int line, const char *names)
{
	char place[16] = "";

	if (line > 0)
		snprintf(place, sizeof(place), ":%d: ", line);
	if (status->code != STATUS_FAILED || !strstr(status->text, place) ||
		!strstr(status->text, names))
		fail_msg("\"%s\" gives \"%s\": expected line %d and \"%s\"", text, status->text,
			line, names);
}

TEST(malformed_files_are_refused_with_line_and_reason)
{
	static const struct {
		const char *text;
		int line;
		const char *names;
	} rows[] = {
		{ "", 0, "uarch NAME TITLE" },
		{ "# nothing\n\n", 2, "uarch NAME TITLE" },
		{ "isa x86_64\n", 1, "uarch NAME TITLE" },
		{ "uarch x\n", 1, "uarch NAME TITLE" },
		{ "uarch x/y X\n", 1, "x/y" },
		{ "uarch abcdefghijklmnopqrstuvwxyz X\n", 1, "abcdefghijklmnopqrstuvwxyz" },
		{ "uarch x X X\nwidth 4 [M]\n", 2, "isa x86_64" },
		{ "uarch x X\nisa mips\n", 2, "mips" },
		{ BEGIN "isa x86_64\n", 3, "isa" },
		{ BEGIN "uarch y Y\n", 3, "uarch" },
		{ BEGIN "widht 4 [M]\n", 3, "widht" },
		{ BEGIN "[M]\n", 3, "unknown" },
		{ BEGIN "width 4 [M]\nfrom base\n", 4, "from" },
		{ BEGIN "from nobody\n", 3, "nobody" },
		{ BEGIN "from bsae\n", 3, "bsae" },
		{ BEGIN "from arm\n", 3, "aarch64" },
		{ BEGIN "from x\n", 3, "inherit" },
		{ BEGIN "from circle\n", 3, "inherit" },
		{ BEGIN "from ../keys\n", 3, "../keys" },
		/* numbers */
		{ BEGIN "width four [M]\n", 3, "four" },
		{ BEGIN "width nan [M]\n", 3, "nan" },
		{ BEGIN "width 0x4 [M]\n", 3, "0x4" },
		{ BEGIN "width 1e1 [M]\n", 3, "1e1" },
		{ BEGIN "width -4 [M]\n", 3, "-4" },
		{ BEGIN "width 4. [M]\n", 3, "4." },
		{ BEGIN "width 4,5 [M]\n", 3, "4,5" },
		{ BEGIN "width 1111111111111111111111 [M]\n", 3, "1111111111" },
		{ BEGIN "width 0 [M]\n", 3, "0" },
		{ BEGIN "width 65 [M]\n", 3, "65" },
		{ BEGIN "width [M]\n", 3, "width" },
		{ BEGIN "width 4 5 [M]\n", 3, "width" },
		{ BEGIN "width 4 [M]\nwidth 5 [M]\n", 4, "line 3" },
		{ WHOLE "class a latency 1001 ports p0 [M]\n", 5, "1001" },
		{ WHOLE "class a latency ports p0 [M]\n", 5, "ports" },
		{ WHOLE "class a latency 1 slots 9999 ports p0 [M]\n", 5, "9999" },
		{ WHOLE "cap loads 0 [M]\n", 5, "0" },
		{ WHOLE "size rob 0 [M]\n", 5, "0" },
		{ WHOLE "extra forward 1e9 [M]\n", 5, "1e9" },
		{ WHOLE "cache 3 bytes 32768 latency 4 [M]\n", 5, "3" },
		{ WHOLE "cache 1.5 bytes 32768 [M]\n", 5, "1.5" },
		{ WHOLE "cache 1 latency 4 [M]\n", 5, "1" },
		{ WHOLE "cache 1 bytes 10 [M]\n", 5, "10" },
		{ WHOLE "cache 1 bytes 1023 [M]\n", 5, "1023" },
		{ WHOLE "cache 1 bytes 1073741825 [M]\n", 5, "1073741825" },
		{ WHOLE "cache 1 bytes 1024 latency 1001 [M]\n", 5, "1001" },
		{ WHOLE "cache 1 bytes 1024 lines 8.1 [M]\n", 5, "8.1" },
		{ WHOLE "cache 1 bytes 1024 lines 0 [M]\n", 5, "lines" },
		{ BEGIN "isa x86_64 x\n", 3, "isa" },
		{ "uarch x X\nisa x86_64 x\n", 2, "too many words in \"isa\"" },
		{ "uarch x X\nisa\n", 2, "too few words in \"isa\"" },
		{ "uarch x X\n", 1, "uarch NAME TITLE" },
		{ BEGIN "from base x\n", 3, "too many words in \"from\"" },
		{ WHOLE "size rob 1 2 [M]\n", 5, "too many words in \"size\"" },
		{ WHOLE "unlaminate indexed unless two-operand stores never [M]\n", 5, "too many" },
		{ WHOLE "unknown fuse add\n", 5, "\"add\" is not inherited" },
		{ WHOLE "unknown cap load\n", 5, "load" },
		{ WHOLE "cache 1 bytes 32768 lines [M]\n", 5, "lines" },
		{ WHOLE "cache 1 ways 8 [M]\n", 5, "ways" },
		/* sources, for each word that states something */
		{ BEGIN "width 4\n", 3, "no source" },
		{ BEGIN "ports p0\n", 3, "no source" },
		{ BEGIN "match vendor A family 6 model 4\n", 3, "no source" },
		{ WHOLE "class a latency 1 ports p0\n", 5, "no source" },
		{ WHOLE "class a ports p0\n", 5, "no source" },
		{ WHOLE "class a ports none\n", 5, "no source" },
		{ WHOLE "class a latency 3 ports unknown\n", 5, "no source" },
		{ WHOLE "chain a a 2\n", 5, "no source" },
		{ WHOLE "fuse cmp with all\n", 5, "no source" },
		{ WHOLE "unlaminate never\n", 5, "no source" },
		{ WHOLE "cap loads 2\n", 5, "no source" },
		{ WHOLE "size rob 2\n", 5, "no source" },
		{ WHOLE "extra forward 2\n", 5, "no source" },
		{ WHOLE "cache 1 bytes 32768 latency 4\n", 5, "no source" },
		{ BEGIN "width 4 [R]\n", 3, "R" },
		{ BEGIN "width 4 [M,,L]\n", 3, "source \"\"" },
		{ BEGIN "width 4 []\n", 3, "[]" },
		{ BEGIN "width 4 [M\n", 3, "[M" },
		{ BEGIN "width 4 [M, L]\n", 3, "L]" },
		/* match */
		{ BEGIN "match vendor A [M]\n", 3, "match" },
		{ BEGIN "match vendor A family [M]\n", 3, "match" },
		{ BEGIN "match vendor A family 6 model 5g [M]\n", 3, "5g" },
		{ BEGIN "match vendor A family 6 model 5, [M]\n", 3, "model" },
		{ BEGIN "match vendor A family 6 model 5-3 [M]\n", 3, "5" },
		{ BEGIN "match vendor A family 6 model 12345 [M]\n", 3, "12345" },
		{ BEGIN "match vendor A family 6-7 [M]\n", 3, "family" },
		{ BEGIN "match implementer 41-42 part 1 [M]\n", 3, "implementer" },
		{ BEGIN "match implementer 41 [M]\n", 3, "a part" },
		{ BEGIN "match part 41 [M]\n", 3, "an implementer" },
		{ BEGIN "match family 6 model 5 [M]\n", 3, "a vendor" },
		{ BEGIN "match vendor A part 5 [M]\n", 3, "a family" },
		{ BEGIN "match vendor A implementer 41 [M]\n", 3, "a family" },
		{ BEGIN "match vendor A family 6 model 1-12345 [M]\n", 3, "1-12345" },
		{ BEGIN "match vendor A family 6 model -5 [M]\n", 3, "-5" },
		{ BEGIN "match vendor A family 6 model 5- [M]\n", 3, "5-" },
		{ BEGIN "match vendor A family 6 model 5-6-7 [M]\n", 3, "5-6-7" },
		{ BEGIN "match vendor A family 6 model 5g-6 [M]\n", 3, "5g-6" },
		{ BEGIN "match vendor A family 6 model 0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10 [M]\n", 3,
			"16 ranges" },
		{ BEGIN "match vendor A family 6 with l1i-12345678k [M]\n", 3, "l1i-12345678k" },
		{ BEGIN "match vendor A family 6 with l1i-32kk [M]\n", 3, "l1i-32kk" },
		{ BEGIN "match vendor A family 6 with l2i-32k [M]\n", 3, "l2i-32k" },
		{ BEGIN "match vendor A family 6 colour 1 [M]\n", 3, "colour" },
		{ BEGIN "match vendor ABCDEFGHIJKLMNOPQ family 6 [M]\n", 3, "ABCDEFGHIJKLMNOPQ" },
		{ BEGIN "match vendor A family 6 with avx2 with avx2 with avx2 with avx2 with avx2 "
			"with avx2 with avx2 [M]\n",
			3, "6" },
		{ BEGIN "match vendor A family 6 with amx_tile [M]\n", 3, "amx_tile" },
		{ BEGIN "match vendor A family 6 without l1i-k [M]\n", 3, "l1i-k" },
		/* ports, sets, classes */
		{ BEGIN "ports [M]\n", 3, "ports" },
		{ BEGIN "ports p0 p1 p0 [M]\n", 3, "p0" },
		{ BEGIN "ports none [M]\n", 3, "none" },
		{ BEGIN "ports a b c d e f g h i j k l m n o p q r s t u v w x y [M]\n", 3, "25" },
		{ BEGIN "width 4 [M]\nports a b c d e f g h i j k l m n o p q r s t u v w "
			"[M]\nunits y z\n",
			5, "23" },
		{ BEGIN "ports abcdefghijkl [M]\n", 3, "abcdefghijkl" },
		{ WHOLE "units p1\n", 5, "p1" },
		{ WHOLE "ports p2 [M]\n", 5, "line 4" },
		{ WHOLE "set a p0 p7\n", 5, "\"a\"" },
		{ WHOLE "set a b\nset b a\n", 5, "\"a\"" },
		{ WHOLE "set p0 p1\n", 5, "p0" },
		{ WHOLE "set a p0\nset a p1\n", 6, "line 5" },
		{ WHOLE "set a\n", 5, "set" },
		{ WHOLE "class a ports p7 [M]\n", 5, "p7" },
		{ WHOLE "class a ports p0,,p1 [M]\n", 5, "unknown port" },
		{ WHOLE "class a ports p0 + [M]\n", 5, "+" },
		{ WHOLE "class a ports x*p0 [M]\n", 5, "x*p0" },
		{ WHOLE "class a ports 0*p0 [M]\n", 5, "0*p0" },
		{ WHOLE "class a ports p0:0 [M]\n", 5, "p0:0" },
		{ WHOLE "class a ports p0 p1 [M]\n", 5, "p0 p1" },
		{ WHOLE "class a ports p0 + p0 + p0 + p0 + p0 + p0 + p0 [M]\n", 5, "6" },
		{ WHOLE "units div\nclass a ports p0,div [M]\n", 6, "units" },
		{ WHOLE "class a latency 1 [M]\n", 5, "ports" },
		{ WHOLE "class a latency 1 ports [M]\n", 5, "ports" },
		{ WHOLE "class a colour 1 ports p0 [M]\n", 5, "colour" },
		{ WHOLE "class a.96 ports p0 [M]\n", 5, "96" },
		{ WHOLE "class .64 ports p0 [M]\n", 5, ".64" },
		{ WHOLE "class a ports p0 [M]\nclass a ports p1 [M]\n", 6, "line 5" },
		{ WHOLE "class abcdefghijklmnopqrstuvwx ports p0 [M]\n", 5,
			"abcdefghijklmnopqrstuvwx" },
		{ WHOLE "chain a b 2 [M]\n", 5, "\"a\"" },
		{ WHOLE "class a ports p0 [M]\nchain a a 2 [M]\nchain a a 3 [M]\n", 7, "line 6" },
		{ WHOLE "chain a b [M]\n", 5, "chain" },
		/* the rest */
		{ WHOLE "fuse cmp [M]\n", 5, "fuse" },
		{ WHOLE "fuse with all [M]\n", 5, "fuse" },
		{ WHOLE "fuse cmp with [M]\n", 5, "conditions" },
		{ WHOLE "fuse cmp with nz [M]\n", 5, "nz" },
		{ WHOLE "fuse cmp with all unless [M]\n", 5, "unless" },
		{ WHOLE "fuse cmp with all unless tuesday [M]\n", 5, "tuesday" },
		{ WHOLE "fuse cmp with all [M]\nfuse test cmp with e [M]\n", 6, "line 5" },
		{ WHOLE "unlaminate sometimes [M]\n", 5, "sometimes" },
		{ WHOLE "unlaminate never unless stores [M]\n", 5, "unlaminate" },
		{ WHOLE "unlaminate indexed unless [M]\n", 5, "unlaminate" },
		{ WHOLE "cap load 2 [M]\n", 5, "load" },
		{ WHOLE "cap loads 2 [M]\ncap loads 3 [M]\n", 6, "line 5" },
		{ WHOLE "size rob 2 [M]\nsize rob 3 [M]\n", 6, "line 5" },
		{ WHOLE "extra sign 2 [M]\nextra sign 3 [M]\n", 6, "line 5" },
		{ WHOLE "cache 1 bytes 2048 [M]\ncache 1 bytes 2048 [M]\n", 6, "line 5" },
		{ WHOLE "unknown class a\n", 5, "\"a\"" },
		{ WHOLE "unknown colour a\n", 5, "colour" },
		{ WHOLE "unknown class\n", 5, "unknown" },
		/* counters */
		{ WHOLE "pmu\n", 5, "pmu" },
		{ WHOLE "pmu skl\n", 5, "no source" },
		{ WHOLE "pmu s:l [M]\n", 5, "s:l" },
		{ WHOLE "pmu abcdefghijklmnopqrstuvwxyz_abcdefghij [M]\n", 0, "1" },
		{ WHOLE "pmu skl [M]\npmu skx [M]\n", 6, "line 5" },
		{ WHOLE "event\n", 5, "event" },
		{ WHOLE "event cycles = a::B\n", 5, "no source" },
		{ WHOLE "event cycles a::B [M]\n", 5, "event" },
		{ WHOLE "event cycles a::B = [M]\n", 5, "event" },
		{ WHOLE "event = a::B [M]\n", 5, "event" },
		{ WHOLE "event cycels = a::B [M]\n", 5, "cycels" },
		{ WHOLE "event extra = a::B [M]\n", 5, "extra" },
		{ WHOLE "event cycles all = a::B [M]\n", 5, "=" },
		{ WHOLE "event ports = a::B [M]\n", 5, "event ports" },
		{ WHOLE "event stalled = a::B [M]\n", 5, "event stalled" },
		{ WHOLE "event ports p0 p1 = a::B [M]\n", 5, "ports" },
		{ WHOLE "event ports p0,p7 = a::B [M]\n", 5, "p7" },
		{ WHOLE "event ports p0, = a::B [M]\n", 5, "unknown port" },
		{ WHOLE "units div\nevent ports div = a::B [M]\n", 6, "unit" },
		{ WHOLE "event stalled abcdefghij abcdefghij abcdefghij abcdefghij = a::B [M]\n", 5,
			"39" },
		{ WHOLE "event cycles = a::B/C [M]\n", 5, "a::B/C" },
		{ WHOLE "event cycles = B [M]\n", 5, "pmu" },
		{ WHOLE "pmu none\nevent cycles = B [M]\n", 6, "PMU" },
		{ WHOLE "event cycles = a::" A150 A50 " [M]\n", 0, "1" },
		{ WHOLE "pmu abcdefghijk [M]\nevent cycles = " A150 " [M]\n", 6, "159" },
		{ WHOLE "event cycles = a::B [M]\nevent cycles = a::C [M]\n", 6, "line 5" },
		{ WHOLE "set both p1 p0\nevent ports p0,p1 = a::B [M]\nevent ports both = a::C "
			"[M]\n",
			7, "line 6" },
		{ WHOLE "event stalled a b = a::B [M]\nevent stalled a  b = a::C [M]\n", 6,
			"line 5" },
		{ WHOLE "event uops = none\n", 5, "uops" },
		{ WHOLE "event stalled a = none\n", 5, "stalled a" },
		{ WHOLE "event cycles = a::B [M]\nevent cycles = none\n", 6, "cycles" },
		{ BEGIN "from base\nevent ports p4 = none\n", 4, "ports p4" },
		{ BEGIN "ports p0 [M]\n", 0, "width" },
		{ BEGIN "width 4 [M]\n", 0, "ports" },
		{ BEGIN "width 4 [M] \001\n", 3, "13" },
		{ BEGIN "# \xff\n", 3, "3" },
		{ BEGIN "# \xc3\n", 3, "3" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch *uarch = (struct uarch *)&rows;
		struct status status = uarch_parse(rows[i].text, "F", &uarch);

		check_refused(rows[i].text, &status, rows[i].line, rows[i].names);
		assert_null(uarch);
	}
}

TEST(malformed_tables_are_refused_with_line_and_reason)
{
	static const struct {
		const char *text;
		int line;
		const char *names;
	} rows[] = {
		{ "add\n", 1, "MNEMONICS SHAPE CLASS" },
		{ "add * alu [M]\n", 1, "MNEMONICS SHAPE CLASS" },
		{ "add x alu\n", 1, "\"x\"" },
		{ "add r, alu\n", 1, "r," },
		{ "add [] alu\n", 0, "[]" },
		{ "add [ib] alu\n", 0, "[ib]" },
		{ "add [bb] alu\n", 0, "[bb]" },
		{ "add i= alu\n", 0, "i=" },
		{ "add i0 alu\n", 0, "i0" },
		{ "add r,r,r,r,r,r,r,r,r,r,r,r,r alu\n", 1, "r,r,r,r,r,r,r,r,r,r,r,r,r" },
		{ "add * Alu!\n", 1, "Alu!" },
		{ "add * abcdefghijklmnopqrstuvwxyz\n", 0, "1" },
		{ "Add * alu\n", 1, "Add" },
		{ "a*d * alu\n", 1, "a*d" },
		{ "add, * alu\n", 1, "1" },
		{ "abcdefghijklmnopqrstuvwxyz * alu\n", 0, "1" },
		{ "\nadd * alu\nadd r,r alu\n", 3, "2" },
		{ "add r,r alu\nsub,add r,r alu\n", 2, "1" },
		{ "vadd * a\n~add * b\n", 2, "1" },
		{ "fallback a\n", 1, "fallback CLASS" },
		{ "fallback a a\n", 1, "itself" },
		{ "fallback a b\nfallback b c\nfallback c a\n", 3, "itself" },
		{ "fallback a b\nfallback a c\n", 2, "\"a\"" },
		{ "add * \x80\n", 1, "7" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch_ops *ops = (struct uarch_ops *)&rows;
		struct status status = ops_parse(rows[i].text, "F", &ops);

		check_refused(rows[i].text, &status, rows[i].line, rows[i].names);
		assert_null(ops);
	}
}

/* The largest and smallest that each line may state. */
TEST(lines_at_their_bounds_are_read)
{
	static const char *const lines[] = {
		"match vendor A family 6 model 0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,ffff [M]\n",
		"match vendor A family 6 model 5-5,1-1234 stepping 0 [M]\n",
		"match vendor A family 6 with avx2 with avx2 with avx2 with avx2 with avx2 with "
		"avx2 without l1i-1234567k [M]\n",
		"match vendor A family 1234 [M]\n",
		"match implementer 41 part 0-f [M]\n",
		"cache 1 bytes 1024 latency 0 lines 0.001 [M]\n",
		"cache 2 bytes 1073741824 latency 1000 lines 8 [M]\n",
		"unlaminate indexed unless two-operand stores [M]\n",
		"unknown cap loads\n",
		"unknown size rob\n",
		"unknown extra forward\n",
	};
	static const char *const widths[] = { "1", "64", "4.25" };
	char text[400];
	struct uarch *uarch;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		snprintf(text, sizeof(text), WHOLE "%s", lines[i]);
		check_ok(uarch_parse(text, "F", &uarch));
		assert_int_equal(uarch->id_count, strncmp(lines[i], "match", 5) == 0);
		assert_int_equal(uarch->cache_count, strncmp(lines[i], "cache", 5) == 0);
		uarch_free(uarch);
	}
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		snprintf(text, sizeof(text), BEGIN "width %s [M]\nports p0 [M]\n", widths[i]);
		check_ok(uarch_parse(text, "F", &uarch));
		check_near(uarch->width, atof(widths[i]), 0);
		uarch_free(uarch);
	}
	check_ok(uarch_parse(BEGIN
		"width 4 [M]\nports a b c d e f g h i j k l m n o p q r s t u v w "
		"[M]\nunits y\n",
		"F", &uarch));
	assert_int_equal(uarch_port_count(uarch), 24);
	assert_string_equal(uarch->port[23], "y");
	assert_int_equal(uarch->port_count, 23);
	uarch_free(uarch);
}

/* Of each core only the lines "match" are read at the start. */
TEST(match_lines_are_read_alone)
{
	static const struct {
		const char *text;
		bool good;
		int count;
	} rows[] = {
		{ BEGIN, true, 0 },
		{ WHOLE "class a ports nonsense\n", true, 0 },
		{ "match vendor A family 6 [M]\nx\n \tmatch implementer 41 part 1 [M]", true, 2 },
		{ "match vendor A family 6\n", false, 0 },
		{ "match vendor A [M]\n", false, 0 },
		{ "match vendor A family 6 [Q]\n", false, 0 },
		{ "match vendor A family 6 [M]\nmatch vendor B family 7 [Q]\n", false, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch *uarch = memory_new(1, sizeof(*uarch));

		if (uarch_read_matches(rows[i].text, uarch) != rows[i].good)
			fail_msg("row %zu", i);
		assert_int_equal(uarch->id_count, rows[i].count);
		uarch_free(uarch);
	}
}

TEST(the_end_of_a_long_path_is_shown)
{
	struct uarch *uarch;
	struct status status = uarch_parse("",
		"/a/very/long/path/that/goes/on/and/on/and/on/and/on/and/on/until/it/ends/at/"
		"x.uarch",
		&uarch);

	check_contains(status.text, "...");
	check_contains(status.text, "/it/ends/at/x.uarch:0: ");
}

TEST(small_differences_are_allowed)
{
	struct uarch *uarch;

	check_ok(uarch_parse("\r\n# caf\xc3\xa9\nuarch  x\tX  the first # comment\r\nisa "
			     "x86_64\nwidth 4.5 [M]\nports p0 [M]\n"
			     "class a ports 2*p0:3+p0 [M]",
		"F", &uarch));
	assert_string_equal(uarch->title, "X the first");
	check_near(uarch->width, 4.5, 0);
	assert_int_equal(uarch_find(uarch, "a", 0)->term_count, 2);
	uarch_free(uarch);
}

/* ---- names */

TEST(names_are_listed_by_instruction_set)
{
	const char *const *names = uarch_names("aarch64");

	assert_string_equal(names[0], "arm");
	assert_null(names[1]);
	assert_string_equal(uarch_names("x86_64")[0], "base");
	assert_string_equal(uarch_names(NULL)[0], "arm");
	assert_null(uarch_names("mips")[0]);
}

TEST(unknown_names_are_usage_errors)
{
	struct uarch *uarch;

	check_usage(
		uarch_load("bsae", "x86_64", &uarch), "no core model \"bsae\"; did you mean base?");
	assert_null(uarch);
	check_usage(uarch_load("", "aarch64", &uarch), "no core model \"\"; one of arm");
	check_contains(
		uarch_load("../sources", "aarch64", &uarch).text, "../sources: No such file");
	check_usage(uarch_load("arm", "x86_64", &uarch),
		"arm is a core for aarch64; this machine is x86_64");
	assert_null(uarch);
	assert_int_equal(uarch_load("wrong-name", NULL, &uarch).code, STATUS_FAILED);
	check_contains(uarch_load("wrong-name", NULL, &uarch).text,
		"this file is the core \"right-name\", not \"wrong-name\"");
}

TEST(own_files_are_found_by_name)
{
	char directory[] = "/tmp/slexplore-uarch-XXXXXX", path[80];
	struct status status;
	struct uarch *uarch;
	FILE *file;

	assert_non_null(mkdtemp(directory));
	setenv("SLEXPLORE_DATA", directory, 1);
	snprintf(path, sizeof(path), "%s/uarch", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/uarch/mine.uarch", directory);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("uarch mine Mine\nisa x86_64\nfrom child\nwidth 9 [M]\n", file);
	assert_int_equal(fclose(file), 0);
	check_ok(uarch_load("mine", "x86_64", &uarch));
	check_near(uarch->width, 9, 0);
	uarch_free(uarch);
	/* A path is read as it is, and named in messages. */
	check_ok(uarch_load(path, NULL, &uarch));
	uarch_free(uarch);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("uarch mine Mine\nisa mips\n", file);
	assert_int_equal(fclose(file), 0);
	status = uarch_load(path, NULL, &uarch);
	check_refused(path, &status, 2, path);
	unlink(path);
	unsetenv("SLEXPLORE_DATA");
	check_usage(uarch_load("mine", "x86_64", &uarch),
		"no core model \"mine\"; one of base, child, circle, circle2, narrow, other, "
		"plain, wrong-name");
	snprintf(path, sizeof(path), "%s/uarch", directory);
	rmdir(path);
	rmdir(directory);
}

/* A core and seven others. */
TEST(eight_cores_inherit_from_each_other)
{
	char directory[] = "/tmp/slexplore-uarch-XXXXXX", path[80];
	struct status status;
	struct uarch *uarch;

	assert_non_null(mkdtemp(directory));
	setenv("SLEXPLORE_DATA", directory, 1);
	snprintf(path, sizeof(path), "%s/uarch", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	for (int i = 1; i <= 8; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/uarch/c%d.uarch", directory, i);
		file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "uarch c%d C\nisa x86_64\n", i);
		if (i < 8)
			fprintf(file, "from c%d\n", i + 1);
		else
			fputs("width 9 [M]\nports p0 [M]\n", file);
		assert_int_equal(fclose(file), 0);
	}
	check_ok(uarch_load("c1", NULL, &uarch));
	check_near(uarch->width, 9, 0);
	uarch_free(uarch);
	status = uarch_parse(BEGIN "from c1\n", "F", &uarch);
	check_refused("from c1", &status, 3, "from c8: more than 7 cores");
	for (int i = 1; i <= 8; i++) {
		snprintf(path, sizeof(path), "%s/uarch/c%d.uarch", directory, i);
		unlink(path);
	}
	unsetenv("SLEXPLORE_DATA");
	snprintf(path, sizeof(path), "%s/uarch", directory);
	rmdir(path);
	rmdir(directory);
}

/* ---- counters */

/* "cycles=b::CYCLES ports:1=b::P0 …" of a core's text. */
static void check_events(const char *text, const char *events)
{
	struct text told = { 0 };
	struct uarch *uarch;

	check_ok(uarch_parse(text, "F", &uarch));
	for (int i = 0; i < uarch->event_count; i++) {
		const struct uarch_event *event = &uarch->event[i];

		text_addf(&told, "%s%s", i ? " " : "", event_roles[event->role].name);
		if (event->ports)
			text_addf(&told, ":%x", event->ports);
		if (event->words[0])
			text_addf(&told, ":%s", event->words);
		text_addf(&told, "=%s", event->name);
		assert_string_equal(event->core, uarch->name);
		assert_true(event->tags != 0);
	}
	assert_string_equal(text_string(&told), events);
	text_free(&told);
	uarch_free(uarch);
}

TEST(events_are_read)
{
	struct uarch *uarch = load("base");
	struct event_title title;

	assert_string_equal(uarch->pmu, "b");
	assert_int_equal(uarch->event_count, 5);
	assert_string_equal(uarch->event[0].title, "cycles");
	assert_string_equal(uarch->event[1].title, "p0");
	assert_string_equal(uarch->event[2].title, "p2 p3");
	assert_string_equal(uarch->event[3].title, "L1 misses");
	assert_string_equal(uarch->event[4].title, "stalled: back end");
	title = events_title(&(struct uarch_event){ .role = ROLE_PORTS, .ports = 3 }, uarch);
	assert_string_equal(title.text, "p0 p1");
	title = events_title(&(struct uarch_event){ .role = ROLE_EXTRA, .name = "x::Y" }, NULL);
	assert_string_equal(title.text, "x::Y");
	uarch_free(uarch);
	check_events(WHOLE, "");
	check_events(WHOLE "pmu none\nevent uops = a::B [M]\n", "uops=a::B");
}

TEST(events_are_inherited_with_the_childs_pmu)
{
	check_events(BEGIN "from base\n", "cycles=b::CYCLES ports:1=b::P0 ports:c=b::P23 "
					  "l1-misses=perf::L1:MISS stalled:back end=b::STALL:c=1");
	check_events(BEGIN "from base\npmu d [M]\nevent stores = STORES [M]\n",
		"cycles=d::CYCLES ports:1=d::P0 ports:c=d::P23 l1-misses=perf::L1:MISS "
		"stalled:back end=d::STALL:c=1 stores=d::STORES");
	/* Named by other words, and the same one. */
	check_events(BEGIN
		"from base\nevent ports p3,p2 = LOADS [M]\nevent stalled back end = OTHER [M]\n",
		"cycles=b::CYCLES ports:1=b::P0 ports:c=b::LOADS l1-misses=perf::L1:MISS "
		"stalled:back end=b::OTHER");
	/* A set that means other ports: the parent's event follows, as its classes do. */
	check_events(BEGIN "from base\nset load p1 p2 p3\n",
		"cycles=b::CYCLES ports:1=b::P0 ports:e=b::P23 l1-misses=perf::L1:MISS "
		"stalled:back end=b::STALL:c=1");
	check_events(BEGIN "from base\nevent cycles = none\nevent ports p0 = none\nevent stalled "
			   "back end = none\n",
		"ports:c=b::P23 l1-misses=perf::L1:MISS");
	check_events(BEGIN "from base\nevent ports = none\nevent ports p0,p1 = P01 [M]\nevent "
			   "l1-misses = none\n",
		"cycles=b::CYCLES stalled:back end=b::STALL:c=1 ports:3=b::P01");
	check_events(BEGIN "from base\npmu none\n", "l1-misses=perf::L1:MISS");
	check_events(BEGIN "from base\npmu none\nevent cycles = perf::C [M]\n",
		"l1-misses=perf::L1:MISS cycles=perf::C");
}

TEST(lists_of_events_are_read_alone)
{
	static const struct {
		const char *text;
		int line;
		const char *names;
	} rows[] = {
		{ "class a ports p0 [M]\n", 1, "class" },
		{ "\nevent ports p0 = a::B [M]\n", 2, "p0" },
		{ "event uops = B [M]\n", 1, "event B" },
		{ "event uops = a::B\n", 1, "no source" },
		{ "[M]\n", 1, "unknown word" },
	};
	struct uarch_event event[2];
	int count;

	check_ok(events_parse("# two\nevent uops = a::B [M]\nevent stalled x = a::C [L]\nevent "
			      "loads = a::D [L]\n",
		"F", event, 2, &count));
	assert_int_equal(count, 2);
	assert_string_equal(event[1].words, "x");
	assert_string_equal(event[1].name, "a::C");
	assert_string_equal(event[1].core, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct status status = events_parse(rows[i].text, "F", event, 2, &count);

		check_refused(rows[i].text, &status, rows[i].line, rows[i].names);
		assert_int_equal(count, 0);
	}
}

/* ---- facts */

TEST(facts_are_read)
{
	struct uarch *uarch = load("base");
	const struct uarch_class *fadd = uarch_find(uarch, "fadd", 0),
				 *wide = uarch_find(uarch, "fadd", 512);
	struct text text = { 0 };

	assert_string_equal(uarch->title, "A base");
	assert_string_equal(uarch->isa, "x86_64");
	assert_int_equal(uarch_port_count(uarch), 6);
	assert_string_equal(uarch->port[5], "div");
	assert_true(5 >= uarch->port_count);
	assert_false(4 >= uarch->port_count);
	check_near(uarch->fact[CAP_LOADS], 2, 0);
	assert_false(uarch_known(uarch->fact[CAP_STORES]));
	check_near(uarch->fact[SIZE_ROB], 224, 0);
	check_near(uarch->fact[EXTRA_FORWARD], 5, 0);
	assert_false(uarch_known(uarch->fact[EXTRA_SIGN]));
	check_near(uarch_cache(uarch, 2)->lines, 0.5, 0);
	assert_false(uarch_known(uarch_cache(uarch, 1)->lines));
	assert_null(uarch_cache(uarch, 3));

	check_near(fadd->latency, 4, 0);
	check_near(fadd->slots, 1, 0);
	assert_string_equal(wide->name, "fadd.512");
	check_near(wide->slots, 2, 0);
	check_near(wide->term[0].count, 0.5, 0);
	check_near(wide->term[1].cycles, 2, 0);
	assert_int_equal(wide->term[1].ports, 2);
	check_near(uarch_find(uarch, "two", 0)->slots, 2, 0);
	check_near(uarch_find(uarch, "div", 64)->slots, 1, 0);
	assert_int_equal(uarch_find(uarch, "div", 64)->term[1].ports, 1 << 5);
	assert_null(uarch_find(uarch, "div", 32));
	/* Two micro-ops, but one slot: they are fused. */
	check_near(uarch_find(uarch, "store", 0)->slots, 1, 0);
	assert_false(uarch_find(uarch, "silent", 0)->executes);
	check_near(uarch_find(uarch, "fma", 0)->accumulate, 2, 0);

	check_near(uarch_chain(uarch, fadd, fadd), 2, 0);
	check_near(uarch_chain(uarch, wide, fadd), 3, 0);
	check_near(uarch_chain(uarch, fadd, wide), 2, 0);
	assert_false(uarch_known(uarch_chain(uarch, fadd, uarch_find(uarch, "two", 0))));
	assert_false(uarch_known(uarch_chain(uarch, NULL, fadd)));

	uarch_sources(uarch, fadd->tags, &text);
	assert_string_equal(text_string(&text), "[M] measured\n[L] LLVM\n");
	text_clear(&text);
	uarch_sources(uarch, 0, &text);
	assert_string_equal(text_string(&text), "[M] measured\n[L] LLVM\n[TD] Travis Downs\n");
	text_free(&text);
	uarch_free(uarch);
}

TEST(a_core_inherits_and_replaces)
{
	struct uarch *base = load("base"), *child = load("child");

	assert_string_equal(child->name, "child");
	assert_string_equal(child->title, "A child");
	check_near(child->width, 6, 0);
	assert_int_equal(uarch_port_count(child), 7);
	/* What is inherited follows a set that has a new meaning. */
	assert_int_equal(uarch_find(base, "alu", 0)->term[0].ports, 3);
	assert_int_equal(uarch_find(child, "alu", 0)->term[0].ports, 3 | 1 << 5);
	assert_int_equal(uarch_find(child, "div", 64)->term[1].ports, 1 << 6);
	check_near(uarch_find(child, "fadd", 0)->latency, 3, 0);
	check_near(uarch_find(child, "fadd", 512)->latency, 5, 0);
	assert_null(uarch_find(child, "two", 0));
	assert_false(uarch_known(child->fact[EXTRA_FORWARD]));
	check_near(child->fact[SIZE_ROB], 224, 0);
	assert_int_equal(child->id_count, 2);
	uarch_free(base);
	uarch_free(child);
}

RUN_TESTS(.set_up = uarch_fakes_setup)
