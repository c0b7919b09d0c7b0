/* Cores and tables of instructions made for tests, in place of those that are shipped: include it
 * in one file of a program. */
#pragma once

#include "check.h"

#include "base/data.h"
#include "model/core/uarch.h"
#include "model/core/uarch_inside.h"

static const char base_text[] = "uarch base A base\n"
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
				"cache 2 bytes 262144 latency 12 lines 0.5 [M]\n"
				"pmu b [M]\n"
				"event cycles = CYCLES [M]\n"
				"event ports p0 = P0 [M]\n"
				"event ports load = P23 [M]\n"
				"event l1-misses = perf::L1:MISS [M]\n"
				"event stalled back end = STALL:c=1 [M,L]\n";

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

static const char plain_text[] =
	"uarch plain Plain\nisa x86_64\nfrom base\n"
	"match vendor GenuineIntel family 6 model 20 without amx-tile [M]\nunlaminate never [M]\n";
static const char narrow_text[] =
	"uarch narrow Narrow\nisa x86_64\nfrom base\n"
	"match vendor GenuineIntel family 6 model 20 with amx-tile with l1i-64k [M]\n";
static const char other_text[] = "uarch other Other\nisa x86_64\nfrom base\n"
				 "match vendor AuthenticAMD family 19 [M]\n";
static const char arm_text[] = "uarch arm Arm core\n"
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

static const char ops_text[] = "nop * nop\n"
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

/* Nobody's own files. */
static int uarch_fakes_setup(void **state)
{
	unsetenv("SLEXPLORE_DATA");
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	return 0;
}
