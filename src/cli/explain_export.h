/* Writes the loop of an explanation as assembly for other analysers. */
#pragma once

#include <stdio.h>

#include "experiment/setting/setting.h"
#include "model/limits/explain.h"

/* Checks the name of an export format (the value of --export). Returns STATUS_USAGE for an unknown
 * name. */
struct status explain_export_check(const char *name);

/* Writes the loop between the markers of llvm-mca. The text assembles with the GNU and the LLVM
 * assembler. Targets of branches inside the loop are labels; branches that leave the loop go to a
 * label after its end. */
void explain_export(
	FILE *out, const struct setting *setting, const struct explanation *explanation);
