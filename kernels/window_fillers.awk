# Writes the rows of kernels/window.fillers as uses of the macro FILLER in window.c.
BEGIN { FS = " [|] " }
/^#/ || !NF { next }
{ printf "FILLER(%s, \"%s\", \"%s\", \"%s\", %s, %s, \"%s\", \"%s\")\n", $1, $2, $3, $4, $5, $6, $7, $8 }
