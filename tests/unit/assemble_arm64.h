/* What test_assemble.c expects of AArch64: lines, and what the decoder reads where it spells something else. */

static const struct assembled lines[] = {
	{ "nop", NULL },
};

static const char *const jumps[] = { "b" };

/* That leads nowhere, and the address of a place. */
static const char jump_always[] = "b", address_into[] = "x9";

static const struct refused refused[] = {
	{ "frobnicate x0", "\"frobnicate x0\" cannot be assembled: no instruction is called \"frobnicate\"" },
};
