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

static void malformed_files_are_refused_with_line_and_reason(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "", "F:0: the file begins with: uarch NAME TITLE, and isa" },
		{ "# nothing\n\n", "F:2: the file begins with" },
		{ "isa x86_64\n", "F:1: the first line is: uarch NAME TITLE" },
		{ "uarch x\n", "F:1: too few words: uarch NAME TITLE" },
		{ "uarch x/y X\n", "F:1: name \"x/y\": letters, digits and .- only" },
		{ "uarch abcdefghijklmnopqrstuvwxyz X\n",
			"F:1: name \"abcdefghijklmnopqrstuvwxyz\" is too long: 1 to 23 bytes" },
		{ "uarch x X X\nwidth 4 [M]\n",
			"F:2: the second line is: isa x86_64, or isa aarch64" },
		{ "uarch x X\nisa mips\n",
			"F:2: unknown instruction set \"mips\"; one of x86_64, aarch64" },
		{ BEGIN "isa x86_64\n", "F:3: \"isa\" stands in the second line only" },
		{ BEGIN "uarch y Y\n", "F:3: \"uarch\" stands in the first line only" },
		{ BEGIN "widht 4 [M]\n", "F:3: unknown word \"widht\"; width" },
		{ BEGIN "[M]\n", "F:3: unknown word \"\"" },
		{ BEGIN "width 4 [M]\nfrom base\n",
			"F:4: \"from\" stands directly after \"isa\" only" },
		{ BEGIN "from nobody\n", "F:3: unknown core \"nobody\"; one of base" },
		{ BEGIN "from bsae\n", "F:3: unknown core \"bsae\"; base" },
		{ BEGIN "from arm\n", "F:3: from arm: its instruction set is aarch64, not x86_64" },
		{ BEGIN "from x\n", "F:3: from x: a core cannot inherit from itself" },
		{ BEGIN "from circle\n", "built-in uarch/circle2.uarch:3: from circle: a core "
					 "cannot inherit from itself" },
		{ BEGIN "from ../keys\n", "F:3: name \"../keys\": letters" },
		/* numbers */
		{ BEGIN "width four [M]\n", "F:3: width \"four\" is not a decimal number" },
		{ BEGIN "width nan [M]\n", "F:3: width \"nan\" is not a decimal number" },
		{ BEGIN "width 0x4 [M]\n", "F:3: width \"0x4\" is not a decimal number" },
		{ BEGIN "width 1e1 [M]\n", "F:3: width \"1e1\" is not a decimal number" },
		{ BEGIN "width -4 [M]\n", "F:3: width \"-4\" is not a decimal number" },
		{ BEGIN "width 4. [M]\n", "F:3: width \"4.\" is not a decimal number" },
		{ BEGIN "width 4,5 [M]\n", "F:3: width \"4,5\" is not a decimal number" },
		{ BEGIN "width 1111111111111111111111 [M]\n", "is not a decimal number" },
		{ BEGIN "width 0 [M]\n", "F:3: width 0 is out of range: 1 to 64" },
		{ BEGIN "width 65 [M]\n", "F:3: width 65 is out of range: 1 to 64" },
		{ BEGIN "width [M]\n", "F:3: too few words in \"width\": width SLOTS" },
		{ BEGIN "width 4 5 [M]\n", "F:3: too many words in \"width\"" },
		{ BEGIN "width 4 [M]\nwidth 5 [M]\n", "F:4: width stands in line 3 already" },
		{ WHOLE "class a latency 1001 ports p0 [M]\n",
			"F:5: latency 1001 is out of range: 0 to 1000" },
		{ WHOLE "class a latency ports p0 [M]\n",
			"F:5: latency \"ports\" is not a decimal number" },
		{ WHOLE "class a latency 1 slots 9999 ports p0 [M]\n",
			"F:5: slots 9999 is out of range" },
		{ WHOLE "cap loads 0 [M]\n", "F:5: loads 0 is out of range: 0.01 to 64" },
		{ WHOLE "size rob 0 [M]\n", "F:5: rob 0 is out of range: 1 to 1000000" },
		{ WHOLE "extra forward 1e9 [M]\n", "F:5: forward \"1e9\" is not a decimal number" },
		{ WHOLE "cache 3 bytes 32768 latency 4 [M]\n",
			"F:5: cache 3 is out of range: 1 to 2" },
		{ WHOLE "cache 1.5 bytes 32768 [M]\n", "F:5: cache \"1.5\": the level is 1 or 2" },
		{ WHOLE "cache 1 latency 4 [M]\n", "F:5: cache 1 does not say its bytes" },
		{ WHOLE "cache 1 bytes 10 [M]\n", "F:5: bytes 10 is out of range" },
		{ WHOLE "cache 1 bytes 32768 lines [M]\n", "F:5: \"cache\" is written" },
		{ WHOLE "cache 1 ways 8 [M]\n", "F:5: unknown word \"ways\"" },
		/* sources, for each word that states something */
		{ BEGIN "width 4\n", "F:3: this line has no source: end it with [TAG]" },
		{ BEGIN "ports p0\n", "F:3: this line has no source" },
		{ BEGIN "match vendor A family 6 model 4\n", "F:3: this line has no source" },
		{ WHOLE "class a latency 1 ports p0\n", "F:5: this line has no source" },
		{ WHOLE "class a ports p0\n", "F:5: this line has no source" },
		{ WHOLE "class a ports none\n", "F:5: this line has no source" },
		{ WHOLE "class a latency 3 ports unknown\n", "F:5: this line has no source" },
		{ WHOLE "chain a a 2\n", "F:5: this line has no source" },
		{ WHOLE "fuse cmp with all\n", "F:5: this line has no source" },
		{ WHOLE "unlaminate never\n", "F:5: this line has no source" },
		{ WHOLE "cap loads 2\n", "F:5: this line has no source" },
		{ WHOLE "size rob 2\n", "F:5: this line has no source" },
		{ WHOLE "extra forward 2\n", "F:5: this line has no source" },
		{ WHOLE "cache 1 bytes 32768 latency 4\n", "F:5: this line has no source" },
		{ BEGIN "width 4 [R]\n", "F:3: source \"R\" is not in uarch/sources" },
		{ BEGIN "width 4 [M,,L]\n", "F:3: source \"\" is not in uarch/sources" },
		{ BEGIN "width 4 []\n", "F:3: \"[]\": sources are written [M]" },
		{ BEGIN "width 4 [M\n", "F:3: \"[M\": sources are written [M]" },
		{ BEGIN "width 4 [M, L]\n",
			"F:3: \"L]\": sources are written [M] or [Ltd,TD], without blanks" },
		/* match */
		{ BEGIN "match vendor A [M]\n", "F:3: \"match\" names a vendor and a family, or an "
						"implementer and a part" },
		{ BEGIN "match vendor A family [M]\n", "F:3: \"match\" takes pairs of words" },
		{ BEGIN "match vendor A family 6 model 5g [M]\n",
			"F:3: model \"5g\" is not written 4e,5e or 00-0f (hexadecimal)" },
		{ BEGIN "match vendor A family 6 model 5, [M]\n",
			"F:3: model \"\" is not written" },
		{ BEGIN "match vendor A family 6 model 5-3 [M]\n",
			"F:3: model 5-3 runs backwards" },
		{ BEGIN "match vendor A family 6 model 12345 [M]\n",
			"F:3: model \"12345\" is not written" },
		{ BEGIN "match vendor A family 6-7 [M]\n", "F:3: family is one number" },
		{ BEGIN "match vendor A family 6 colour 1 [M]\n",
			"F:3: unknown condition \"colour\"" },
		{ BEGIN "match vendor ABCDEFGHIJKLMNOPQ family 6 [M]\n",
			"F:3: vendor \"ABCDEFGHIJKLMNOPQ\" is too long" },
		{ BEGIN "match vendor A family 6 with avx2 with avx2 with avx2 with avx2 with avx2 "
			"with avx2 with avx2 [M]\n",
			"F:3: more than 6 features" },
		{ BEGIN "match vendor A family 6 with amx_tile [M]\n",
			"F:3: unknown feature \"amx_tile\"; amx-tile" },
		{ BEGIN "match vendor A family 6 without l1i-k [M]\n",
			"F:3: unknown feature \"l1i-k\"" },
		/* ports, sets, classes */
		{ BEGIN "ports [M]\n", "F:3: \"ports\" names none" },
		{ BEGIN "ports p0 p1 p0 [M]\n", "F:3: \"p0\" stands here twice" },
		{ BEGIN "ports none [M]\n", "F:3: no port can be called \"none\"" },
		{ BEGIN "ports a b c d e f g h i j k l m n o p q r s t u v w x y [M]\n",
			"F:3: 25 ports are too many: 24" },
		{ BEGIN "width 4 [M]\nports a b c d e f g h i j k l m n o p q r s t u v w "
			"[M]\nunits y z\n",
			"F:5: 23 ports and 2 units are too many: 24 together at most" },
		{ BEGIN "ports abcdefghijkl [M]\n",
			"F:3: port \"abcdefghijkl\" is too long: 1 to 11 bytes" },
		{ WHOLE "units p1\n", "F:5: unit \"p1\": a port has this name" },
		{ WHOLE "ports p2 [M]\n", "F:5: ports stands in line 4 already" },
		{ WHOLE "set a p0 p7\n", "F:5: set \"a\" holds an unknown port, or itself: p0 p7" },
		{ WHOLE "set a b\nset b a\n",
			"F:5: set \"a\" holds an unknown port, or itself: b" },
		{ WHOLE "set p0 p1\n", "F:5: set \"p0\": a port has this name" },
		{ WHOLE "set a p0\nset a p1\n", "F:6: this set stands in line 5 already" },
		{ WHOLE "set a\n", "F:5: too few words: set NAME PORT ..." },
		{ WHOLE "class a ports p7 [M]\n", "F:5: class a: unknown port \"p7\"" },
		{ WHOLE "class a ports p0,,p1 [M]\n", "F:5: class a: unknown port \"\"" },
		{ WHOLE "class a ports p0 + [M]\n", "F:5: a \"+\" with nothing beside it" },
		{ WHOLE "class a ports x*p0 [M]\n",
			"F:5: \"x*p0\": a count is a number from above 0 to 256" },
		{ WHOLE "class a ports 0*p0 [M]\n", "F:5: \"0*p0\": a count" },
		{ WHOLE "class a ports p0:0 [M]\n",
			"F:5: \"p0:0\": cycles are a number from above 0 to 1000" },
		{ WHOLE "class a ports p0 p1 [M]\n", "F:5: class a: unknown port \"p0 p1\"" },
		{ WHOLE "class a ports p0 + p0 + p0 + p0 + p0 + p0 + p0 [M]\n",
			"F:5: more than 6 kinds of micro-ops" },
		{ WHOLE "units div\nclass a ports p0,div [M]\n",
			"F:6: class a: ports and units in one term" },
		{ WHOLE "class a latency 1 [M]\n", "F:5: class a does not say its ports" },
		{ WHOLE "class a latency 1 ports [M]\n", "F:5: class a does not say its ports" },
		{ WHOLE "class a colour 1 ports p0 [M]\n", "F:5: unknown word \"colour\"" },
		{ WHOLE "class a.96 ports p0 [M]\n", "F:5: unknown width \"96\"" },
		{ WHOLE "class .64 ports p0 [M]\n", "F:5: class \".64\" has no name" },
		{ WHOLE "class a ports p0 [M]\nclass a ports p1 [M]\n",
			"F:6: this class stands in line 5 already" },
		{ WHOLE "class abcdefghijklmnopqrstuvwx ports p0 [M]\n",
			"F:5: class \"abcdefghijklmnopqrstuvwx\" is too long" },
		{ WHOLE "chain a b 2 [M]\n", "F:5: chain: no class \"a\"" },
		{ WHOLE "class a ports p0 [M]\nchain a a 2 [M]\nchain a a 3 [M]\n",
			"F:7: this chain stands in line 6 already" },
		{ WHOLE "chain a b [M]\n",
			"F:5: too few words in \"chain\": chain PRODUCER CONSUMER LATENCY" },
		/* the rest */
		{ WHOLE "fuse cmp [M]\n", "F:5: \"fuse\" is written: fuse cmp test with e ne" },
		{ WHOLE "fuse with all [M]\n", "F:5: \"fuse\" is written" },
		{ WHOLE "fuse cmp with [M]\n", "F:5: \"fuse\" names no conditions" },
		{ WHOLE "fuse cmp with nz [M]\n", "F:5: unknown condition \"nz\"" },
		{ WHOLE "fuse cmp with all unless [M]\n", "F:5: \"unless\" without a reason" },
		{ WHOLE "fuse cmp with all unless tuesday [M]\n",
			"F:5: unknown exception \"tuesday\"" },
		{ WHOLE "fuse cmp with all [M]\nfuse test cmp with e [M]\n",
			"F:6: fuse cmp stands in line 5 already" },
		{ WHOLE "unlaminate sometimes [M]\n", "F:5: unknown form \"sometimes\"" },
		{ WHOLE "unlaminate never unless stores [M]\n", "F:5: \"unlaminate\" is written" },
		{ WHOLE "unlaminate indexed unless [M]\n", "F:5: \"unlaminate\" is written" },
		{ WHOLE "cap load 2 [M]\n", "F:5: unknown cap \"load\"; loads" },
		{ WHOLE "cap loads 2 [M]\ncap loads 3 [M]\n",
			"F:6: this cap stands in line 5 already" },
		{ WHOLE "size rob 2 [M]\nsize rob 3 [M]\n",
			"F:6: this size stands in line 5 already" },
		{ WHOLE "extra sign 2 [M]\nextra sign 3 [M]\n",
			"F:6: this extra stands in line 5 already" },
		{ WHOLE "cache 1 bytes 2048 [M]\ncache 1 bytes 2048 [M]\n",
			"F:6: this cache stands in line 5 already" },
		{ WHOLE "unknown class a\n", "F:5: class \"a\" is not inherited" },
		{ WHOLE "unknown colour a\n", "F:5: unknown word \"colour\"" },
		{ WHOLE "unknown class\n", "F:5: too few words in \"unknown\"" },
		/* counters */
		{ WHOLE "pmu\n", "F:5: too few words in \"pmu\": pmu NAME, or pmu none" },
		{ WHOLE "pmu skl\n", "F:5: this line has no source" },
		{ WHOLE "pmu s:l [M]\n", "F:5: pmu \"s:l\": letters, digits and _ only" },
		{ WHOLE "pmu abcdefghijklmnopqrstuvwxyz_abcdefghij [M]\n",
			"is too long: 1 to 31 bytes" },
		{ WHOLE "pmu skl [M]\npmu skx [M]\n", "F:6: pmu stands in line 5 already" },
		{ WHOLE "event\n", "F:5: \"event\" is written: event ROLE = NAME" },
		{ WHOLE "event cycles = a::B\n", "F:5: this line has no source" },
		{ WHOLE "event cycles a::B [M]\n", "F:5: \"event\" is written" },
		{ WHOLE "event cycles a::B = [M]\n", "F:5: \"event\" is written" },
		{ WHOLE "event = a::B [M]\n", "F:5: \"event\" is written" },
		{ WHOLE "event cycels = a::B [M]\n", "F:5: unknown role \"cycels\"; cycles" },
		{ WHOLE "event extra = a::B [M]\n", "F:5: unknown role \"extra\"" },
		{ WHOLE "event cycles all = a::B [M]\n",
			"F:5: event cycles is one: nothing stands between it and the \"=\"" },
		{ WHOLE "event ports = a::B [M]\n", "F:5: event ports does not say which" },
		{ WHOLE "event stalled = a::B [M]\n", "F:5: event stalled does not say which" },
		{ WHOLE "event ports p0 p1 = a::B [M]\n",
			"F:5: ports are joined by commas, without blanks" },
		{ WHOLE "event ports p0,p7 = a::B [M]\n", "F:5: event ports: unknown port \"p7\"" },
		{ WHOLE "event ports p0, = a::B [M]\n", "F:5: event ports: unknown port \"\"" },
		{ WHOLE "units div\nevent ports div = a::B [M]\n",
			"F:6: event ports div: units have no events of micro-ops" },
		{ WHOLE "event stalled abcdefghij abcdefghij abcdefghij abcdefghij = a::B [M]\n",
			"F:5: what is counted is longer than 39 bytes" },
		{ WHOLE "event cycles = a::B/C [M]\n",
			"F:5: event \"a::B/C\": letters, digits and _:.=- only" },
		{ WHOLE "event cycles = B [M]\n",
			"F:5: event B: of which PMU? Write PMU::B, or a line \"pmu\"" },
		{ WHOLE "pmu none\nevent cycles = B [M]\n", "F:6: event B: of which PMU?" },
		{ WHOLE "event cycles = a::" A150 A50 " [M]\n", "is too long: 1 to 159 bytes" },
		{ WHOLE "pmu abcdefghijk [M]\nevent cycles = " A150 " [M]\n",
			"F:6: event AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA is "
			"longer than 159 bytes with its PMU" },
		{ WHOLE "event cycles = a::B [M]\nevent cycles = a::C [M]\n",
			"F:6: event cycles stands in line 5 already" },
		{ WHOLE "set both p1 p0\nevent ports p0,p1 = a::B [M]\nevent ports both = a::C "
			"[M]\n",
			"F:7: event ports both stands in line 6 already" },
		{ WHOLE "event stalled a b = a::B [M]\nevent stalled a  b = a::C [M]\n",
			"F:6: event stalled a b stands in line 5 already" },
		{ WHOLE "event uops = none\n", "F:5: event uops is not inherited" },
		{ WHOLE "event stalled a = none\n", "F:5: event stalled a is not inherited" },
		{ WHOLE "event cycles = a::B [M]\nevent cycles = none\n",
			"F:6: event cycles is not inherited" },
		{ BEGIN "from base\nevent ports p4 = none\n",
			"F:4: event ports p4 is not inherited" },
		{ BEGIN "ports p0 [M]\n", "F: no line \"width\"" },
		{ BEGIN "width 4 [M]\n", "F: no line \"ports\"" },
		{ BEGIN "width 4 [M] \001\n",
			"F:3: byte 13 of the line is 0x01, which is no text" },
		{ BEGIN "# \xff\n", "F:3: byte 3 of the line is 0xff, which is no text" },
		{ BEGIN "# \xc3\n", "F:3: byte 3 of the line is 0xc3, which is no text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch *uarch = (struct uarch *)&rows;
		struct status status = uarch_parse(rows[i].text, "F", &uarch);

		if (status.code != STATUS_FAILED || !strstr(status.text, rows[i].message) || uarch)
			fail_msg("\"%s\" gives \"%s\", not \"%s\"", rows[i].text, status.text,
				rows[i].message);
	}
}

