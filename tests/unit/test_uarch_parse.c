/* Core models and tables of instructions made for this test: what is refused and how it is said, inheritance, classes,
 * slots, fusion, recognition. test_uarch.c looks at those that are shipped. */
#include "check.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/data.h"
#include "model/uarch.h"
#include "model/uarch_read.h"

static const char base_text[] =
	"uarch base A base\n"
	"isa x86_64\n"
	"match vendor GenuineIntel family 6 model 10-1f [M]\n"
	"width 4 [M]\n"
	"ports p0 p1 p2 p3 p4 [M]\n"
	"units div\n"
	"set alu p0 p1\n"
	"set load p2 p3\n"
	"class nop ports none [M]\n"
	"class zero latency 0 ports none [M]\n"
	"class move latency 0 ports none [M]\n"
	"class alu latency 1 ports alu [M]\n"
	"class two latency 2 ports 2*p0,p1 [M]\n"
	"class fadd latency 4 ports p0,p1 [M,L]\n"
	"class fadd.512 latency 5 slots 2 ports 0.5*p0 + p1:2 [M]\n"
	"class div.64 latency 20 ports p0 + div:9 [L]\n"
	"class fma latency 4 accumulate 2 ports alu [M]\n"
	"class branch ports p0 [M]\n"
	"class taken ports p1 [M]\n"
	"class load latency 5 ports load [M]\n"
	"class vload latency 6 ports load [M]\n"
	"class vload.256 latency 7 ports load [M]\n"
	"class store ports load + p4 [M]\n"
	"class vstore ports load + p4 [M]\n"
	"class store-complex ports p2 + p4 [M]\n"
	"class silent ports unknown\n"
	"chain fadd fadd 2 [M]\n"
	"chain fadd.512 fadd 3 [M]\n"
	"fuse cmp test with e ne b unless memory-immediate [M]\n"
	"fuse add with all unless store immediate [M]\n"
	"fuse and with all unless relative [M]\n"
	"unlaminate indexed unless two-operand stores [M]\n"
	"cap loads 2 [M]\n"
	"size rob 224 [M]\n"
	"extra forward 5 [TD]\n"
	"cache 1 bytes 32768 latency 5 [M]\n"
	"cache 2 bytes 262144 latency 12 lines 0.5 [M]\n";

static const char child_text[] =
	"uarch child A child\n"
	"isa x86_64\n"
	"from base\n"
	"match vendor GenuineIntel family 6 model 20 with amx-tile [M]\n"
	"match vendor GenuineIntel family 6 model 20 with amx-tile with l1i-64k stepping 3 [M]\n"
	"width 6 [M]\n"
	"ports p0 p1 p2 p3 p4 p5 [M]\n"
	"set alu p0 p1 p5\n"
	"class fadd latency 3 ports p5 [M]\n"
	"unknown class two\n"
	"unknown extra forward\n"
	"unknown fuse test\n"
	"unlaminate indexed [M]\n"
	"class modify slots 0 ports none [M]\n";

static const char plain_text[] = "uarch plain Plain\nisa x86_64\nfrom base\n"
	"match vendor GenuineIntel family 6 model 20 without amx-tile [M]\nunlaminate never [M]\n";
static const char narrow_text[] = "uarch narrow Narrow\nisa x86_64\nfrom base\n"
	"match vendor GenuineIntel family 6 model 20 with amx-tile with l1i-64k [M]\n";
static const char other_text[] = "uarch other Other\nisa x86_64\nfrom base\n"
	"match vendor AuthenticAMD family 19 [M]\n";
static const char arm_text[] =
	"uarch arm Arm core\n"
	"isa aarch64\n"
	"match implementer 41 part d0c,d0d [M]\n"
	"width unknown\n"
	"ports b i l d [M]\n"
	"class alu latency 1 ports i [M]\n"
	"class flags latency 1 ports i [M]\n"
	"class load latency 4 ports l [M]\n"
	"class vload latency 4 ports l [M]\n"
	"class load-pair latency 4 slots 0.5 ports 0.5*l [M]\n"
	"class store ports l + d [M]\n"
	"class writeback latency 1 slots 0 ports i [M]\n"
	"class branch ports b [M]\n"
	"fuse cmp with all [M]\n";

static const char ops_text[] =
	"nop * nop\n"
	"mov r,m -\n"
	"mov m,* -\n"
	"push,pop * -\n"
	"add r,i8 small\n"
	"add,sub,cmp,test * alu\n"
	"lea r,[bd] lea\n"
	"lea r,[bisd] two\n"
	"shl r,i=1 one\n"
	"shl r,i alu\n"
	"shl r,c two\n"
	"~addsd,~addpd * fadd\n"
	"vcmp* v,v,* fadd\n"
	"vcmpeq v,m,* never\n"
	"vcmp* v,m,* two\n"
	"vfma * fma\n"
	"div r div\n"
	"cdq - alu\n"
	"vgather * fadd\n"
	"~movdqu v,m -\n"
	"~movdqu m,v -\n"
	"quiet * silent\n"
	"fallback small alu\n"
	"fallback one two\n"
	"fallback lea small\n";
static const char arm_ops_text[] = "add,sub * alu\ncmp * flags\nldr,ldp * -\nstr * -\n";

