# Packs a C file of many similar functions, so that it can be embedded. experiment/listing.c unpacks one function.
# Run as: awk -v holds=TYPE -f pack.awk FILE
#
# Output: "packed TYPE"; then each distinct line of the functions once, with "@" instead of the function's name; then "%";
# then one line for each function: its name, a blank, and a pair of characters for each of its lines. A pair is an index
# into the lines: 90 × (first - '#') + (second - '#').
# Functions begin with KERNEL_LOOP and end with a brace in the first column.

function pair(index_,    high) {
	high = int(index_ / 90)
	return sprintf("%c%c", 35 + high, 35 + index_ - 90 * high)
}

/^KERNEL_LOOP / {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[ *]/, "", name)
	functions[++count] = name
}

name != "" {
	line = $0
	at = index(line, name)
	if (at)
		line = substr(line, 1, at - 1) "@" substr(line, at + length(name))
	if (!(line in number)) {
		number[line] = lines
		text[lines++] = line
	}
	code[count] = code[count] pair(number[line])
}

/^}/ {
	name = ""
}

END {
	if (lines > 90 * 90) {
		print "pack.awk: too many distinct lines" >"/dev/stderr"
		exit 1
	}
	print "packed " holds
	for (i = 0; i < lines; i++)
		print text[i]
	print "%"
	for (i = 1; i <= count; i++)
		print functions[i] " " code[i]
}