static void malformed_tables_are_refused_with_line_and_reason(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "add\n", "F:1: a rule has three words: MNEMONICS SHAPE CLASS, not 1" },
		{ "add * alu [M]\n", "F:1: a rule has three words: MNEMONICS SHAPE CLASS, not 4" },
		{ "add x alu\n", "F:1: shape \"x\": \"x\" is no operand" },
		{ "add r, alu\n", "F:1: shape \"r,\": \"\" is no operand" },
		{ "add [] alu\n", "\"[]\" is no operand" },
		{ "add [ib] alu\n", "\"[ib]\" is no operand" },
		{ "add [bb] alu\n", "\"[bb]\" is no operand" },
		{ "add i= alu\n", "\"i=\" is no operand" },
		{ "add i0 alu\n", "\"i0\" is no operand" },
		{ "add r,r,r,r,r,r,r,r,r,r,r,r,r alu\n",
			"F:1: shape \"r,r,r,r,r,r,r,r,r,r,r,r,r\" is longer than 23 bytes" },
		{ "add * Alu!\n", "F:1: class \"Alu!\": letters, digits and - only" },
		{ "add * abcdefghijklmnopqrstuvwxyz\n", "is too long: 1 to 23 bytes" },
		{ "Add * alu\n", "F:1: mnemonic \"Add\": small letters" },
		{ "a*d * alu\n", "F:1: mnemonic \"a*d\": small letters" },
		{ "add, * alu\n", "F:1: mnemonic \"\": 1 to 19 bytes" },
		{ "abcdefghijklmnopqrstuvwxyz * alu\n", "1 to 19 bytes" },
		{ "\nadd * alu\nadd r,r alu\n",
			"F:3: add r,r: the rule in line 2 takes it before" },
		{ "add r,r alu\nsub,add r,r alu\n",
			"F:2: add r,r: the rule in line 1 takes it before" },
		{ "vadd * a\n~add * b\n", "F:2: vadd *: the rule in line 1 takes it before" },
		{ "fallback a\n", "F:1: a fallback is written: fallback CLASS CLASS" },
		{ "fallback a a\n", "F:1: fallback a a: it falls back to itself" },
		{ "fallback a b\nfallback b c\nfallback c a\n",
			"F:3: fallback c a: it falls back to itself" },
		{ "fallback a b\nfallback a c\n",
			"F:2: class \"a\" has a fallback in line 1 already" },
		{ "add * \x80\n", "F:1: byte 7 of the line is 0x80, which is no text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch_ops *ops = (struct uarch_ops *)&rows;
		struct status status = ops_parse(rows[i].text, "F", &ops);

		if (status.code != STATUS_FAILED || !strstr(status.text, rows[i].message) || ops)
			fail_msg("\"%s\" gives \"%s\", not \"%s\"", rows[i].text, status.text,
				rows[i].message);
	}
}

