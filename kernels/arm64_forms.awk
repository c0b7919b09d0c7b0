# Writes the rows of the table `forms` in assemble_arm64.c, from kernels/arm64.forms.
/^#/ || !NF { next }
{
	for (i = 2; i < NF; i += 2)
		printf "{ \"%s\", \"%s\", 0x%s },\n", $1 == "-" ? "" : $1, $i, $(i + 1)
}
