# Writes the rows of kernels/features.words as uses of the macros X86_64 and AARCH64 in features.c.
/^#/ || !NF { next }
$1 == "X86_64" { printf "X86_64(\"%s\", FEATURE_%s, %s, %s, %s, %s)\n", $2, $3, $4, $5 == "-" ? 0 : "'" $5 "'", $6, $7 }
$1 == "AARCH64" { printf "AARCH64(\"%s\", FEATURE_%s, .bit = %s)\n", $2, $3, $4 }