static void the_end_of_a_long_path_is_shown(void **state)
{
	struct uarch *uarch;
	struct status status = uarch_parse("",
		"/a/very/long/path/that/goes/on/and/on/and/on/and/on/and/on/until/it/ends/at/"
		"x.uarch",
		&uarch);

	(void)state;
	check_contains(status.text, "...");
	check_contains(status.text, "/it/ends/at/x.uarch:0: the file begins");
}

static void small_differences_are_allowed(void **state)
{
	struct uarch *uarch;

	(void)state;
	check_ok(uarch_parse("\r\n# caf\xc3\xa9\nuarch  x\tX  the first # comment\r\nisa "
			     "x86_64\nwidth 4.5 [M]\nports p0 [M]\n"
			     "class a ports 2*p0:3+p0 [M]",
		"F", &uarch));
	assert_string_equal(uarch_title(uarch), "X the first");
	check_near(uarch_width(uarch), 4.5, 0);
	assert_int_equal(uarch_find(uarch, "a", 0)->term_count, 2);
	uarch_free(uarch);
}

/* ---- names */

static void names_are_listed_by_instruction_set(void **state)
{
	const char *const *names = uarch_names("aarch64");

	(void)state;
	assert_string_equal(names[0], "arm");
	assert_null(names[1]);
	assert_string_equal(uarch_names("x86_64")[0], "base");
	assert_string_equal(uarch_names(NULL)[0], "arm");
	assert_null(uarch_names("mips")[0]);
}