const struct data_file data_files[] = {
	{ "uarch/arm.uarch", arm_text },
	{ "uarch/base.uarch", base_text },
	{ "uarch/child.uarch", child_text },
	{ "uarch/circle.uarch", "uarch circle C\nisa x86_64\nfrom circle2\n" },
	{ "uarch/circle2.uarch", "uarch circle2 C\nisa x86_64\nfrom circle\n" },
	{ "uarch/narrow.uarch", narrow_text },
	{ "uarch/other.uarch", other_text },
	{ "uarch/plain.uarch", plain_text },
	{ "uarch/wrong-name.uarch", "uarch right-name R\nisa x86_64\nfrom base\n" },
	{ "uarch/sources", "M measured\nL LLVM\nTD Travis Downs\n" },
	{ "uarch/x86_64.ops", ops_text },
	{ "uarch/aarch64.ops", arm_ops_text },
	{ NULL, NULL },
};

static struct uarch *load(const char *name)
{
	struct uarch *uarch;

	check_ok(uarch_load(name, NULL, &uarch));
	return uarch;
}

/* ---- what is refused */

#define BEGIN "uarch x X\nisa x86_64\n"
#define WHOLE BEGIN "width 4 [M]\nports p0 p1 [M]\n"

static void malformed_files_are_refused_with_line_and_reason(void **state)
{
	static const struct { const char *text, *message; } rows[] = {
		{ "", "F:0: the file begins with: uarch NAME TITLE, and isa" },
		{ "# nothing\n\n", "F:2: the file begins with" },
		{ "isa x86_64\n", "F:1: the first line is: uarch NAME TITLE" },
		{ "uarch x\n", "F:1: too few words: uarch NAME TITLE" },
		{ "uarch x/y X\n", "F:1: name \"x/y\": letters, digits and .- only" },
		{ "uarch abcdefghijklmnopqrstuvwxyz X\n", "F:1: name \"abcdefghijklmnopqrstuvwxyz\" is too long: 1 to 23 bytes" },
		{ "uarch x X X\nwidth 4 [M]\n", "F:2: the second line is: isa x86_64, or isa aarch64" },
		{ "uarch x X\nisa mips\n", "F:2: unknown instruction set \"mips\"; one of x86_64, aarch64" },
		{ BEGIN "isa x86_64\n", "F:3: \"isa\" stands in the second line only" },
		{ BEGIN "uarch y Y\n", "F:3: \"uarch\" stands in the first line only" },
		{ BEGIN "widht 4 [M]\n", "F:3: unknown word \"widht\"; width" },
		{ BEGIN "[M]\n", "F:3: unknown word \"\"" },
		{ BEGIN "width 4 [M]\nfrom base\n", "F:4: \"from\" stands directly after \"isa\" only" },
		{ BEGIN "from nobody\n", "F:3: unknown core \"nobody\"; one of base" },
		{ BEGIN "from bsae\n", "F:3: unknown core \"bsae\"; base" },
		{ BEGIN "from arm\n", "F:3: from arm: its instruction set is aarch64, not x86_64" },
		{ BEGIN "from x\n", "F:3: from x: a core cannot inherit from itself" },
		{ BEGIN "from circle\n", "built-in uarch/circle2.uarch:3: from circle: a core cannot inherit from itself" },
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
		{ WHOLE "class a latency 1001 ports p0 [M]\n", "F:5: latency 1001 is out of range: 0 to 1000" },
		{ WHOLE "class a latency ports p0 [M]\n", "F:5: latency \"ports\" is not a decimal number" },
		{ WHOLE "class a latency 1 slots 9999 ports p0 [M]\n", "F:5: slots 9999 is out of range" },
		{ WHOLE "cap loads 0 [M]\n", "F:5: loads 0 is out of range: 0.01 to 64" },
		{ WHOLE "size rob 0 [M]\n", "F:5: rob 0 is out of range: 1 to 1000000" },
		{ WHOLE "extra forward 1e9 [M]\n", "F:5: forward \"1e9\" is not a decimal number" },
		{ WHOLE "cache 3 bytes 32768 latency 4 [M]\n", "F:5: cache 3 is out of range: 1 to 2" },
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
		{ BEGIN "width 4 [M, L]\n", "F:3: \"L]\": sources are written [M] or [Ltd,TD], without blanks" },
		/* match */
		{ BEGIN "match vendor A [M]\n", "F:3: \"match\" names a vendor and a family, or an implementer and a part" },
		{ BEGIN "match vendor A family [M]\n", "F:3: \"match\" takes pairs of words" },
		{ BEGIN "match vendor A family 6 model 5g [M]\n", "F:3: model \"5g\" is not written 4e,5e or 00-0f (hexadecimal)" },
		{ BEGIN "match vendor A family 6 model 5, [M]\n", "F:3: model \"\" is not written" },
		{ BEGIN "match vendor A family 6 model 5-3 [M]\n", "F:3: model 5-3 runs backwards" },
		{ BEGIN "match vendor A family 6 model 12345 [M]\n", "F:3: model \"12345\" is not written" },
		{ BEGIN "match vendor A family 6-7 [M]\n", "F:3: family is one number" },
		{ BEGIN "match vendor A family 6 colour 1 [M]\n", "F:3: unknown condition \"colour\"" },
		{ BEGIN "match vendor ABCDEFGHIJKLMNOPQ family 6 [M]\n", "F:3: vendor \"ABCDEFGHIJKLMNOPQ\" is too long" },
		{ BEGIN "match vendor A family 6 with a with b with c with d with e with f with g [M]\n", "F:3: more than 6 features" },
		/* ports, sets, classes */
		{ BEGIN "ports [M]\n", "F:3: \"ports\" names none" },
		{ BEGIN "ports p0 p1 p0 [M]\n", "F:3: \"p0\" stands here twice" },
		{ BEGIN "ports none [M]\n", "F:3: no port can be called \"none\"" },
		{ BEGIN "ports a b c d e f g h i j k l m n o p q r s t u v w x y [M]\n", "F:3: 25 ports are too many: 24" },
		{ BEGIN "width 4 [M]\nports a b c d e f g h i j k l m n o p q r s t u v w [M]\nunits y z\n",
			"F:5: 23 ports and 2 units are too many: 24 together at most" },
		{ BEGIN "ports abcdefghijkl [M]\n", "F:3: port \"abcdefghijkl\" is too long: 1 to 11 bytes" },
		{ WHOLE "units p1\n", "F:5: unit \"p1\": a port has this name" },
		{ WHOLE "ports p2 [M]\n", "F:5: ports stands in line 4 already" },
		{ WHOLE "set a p0 p7\n", "F:5: set \"a\" holds an unknown port, or itself: p0 p7" },
		{ WHOLE "set a b\nset b a\n", "F:5: set \"a\" holds an unknown port, or itself: b" },
		{ WHOLE "set p0 p1\n", "F:5: set \"p0\": a port has this name" },
		{ WHOLE "set a p0\nset a p1\n", "F:6: this set stands in line 5 already" },
		{ WHOLE "set a\n", "F:5: too few words: set NAME PORT ..." },
		{ WHOLE "class a ports p7 [M]\n", "F:5: class a: unknown port \"p7\"" },
		{ WHOLE "class a ports p0,,p1 [M]\n", "F:5: class a: unknown port \"\"" },
		{ WHOLE "class a ports p0 + [M]\n", "F:5: a \"+\" with nothing beside it" },
		{ WHOLE "class a ports x*p0 [M]\n", "F:5: \"x*p0\": a count is a number from above 0 to 256" },
		{ WHOLE "class a ports 0*p0 [M]\n", "F:5: \"0*p0\": a count" },
		{ WHOLE "class a ports p0:0 [M]\n", "F:5: \"p0:0\": cycles are a number from above 0 to 1000" },
		{ WHOLE "class a ports p0 p1 [M]\n", "F:5: class a: unknown port \"p0 p1\"" },
		{ WHOLE "class a ports p0 + p0 + p0 + p0 + p0 + p0 + p0 [M]\n", "F:5: more than 6 kinds of micro-ops" },
		{ WHOLE "units div\nclass a ports p0,div [M]\n", "F:6: class a: ports and units in one term" },
		{ WHOLE "class a latency 1 [M]\n", "F:5: class a does not say its ports" },
		{ WHOLE "class a latency 1 ports [M]\n", "F:5: class a does not say its ports" },
		{ WHOLE "class a colour 1 ports p0 [M]\n", "F:5: unknown word \"colour\"" },
		{ WHOLE "class a.96 ports p0 [M]\n", "F:5: unknown width \"96\"" },
		{ WHOLE "class .64 ports p0 [M]\n", "F:5: class \".64\" has no name" },
		{ WHOLE "class a ports p0 [M]\nclass a ports p1 [M]\n", "F:6: this class stands in line 5 already" },
		{ WHOLE "class abcdefghijklmnopqrstuvwx ports p0 [M]\n", "F:5: class \"abcdefghijklmnopqrstuvwx\" is too long" },
		{ WHOLE "chain a b 2 [M]\n", "F:5: chain: no class \"a\"" },
		{ WHOLE "class a ports p0 [M]\nchain a a 2 [M]\nchain a a 3 [M]\n", "F:7: this chain stands in line 6 already" },
		{ WHOLE "chain a b [M]\n", "F:5: too few words in \"chain\": chain PRODUCER CONSUMER LATENCY" },
		/* the rest */
		{ WHOLE "fuse cmp [M]\n", "F:5: \"fuse\" is written: fuse cmp test with e ne" },
		{ WHOLE "fuse with all [M]\n", "F:5: \"fuse\" is written" },
		{ WHOLE "fuse cmp with [M]\n", "F:5: \"fuse\" names no conditions" },
		{ WHOLE "fuse cmp with nz [M]\n", "F:5: unknown condition \"nz\"" },
		{ WHOLE "fuse cmp with all unless [M]\n", "F:5: \"unless\" without a reason" },
		{ WHOLE "fuse cmp with all unless tuesday [M]\n", "F:5: unknown exception \"tuesday\"" },
		{ WHOLE "fuse cmp with all [M]\nfuse test cmp with e [M]\n", "F:6: fuse cmp stands in line 5 already" },
		{ WHOLE "unlaminate sometimes [M]\n", "F:5: unknown form \"sometimes\"" },
		{ WHOLE "unlaminate never unless stores [M]\n", "F:5: \"unlaminate\" is written" },
		{ WHOLE "unlaminate indexed unless [M]\n", "F:5: \"unlaminate\" is written" },
		{ WHOLE "cap load 2 [M]\n", "F:5: unknown cap \"load\"; loads" },
		{ WHOLE "cap loads 2 [M]\ncap loads 3 [M]\n", "F:6: this cap stands in line 5 already" },
		{ WHOLE "size rob 2 [M]\nsize rob 3 [M]\n", "F:6: this size stands in line 5 already" },
		{ WHOLE "extra sign 2 [M]\nextra sign 3 [M]\n", "F:6: this extra stands in line 5 already" },
		{ WHOLE "cache 1 bytes 2048 [M]\ncache 1 bytes 2048 [M]\n", "F:6: this cache stands in line 5 already" },
		{ WHOLE "unknown class a\n", "F:5: class \"a\" is not inherited" },
		{ WHOLE "unknown colour a\n", "F:5: unknown word \"colour\"" },
		{ WHOLE "unknown class\n", "F:5: too few words in \"unknown\"" },
		{ BEGIN "ports p0 [M]\n", "F: no line \"width\"" },
		{ BEGIN "width 4 [M]\n", "F: no line \"ports\"" },
		{ BEGIN "width 4 [M] \001\n", "F:3: byte 13 of the line is 0x01, which is no text" },
		{ BEGIN "# \xff\n", "F:3: byte 3 of the line is 0xff, which is no text" },
		{ BEGIN "# \xc3\n", "F:3: byte 3 of the line is 0xc3, which is no text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch *uarch = (struct uarch *)&rows;
		struct status status = uarch_parse(rows[i].text, "F", &uarch);

		if (status.code != STATUS_FAILED || !strstr(status.text, rows[i].message) || uarch)
			fail_msg("\"%s\" gives \"%s\", not \"%s\"", rows[i].text, status.text, rows[i].message);
	}
}

static void malformed_tables_are_refused_with_line_and_reason(void **state)
{
	static const struct { const char *text, *message; } rows[] = {
		{ "add\n", "F:1: a rule has three words: MNEMONICS SHAPE CLASS, not 1" },
		{ "add * alu [M]\n", "F:1: a rule has three words: MNEMONICS SHAPE CLASS, not 4" },
		{ "add x alu\n", "F:1: shape \"x\": \"x\" is no operand" },
		{ "add r, alu\n", "F:1: shape \"r,\": \"\" is no operand" },
		{ "add [] alu\n", "\"[]\" is no operand" },
		{ "add [ib] alu\n", "\"[ib]\" is no operand" },
		{ "add [bb] alu\n", "\"[bb]\" is no operand" },
		{ "add i= alu\n", "\"i=\" is no operand" },
		{ "add i0 alu\n", "\"i0\" is no operand" },
		{ "add r,r,r,r,r,r,r,r,r,r,r,r,r alu\n", "F:1: shape \"r,r,r,r,r,r,r,r,r,r,r,r,r\" is longer than 23 bytes" },
		{ "add * Alu!\n", "F:1: class \"Alu!\": letters, digits and - only" },
		{ "add * abcdefghijklmnopqrstuvwxyz\n", "is too long: 1 to 23 bytes" },
		{ "Add * alu\n", "F:1: mnemonic \"Add\": small letters" },
		{ "a*d * alu\n", "F:1: mnemonic \"a*d\": small letters" },
		{ "add, * alu\n", "F:1: mnemonic \"\": 1 to 19 bytes" },
		{ "abcdefghijklmnopqrstuvwxyz * alu\n", "1 to 19 bytes" },
		{ "\nadd * alu\nadd r,r alu\n", "F:3: add r,r: the rule in line 2 takes it before" },
		{ "add r,r alu\nsub,add r,r alu\n", "F:2: add r,r: the rule in line 1 takes it before" },
		{ "vadd * a\n~add * b\n", "F:2: vadd *: the rule in line 1 takes it before" },
		{ "fallback a\n", "F:1: a fallback is written: fallback CLASS CLASS" },
		{ "fallback a a\n", "F:1: fallback a a: it falls back to itself" },
		{ "fallback a b\nfallback b c\nfallback c a\n", "F:3: fallback c a: it falls back to itself" },
		{ "fallback a b\nfallback a c\n", "F:2: class \"a\" has a fallback in line 1 already" },
		{ "add * \x80\n", "F:1: byte 7 of the line is 0x80, which is no text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uarch_ops *ops = (struct uarch_ops *)&rows;
		struct status status = ops_parse(rows[i].text, "F", &ops);

		if (status.code != STATUS_FAILED || !strstr(status.text, rows[i].message) || ops)
			fail_msg("\"%s\" gives \"%s\", not \"%s\"", rows[i].text, status.text, rows[i].message);
	}
}

static void the_end_of_a_long_path_is_shown(void **state)
{
	struct uarch *uarch;
	struct status status = uarch_parse("", "/a/very/long/path/that/goes/on/and/on/and/on/and/on/and/on/until/it/ends/at/x.uarch",
		&uarch);

	(void)state;
	check_contains(status.text, "...");
	check_contains(status.text, "/it/ends/at/x.uarch:0: the file begins");
}

static void small_differences_are_allowed(void **state)
{
	struct uarch *uarch;

	(void)state;
	check_ok(uarch_parse("\r\n# caf\xc3\xa9\nuarch  x\tX  the first # comment\r\nisa x86_64\nwidth 4.5 [M]\nports p0 [M]\n"
		"class a ports 2*p0:3+p0 [M]", "F", &uarch));
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
	check_usage(uarch_load("../sources", "aarch64", &uarch), "no core model \"../sources\"; one of arm");
	check_usage(uarch_load("arm", "x86_64", &uarch), "arm is a core for aarch64; this machine is x86_64");
	assert_null(uarch);
	assert_int_equal(uarch_load("wrong-name", NULL, &uarch).code, STATUS_FAILED);
	check_contains(uarch_load("wrong-name", NULL, &uarch).text, "this file is the core \"right-name\", not \"wrong-name\"");
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
	check_usage(uarch_load("mine", "x86_64", &uarch), "no core model \"mine\"; one of base, child, circle, circle2, narrow, other, plain, wrong-name");
	snprintf(path, sizeof(path), "%s/uarch", directory);
	rmdir(path);
	rmdir(directory);
}

/* ---- facts */

static void facts_are_read(void **state)
{
	struct uarch *uarch = load("base");
	const struct uarch_class *fadd = uarch_find(uarch, "fadd", 0), *wide = uarch_find(uarch, "fadd", 7);
	struct text text = { 0 };

	(void)state;
	assert_string_equal(uarch_title(uarch), "A base");
	assert_string_equal(uarch_isa(uarch), "x86_64");
	assert_int_equal(uarch_port_count(uarch), 6);
	assert_string_equal(uarch_port(uarch, 5), "div");
	assert_true(uarch_port_is_unit(uarch, 5));
	assert_false(uarch_port_is_unit(uarch, 4));
	check_near(uarch_cap(uarch, CAP_LOADS), 2, 0);
	assert_false(uarch_known(uarch_cap(uarch, CAP_STORES)));
	check_near(uarch_size(uarch, SIZE_ROB), 224, 0);
	check_near(uarch_extra(uarch, EXTRA_FORWARD), 5, 0);
	assert_false(uarch_known(uarch_extra(uarch, EXTRA_SIGN)));
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
	check_near(uarch_find(uarch, "div", 4)->slots, 1, 0);
	assert_int_equal(uarch_find(uarch, "div", 4)->term[1].ports, 1 << 5);
	assert_null(uarch_find(uarch, "div", 3));
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
	assert_int_equal(uarch_find(child, "div", 4)->term[1].ports, 1 << 6);
	check_near(uarch_find(child, "fadd", 0)->latency, 3, 0);
	check_near(uarch_find(child, "fadd", 7)->latency, 5, 0);
	assert_null(uarch_find(child, "two", 0));
	assert_false(uarch_known(uarch_extra(child, EXTRA_FORWARD)));
	check_near(uarch_size(child, SIZE_ROB), 224, 0);
	assert_int_equal(child->id_count, 2);
	uarch_free(base);
	uarch_free(child);
}

/* ---- instructions */

static struct uarch_insn ask(const struct uarch *uarch, const struct insn *insn)
{
	struct uarch_insn facts;

	uarch_insn(uarch, insn, &facts);
	return facts;
}

#define INSN(name, operands, bits, ...) \
	(&(struct insn){ .known = true, .mnemonic = name, .shape = operands, .width = bits, __VA_ARGS__ })
#define LOADS(...) .memory_count = 1, .memory = { { .load = true, .base = 1, __VA_ARGS__ } }
#define STORES(...) .memory_count = 1, .memory = { { .store = true, .base = 1, __VA_ARGS__ } }

static void rules_are_taken_in_order(void **state)
{
	static const struct { const char *mnemonic, *shape; int64_t value; const char *class; } rows[] = {
		{ "add", "r,i", 127, "small" }, { "add", "r,i", -128, "small" }, { "add", "r,i", 128, "alu" },
		{ "add", "r,r", 0, "alu" }, { "sub", "r,i", 1, "alu" }, { "lea", "r,[bd]", 0, "lea" },
		{ "lea", "r,[bisd]", 0, "two" }, { "lea", "r,[b]", 0, NULL }, { "shl", "r,i", 1, "one" },
		{ "shl", "r,i", 2, "alu" }, { "shl", "r,c", 0, "two" }, { "shl", "r", 0, NULL }, { "addsd", "v,v", 0, "fadd" },
		{ "vaddsd", "v,v,m", 0, "fadd" }, { "vvaddsd", "v,v,m", 0, NULL }, { "vcmpeq", "v,v,v", 0, "fadd" },
		{ "vcmpeq", "v,m,v", 0, "never" }, { "vcmple", "v,m,v", 0, "two" }, { "vcmp", "v,v,i", 0, "fadd" },
		{ "vcm", "v,v,i", 0, NULL }, { "cdq", "", 0, "alu" }, { "cdq", "r", 0, NULL }, { "nop", "m", 0, "nop" },
		{ "nop", "", 0, "nop" }, { "", "", 0, NULL },
	};
	struct uarch_ops *ops;

	(void)state;
	check_ok(ops_load("x86_64", &ops));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct insn insn = { .known = true, .immediate = true, .value = rows[i].value };
		int number;

		snprintf(insn.mnemonic, sizeof(insn.mnemonic), "%s", rows[i].mnemonic);
		snprintf(insn.shape, sizeof(insn.shape), "%s", rows[i].shape);
		number = ops_find(ops, &insn);
		if (!rows[i].class ? number != OPS_NONE : number < 0 || strcmp(ops_class(ops, number), rows[i].class) != 0)
			fail_msg("%s %s is %s, not %s", insn.mnemonic, insn.shape, number < 0 ? "none" : ops_class(ops, number),
				rows[i].class ? rows[i].class : "none");
	}
	ops_free(ops);
}

static void classes_fall_back_by_width_and_name(void **state)
{
	struct uarch *uarch = load("base");

	(void)state;
	assert_string_equal(ask(uarch, INSN("addpd", "v,v", 128)).op->name, "fadd");
	assert_string_equal(ask(uarch, INSN("vaddpd", "v,v,v", 512)).op->name, "fadd.512");
	assert_string_equal(ask(uarch, INSN("div", "r", 64)).op->name, "div.64");
	/* Of 32 bits nobody says anything. */
	assert_false(ask(uarch, INSN("div", "r", 32)).known);
	assert_string_equal(ask(uarch, INSN("shl", "r,i", 64, .immediate = true, .value = 1)).op->name, "two");
	assert_string_equal(ask(uarch, INSN("lea", "r,[bd]", 64)).op->name, "alu");
	assert_false(ask(uarch, INSN("xlat", "", 64)).known);
	assert_true(ask(uarch, INSN("quiet", "", 64)).known);
	assert_false(ask(uarch, &(struct insn){ .known = false, .mnemonic = "add" }).known);
	uarch_free(uarch);
}

static void roles_come_before_rules(void **state)
{
	struct uarch *uarch = load("base");
	struct uarch_insn facts;

	(void)state;
	facts = ask(uarch, INSN("sub", "r,r", 64, .zeroing = true));
	assert_string_equal(facts.op->name, "zero");
	assert_true(facts.eliminated);
	check_near(facts.slots, 1, 0);
	facts = ask(uarch, INSN("mov", "r,r", 64, .move = true));
	assert_string_equal(facts.op->name, "move");
	/* This core has no class for copies of vectors: its rules say nothing either. */
	assert_false(ask(uarch, INSN("movaps", "v,v", 128, .move = true, .vector = true)).known);
	assert_true(ask(uarch, INSN("nop", "", 0)).eliminated);
	assert_false(ask(uarch, INSN("sub", "r,r", 64)).eliminated);

	facts = ask(uarch, INSN("jne", "t", 0, .flow = FLOW_BRANCH, .condition = "ne"));
	assert_string_equal(facts.op->name, "branch");
	assert_string_equal(facts.taken->name, "taken");
	facts = ask(uarch, INSN("jmp", "t", 0, .flow = FLOW_JUMP));
	assert_string_equal(facts.op->name, "taken");
	assert_null(facts.taken);
	facts = ask(uarch, INSN("ret", "", 0, .flow = FLOW_RETURN, .writeback = true, LOADS()));
	assert_string_equal(facts.op->name, "taken");
	assert_string_equal(facts.load->name, "load");
	assert_null(facts.base);
	assert_false(ask(uarch, INSN("syscall", "", 0, .flow = FLOW_OTHER)).known);
	uarch_free(uarch);
}

static void memory_operands_have_classes_and_slots(void **state)
{
	struct uarch *uarch = load("base"), *child = load("child");
	struct uarch_insn facts;

	(void)state;
	facts = ask(uarch, INSN("mov", "r,m", 64, LOADS()));
	assert_true(facts.known);
	assert_null(facts.op);
	assert_string_equal(facts.load->name, "load");
	check_near(facts.slots, 1, 0);
	facts = ask(uarch, INSN("movdqu", "v,m", 256, .vector = true, LOADS(.size = 32)));
	assert_string_equal(facts.load->name, "vload.256");
	facts = ask(uarch, INSN("movdqu", "v,m", 512, .vector = true, LOADS(.size = 64)));
	assert_string_equal(facts.load->name, "vload");
	facts = ask(uarch, INSN("add", "r,m", 64, LOADS()));
	check_near(facts.slots, 1, 0);
	assert_string_equal(facts.op->name, "alu");

	facts = ask(uarch, INSN("mov", "m,r", 64, STORES(.disp = 2047)));
	assert_string_equal(facts.store->name, "store");
	check_near(facts.slots, 1, 0);
	assert_string_equal(ask(uarch, INSN("mov", "m,r", 64, STORES(.disp = 2048))).store->name, "store-complex");
	assert_string_equal(ask(uarch, INSN("mov", "m,r", 64, STORES(.disp = -1))).store->name, "store-complex");
	assert_string_equal(ask(uarch, INSN("mov", "m,r", 64, STORES(.index = 2))).store->name, "store-complex");
	assert_string_equal(ask(uarch, INSN("mov", "m,r", 64, STORES(.relative = true))).store->name, "store-complex");
	/* Of vectors this core does not tell them apart. */
	assert_string_equal(ask(uarch, INSN("movdqu", "m,v", 128, .vector = true, STORES(.size = 16, .index = 2))).store->name,
		"vstore");

	facts = ask(uarch, INSN("add", "m,r", 64, STORES(.load = true)));
	check_near(facts.slots, 2, 0);
	assert_non_null(facts.load);
	assert_non_null(facts.store);
	facts = ask(child, INSN("add", "m,r", 64, STORES(.load = true)));
	check_near(facts.slots, 1, 0);

	/* A gather: its operation's slots, and a plain load for each element. */
	facts = ask(uarch, INSN("vgather", "v,m,v", 256, .vector = true, LOADS(.accesses = 8, .size = 32, .index = 40,
		.vector_index = true)));
	assert_string_equal(facts.op->name, "fadd");
	assert_string_equal(facts.load->name, "vload");
	check_near(facts.slots, 1, 0);
	check_near(facts.unlaminated, 0, 0);
	uarch_free(uarch);
	uarch_free(child);
}

static void pairs_and_changed_bases_have_classes_too(void **state)
{
	struct uarch *uarch = load("arm");
	struct uarch_insn facts;

	(void)state;
	assert_false(uarch_known(uarch_width(uarch)));
	facts = ask(uarch, INSN("ldp", "r,r,m", 64, LOADS(.accesses = 2, .size = 16)));
	assert_string_equal(facts.load->name, "load-pair");
	check_near(facts.slots, 1, 0);
	facts = ask(uarch, INSN("ldp", "v,v,m", 64, .vector = true, LOADS(.accesses = 2, .size = 16)));
	assert_string_equal(facts.load->name, "vload");
	check_near(facts.slots, 2, 0);
	facts = ask(uarch, INSN("str", "r,m", 64, .writeback = true, STORES()));
	assert_string_equal(facts.base->name, "writeback");
	check_near(facts.slots, 1, 0);
	uarch_free(uarch);
}

static void un_lamination_follows_the_core(void **state)
{
	struct uarch *haswell = load("base"), *bridge = load("child"), *never = load("plain");
	const struct insn *const add = INSN("add", "r,m", 64, .read_count = 1, .reads = { 5 }, .write_count = 2,
		.writes = { 5, REG_FLAGS }, LOADS(.index = 2));
	const struct insn *const adc = INSN("add", "r,m", 64, .read_count = 2, .reads = { 5, REG_CARRY }, .write_count = 1,
		.writes = { 5 }, LOADS(.index = 2));
	const struct insn *const abs = INSN("addpd", "v,m", 128, .write_count = 1, .writes = { 33 }, LOADS(.index = 2));
	const struct insn *const three = INSN("vaddpd", "v,v,m", 128, .read_count = 1, .reads = { 33 }, .write_count = 1,
		.writes = { 33 }, LOADS(.index = 2));
	const struct insn *const store = INSN("mov", "m,r", 64, STORES(.index = 2));
	const struct insn *const load = INSN("mov", "r,m", 64, LOADS(.index = 2));
	const struct insn *const direct = INSN("vaddpd", "v,v,m", 128, LOADS(.disp = 64));

	(void)state;
	check_near(ask(haswell, add).unlaminated, 0, 0);
	check_near(ask(haswell, adc).unlaminated, 1, 0);
	check_near(ask(haswell, abs).unlaminated, 1, 0);
	check_near(ask(haswell, three).unlaminated, 1, 0);
	check_near(ask(haswell, three).slots, 2, 0);
	check_near(ask(haswell, store).unlaminated, 0, 0);
	check_near(ask(haswell, load).unlaminated, 0, 0);
	check_near(ask(haswell, direct).unlaminated, 0, 0);
	check_near(ask(bridge, add).unlaminated, 1, 0);
	check_near(ask(bridge, store).unlaminated, 1, 0);
	check_near(ask(bridge, load).unlaminated, 0, 0);
	check_near(ask(never, three).unlaminated, 0, 0);
	uarch_free(haswell);
	uarch_free(bridge);
	uarch_free(never);
}

static void pairs_fuse_as_the_core_says(void **state)
{
	static const struct insn ne = { .known = true, .flow = FLOW_BRANCH, .condition = "ne" },
		g = { .known = true, .flow = FLOW_BRANCH, .condition = "g" }, cbz = { .known = true, .flow = FLOW_BRANCH },
		jump = { .known = true, .flow = FLOW_JUMP };
	struct uarch *base = load("base"), *child = load("child"), *arm = load("arm");
	const struct insn *const cmp = INSN("cmp", "r,r", 64), *const test = INSN("test", "r,r", 64);

	(void)state;
	assert_true(uarch_fuses(base, cmp, &ne));
	assert_true(uarch_fuses(base, test, &ne));
	assert_false(uarch_fuses(base, cmp, &g));
	assert_false(uarch_fuses(base, cmp, &jump));
	assert_false(uarch_fuses(base, cmp, &cbz));
	assert_false(uarch_fuses(base, INSN("sub", "r,r", 64), &ne));
	assert_true(uarch_fuses(base, INSN("cmp", "r,m", 64, LOADS()), &ne));
	assert_true(uarch_fuses(base, INSN("cmp", "r,i", 64, .immediate = true), &ne));
	assert_false(uarch_fuses(base, INSN("cmp", "m,i", 64, .immediate = true, LOADS()), &ne));
	assert_true(uarch_fuses(base, INSN("add", "r,r", 64), &g));
	assert_false(uarch_fuses(base, INSN("add", "r,i", 64, .immediate = true), &g));
	assert_true(uarch_fuses(base, INSN("add", "r,m", 64, LOADS()), &g));
	assert_false(uarch_fuses(base, INSN("add", "m,r", 64, STORES(.load = true)), &g));
	assert_true(uarch_fuses(base, INSN("and", "r,m", 64, LOADS(.relative = true)), &g));
	assert_false(uarch_fuses(base, INSN("and", "m,i", 64, .immediate = true, LOADS(.relative = true)), &g));
	assert_true(uarch_fuses(child, cmp, &ne));
	assert_false(uarch_fuses(child, test, &ne));
	assert_true(uarch_fuses(arm, cmp, &ne));
	assert_false(uarch_fuses(arm, cmp, &cbz));
	uarch_free(base);
	uarch_free(child);
	uarch_free(arm);
}

/* ---- recognition */

static struct machine intel(unsigned model, unsigned stepping, const char *features)
{
	struct machine machine = { .arch = "x86_64", .processor = { .vendor = "GenuineIntel", .family = 6, .model = model,
		.stepping = stepping } };

	snprintf(machine.processor.features, sizeof(machine.processor.features), "%s", features);
	return machine;
}

static void the_line_with_most_conditions_wins(void **state)
{
	static const struct { unsigned model, stepping; const char *features, *name; enum uarch_match match; const char *why; }
	rows[] = {
		{ 0x10, 0, "", "base", UARCH_EXACT, "GenuineIntel family 6 model 10" },
		{ 0x1f, 0, "", "base", UARCH_EXACT, "model 1f" },
		{ 0x20, 0, "", "plain", UARCH_EXACT, "without amx-tile" },
		{ 0x20, 0, " amx-tile ", "child", UARCH_EXACT, "with amx-tile" },
		{ 0x20, 0, " avx2 amx-tile l1i-64k ", "narrow", UARCH_EXACT, "with amx-tile l1i-64k" },
		{ 0x20, 3, " avx2 amx-tile l1i-64k ", "child", UARCH_EXACT, "stepping 3" },
		{ 0x20, 0, " amx-tiled xamx-tile ", "plain", UARCH_EXACT, "" },
		{ 0x15, 0, "", "base", UARCH_EXACT, "" },
		/* Between the two, and below both: the nearest lower one, else the lowest. */
		{ 0x90, 0, "", "child", UARCH_NEAREST,
			"no core model is for GenuineIntel family 6 model 90; the nearest of its maker is child" },
		{ 0x05, 0, "", "base", UARCH_NEAREST, "nearest of its maker is base" },
	};
	struct machine machine;
	char name[24], why[160];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum uarch_match match;

		machine = intel(rows[i].model, rows[i].stepping, rows[i].features);
		match = uarch_recognise(&machine, name, why);
		if (match != rows[i].match || strcmp(name, rows[i].name) != 0 || !strstr(why, rows[i].why))
			fail_msg("row %zu: \"%s\" (%d): %s", i, name, match, why);
	}
	machine = intel(0x10, 0, "");
	snprintf(machine.processor.vendor, sizeof(machine.processor.vendor), "CentaurHauls");
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NONE);
	assert_string_equal(name, "");
	assert_string_equal(why, "no core model is for CentaurHauls family 6 model 10, nor for others of that maker");
	snprintf(machine.processor.vendor, sizeof(machine.processor.vendor), "AuthenticAMD");
	machine.processor.family = 0x1a;
	assert_int_equal(uarch_recognise(&machine, name, NULL), UARCH_NEAREST);
	assert_string_equal(name, "other");
}

