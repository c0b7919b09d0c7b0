#include "cli/explain_export.h"

#include <string.h>

#include "base/text.h"

struct status explain_export_check(const char *name)
{
	return strcmp(name, "mca") == 0 ? status_ok()
					: status_usage("unknown --export %.40s: use mca", name);
}

/* Returns whether an instruction of the loop begins at the address. */
static bool inside(const struct loop *loop, uint64_t address)
{
	for (int i = 0; i < loop->insn_count; i++)
		if (loop->insn[i].address == address)
			return true;
	return false;
}

static bool jumps(const struct insn *insn)
{
	return (insn->flow == FLOW_BRANCH || insn->flow == FLOW_JUMP) && insn->target;
}

static bool is_target(const struct loop *loop, uint64_t address)
{
	for (int i = 0; i < loop->insn_count; i++)
		if (jumps(&loop->insn[i]) && loop->insn[i].target == address)
			return true;
	return false;
}

/* Writes one instruction. The text of a jump ends with its target, which becomes a label. The
 * assemblers take no size with the address of a gather or a scatter. */
static void put_insn(FILE *out, const struct loop *loop, const struct insn *insn)
{
	unsigned long long offset = insn->target - loop->insn[0].address;
	const char *last = strrchr(insn->text, ' '), *size = strstr(insn->text, "word ptr ");

	if (!insn->known)
		fprintf(out, "\t# unknown: %s\n", insn->text);
	else if (jumps(insn) && last && inside(loop, insn->target))
		fprintf(out, "\t%.*s .L%llx\n", (int)(last - insn->text), insn->text, offset);
	else if (jumps(insn) && last)
		fprintf(out, "\t%.*s .Lend\n", (int)(last - insn->text), insn->text);
	else if (size && (strstr(insn->mnemonic, "gather") || strstr(insn->mnemonic, "scatter")))
		fprintf(out, "\t%.*s%s\n", (int)(size - 1 - insn->text), insn->text,
			size + strlen("word ptr "));
	else
		fprintf(out, "\t%s\n", insn->text);
}

void explain_export(FILE *out, const struct setting *setting, const struct explanation *explanation)
{
	const struct loop *loop = &explanation->loop;
	struct text words = { 0 };

	setting_format(setting, &words);
	fprintf(out, "# slexplore explain %s\n# one iteration: %g element%s\n", text_string(&words),
		loop->elements / loop->turns, loop->elements == loop->turns ? "" : "s");
	text_free(&words);
#ifdef __x86_64__
	fputs("\t.intel_syntax noprefix\n", out);
#endif
	fputs("# LLVM-MCA-BEGIN\n", out);
	for (int i = 0; i < loop->insn_count; i++) {
		const struct insn *insn = &loop->insn[i];

		if (is_target(loop, insn->address))
			fprintf(out, ".L%llx:\n",
				(unsigned long long)(insn->address - loop->insn[0].address));
		put_insn(out, loop, insn);
	}
	fputs("# LLVM-MCA-END\n.Lend:\n", out);
}