static void unknown_names_are_usage_errors(void **state)
{
	struct uarch *uarch;

	(void)state;
	check_usage(uarch_load("bsae", "x86_64", &uarch), "no core model \"bsae\"; base");
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

static void own_files_are_found_by_name(void **state)
{
	char directory[] = "/tmp/slexplore-uarch-XXXXXX", path[80];
	struct uarch *uarch;
	FILE *file;

	(void)state;
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
	check_near(uarch_width(uarch), 9, 0);
	uarch_free(uarch);
	unlink(path);
	unsetenv("SLEXPLORE_DATA");
	check_usage(uarch_load("mine", "x86_64", &uarch),
		"no core model \"mine\"; one of base, child, circle, circle2, narrow, other, "
		"plain, wrong-name");
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
	for (int i = 0; i < uarch_event_count(uarch); i++) {
		const struct uarch_event *event = uarch_event(uarch, i);

		text_addf(&told, "%s%s", i ? " " : "", role_name(event->role));
		if (event->ports)
			text_addf(&told, ":%x", event->ports);
		if (event->words[0])
			text_addf(&told, ":%s", event->words);
		text_addf(&told, "=%s", event->name);
		assert_string_equal(event->core, uarch_name(uarch));
		assert_true(event->tags != 0);
	}
	assert_string_equal(text_string(&told), events);
	text_free(&told);
	uarch_free(uarch);
}

static void events_are_read(void **state)
{
	struct uarch *uarch = load("base");
	char title[64];

	(void)state;
	assert_string_equal(uarch_pmu(uarch), "b");
	assert_int_equal(uarch_event_count(uarch), 5);
	assert_string_equal(uarch_event(uarch, 0)->title, "cycles");
	assert_string_equal(uarch_event(uarch, 1)->title, "p0");
	assert_string_equal(uarch_event(uarch, 2)->title, "p2 p3");
	assert_string_equal(uarch_event(uarch, 3)->title, "L1 misses");
	assert_string_equal(uarch_event(uarch, 4)->title, "stalled: back end");
	events_title(&(struct uarch_event){ .role = ROLE_PORTS, .ports = 3 }, uarch, title,
		sizeof(title));
	assert_string_equal(title, "p0 p1");
	events_title(&(struct uarch_event){ .role = ROLE_EXTRA, .name = "x::Y" }, NULL, title,
		sizeof(title));
	assert_string_equal(title, "x::Y");
	uarch_free(uarch);
	check_events(WHOLE, "");
	check_events(WHOLE "pmu none\nevent uops = a::B [M]\n", "uops=a::B");
}

static void events_are_inherited_with_the_childs_pmu(void **state)
{
	(void)state;
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

static void lists_of_events_are_read_alone(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{ "class a ports p0 [M]\n", "F:1: unknown word \"class\"" },
		{ "\nevent ports p0 = a::B [M]\n", "F:2: event ports: unknown port \"p0\"" },
		{ "event uops = B [M]\n", "F:1: event B: of which PMU?" },
		{ "event uops = a::B\n", "F:1: this line has no source" },
		{ "[M]\n", "F:1: unknown word \"\"" },
	};
	struct uarch_event event[2];
	int count;

	(void)state;
	check_ok(events_parse("# two\nevent uops = a::B [M]\nevent stalled x = a::C [L]\nevent "
			      "loads = a::D [L]\n",
		"F", event, 2, &count));
	assert_int_equal(count, 2);
	assert_string_equal(event[1].words, "x");
	assert_string_equal(event[1].name, "a::C");
	assert_string_equal(event[1].core, "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct status status = events_parse(rows[i].text, "F", event, 2, &count);

		if (status.code != STATUS_FAILED || !strstr(status.text, rows[i].message) || count)
			fail_msg("\"%s\" gives \"%s\", not \"%s\"", rows[i].text, status.text,
				rows[i].message);
	}
}

/* ---- facts */

static void facts_are_read(void **state)
{
	struct uarch *uarch = load("base");
	const struct uarch_class *fadd = uarch_find(uarch, "fadd", 0),
				 *wide = uarch_find(uarch, "fadd", 512);
	struct text text = { 0 };

	(void)state;
	assert_string_equal(uarch_title(uarch), "A base");
	assert_string_equal(uarch_isa(uarch), "x86_64");
	assert_int_equal(uarch_port_count(uarch), 6);
	assert_string_equal(uarch_port(uarch, 5), "div");
	assert_true(uarch_port_is_unit(uarch, 5));
	assert_false(uarch_port_is_unit(uarch, 4));
	check_near(uarch_fact(uarch, CAP_LOADS), 2, 0);
	assert_false(uarch_known(uarch_fact(uarch, CAP_STORES)));
	check_near(uarch_fact(uarch, SIZE_ROB), 224, 0);
	check_near(uarch_fact(uarch, EXTRA_FORWARD), 5, 0);
	assert_false(uarch_known(uarch_fact(uarch, EXTRA_SIGN)));
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

static void a_core_inherits_and_replaces(void **state)
{
	struct uarch *base = load("base"), *child = load("child");

	(void)state;
	assert_string_equal(uarch_name(child), "child");
	assert_string_equal(uarch_title(child), "A child");
	check_near(uarch_width(child), 6, 0);
	assert_int_equal(uarch_port_count(child), 7);
	/* What is inherited follows a set that has a new meaning. */
	assert_int_equal(uarch_find(base, "alu", 0)->term[0].ports, 3);
	assert_int_equal(uarch_find(child, "alu", 0)->term[0].ports, 3 | 1 << 5);
	assert_int_equal(uarch_find(child, "div", 64)->term[1].ports, 1 << 6);
	check_near(uarch_find(child, "fadd", 0)->latency, 3, 0);
	check_near(uarch_find(child, "fadd", 512)->latency, 5, 0);
	assert_null(uarch_find(child, "two", 0));
	assert_false(uarch_known(uarch_fact(child, EXTRA_FORWARD)));
	check_near(uarch_fact(child, SIZE_ROB), 224, 0);
	assert_int_equal(child->id_count, 2);
	uarch_free(base);
	uarch_free(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_files_are_refused_with_line_and_reason),
		cmocka_unit_test(malformed_tables_are_refused_with_line_and_reason),
		cmocka_unit_test(the_end_of_a_long_path_is_shown),
		cmocka_unit_test(small_differences_are_allowed),
		cmocka_unit_test(events_are_read),
		cmocka_unit_test(events_are_inherited_with_the_childs_pmu),
		cmocka_unit_test(lists_of_events_are_read_alone),
		cmocka_unit_test(names_are_listed_by_instruction_set),
		cmocka_unit_test(unknown_names_are_usage_errors),
		cmocka_unit_test(own_files_are_found_by_name),
		cmocka_unit_test(facts_are_read),
		cmocka_unit_test(a_core_inherits_and_replaces),
	};

	return cmocka_run_group_tests(tests, uarch_fakes_setup, NULL);
}