static void arm_cores_are_recognised_by_part(void **state)
{
	struct machine machine = { .arch = "aarch64", .processor = { .implementer = 0x41, .part = 0xd0c } };
	char name[24], why[160];

	(void)state;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_EXACT);
	assert_string_equal(name, "arm");
	assert_string_equal(why, "implementer 41 part d0c");
	machine.processor.part = 0xd99;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NEAREST);
	machine.processor.implementer = 0x61;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NONE);
	machine.processor.implementer = 0;
	assert_int_equal(uarch_recognise(&machine, name, why), UARCH_NONE);
}

static void features_are_whole_words(void **state)
{
	struct processor processor = { 0 };

	(void)state;
	assert_false(processor_has(&processor, "avx2"));
	processor_add(&processor, "avx2");
	processor_add(&processor, "avx512fp16");
	assert_string_equal(processor.features, " avx2 avx512fp16 ");
	assert_true(processor_has(&processor, "avx2"));
	assert_true(processor_has(&processor, "avx512fp16"));
	assert_false(processor_has(&processor, "avx512f"));
	assert_false(processor_has(&processor, "vx2"));
	assert_false(processor_has(&processor, ""));
	for (int i = 0; i < 40; i++)
		processor_add(&processor, "something");
	assert_true(strlen(processor.features) < sizeof(processor.features));
	assert_false(processor_has(&processor, "somethin"));
}

static int setup(void **state)
{
	(void)state;
	unsetenv("SLEXPLORE_DATA");
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_files_are_refused_with_line_and_reason),
		cmocka_unit_test(malformed_tables_are_refused_with_line_and_reason),
		cmocka_unit_test(the_end_of_a_long_path_is_shown),
		cmocka_unit_test(small_differences_are_allowed),
		cmocka_unit_test(names_are_listed_by_instruction_set),
		cmocka_unit_test(unknown_names_are_usage_errors),
		cmocka_unit_test(own_files_are_found_by_name),
		cmocka_unit_test(facts_are_read),
		cmocka_unit_test(a_core_inherits_and_replaces),
		cmocka_unit_test(rules_are_taken_in_order),
		cmocka_unit_test(classes_fall_back_by_width_and_name),
		cmocka_unit_test(roles_come_before_rules),
		cmocka_unit_test(memory_operands_have_classes_and_slots),
		cmocka_unit_test(pairs_and_changed_bases_have_classes_too),
		cmocka_unit_test(un_lamination_follows_the_core),
		cmocka_unit_test(pairs_fuse_as_the_core_says),
		cmocka_unit_test(the_line_with_most_conditions_wins),
		cmocka_unit_test(arm_cores_are_recognised_by_part),
		cmocka_unit_test(features_are_whole_words),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
