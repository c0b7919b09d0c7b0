#!/bin/sh
# Keeps the manual, README and HACKING true: the manual has all names of the program, and the files that HACKING and README name
# exist. Wants SLEXPLORE, the program; top_srcdir, the sources.
set -u

: "${SLEXPLORE:?the path of the program}" "${top_srcdir:?the sources}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
	echo "FAIL: $*" >&2
	failures=$((failures + 1))
}

# doc/slexplore_reframe.py, the check for ReFrame, is valid Python.
if command -v python3 >/dev/null; then
	python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$top_srcdir/doc/slexplore_reframe.py" ||
		fail "doc/slexplore_reframe.py is not valid Python"
fi

# The manual without the commands of roff.
sed 's/\\-/-/g; s/\\f[BIRP]//g; s/"//g' "$top_srcdir/doc/slexplore.1" >"$work/manual"
sed -n '/^\.SH COMMANDS/,/^\.SH ENVIRONMENT/p' "$work/manual" >"$work/commands"
sed -n '/^\.SH KEYS/,/^\.SH COMMANDS/p' "$work/manual" >"$work/keys"
sed -n '/^\.SH RECORDINGS/,/^\.SH ENVIRONMENT/p' "$work/manual" >"$work/recordings"
sed -n '/^\.SH FORMATS/,/^\.SH THE SCREEN/p' "$work/manual" >"$work/formats"

# bold FILE WORDS: these words, whole, in a line of bold text. Words hold no character that grep -E reads otherwise.
bold() {
	LC_ALL=C grep -qE "^\.(B|BR|BI|RB)( .*[ ,]| )($2)([ ,.;]|\$)" "$1"
}

# each WHAT FILE <names: every line of standard input is in that part of the manual; there is at least one line.
each() {
	each_count=0
	while IFS= read -r each_name; do
		each_count=$((each_count + 1))
		bold "$2" "$each_name" || fail "the manual lacks the $1 $each_name"
	done
	[ "$each_count" -gt 0 ] || fail "no $1 was found to look for"
}

# Through files, not pipes: fail() counts in this shell.
"$SLEXPLORE" list --format csv 2>"$work/err" | sed '1d; s/,.*//' | sort -u >"$work/names"
each kernel "$work/manual" <"$work/names"
while IFS= read -r name; do
	grep -qF -- "\`$name\`" "$top_srcdir/README.md" || fail "README.md lacks the kernel $name"
done <"$work/names"

"$SLEXPLORE" --help | sed -n 's/^  slexplore \([a-z]*\).*/\1/p' >"$work/subcommands"
each subcommand "$work/manual" <"$work/subcommands"

# A paragraph of its own each, not run into the one before: in the synopsis after .br, below after .TP.
while IFS= read -r name; do
	grep -x -B1 -- "\.B slexplore $name" "$work/manual" | grep -qx '\.br' || [ "$name" = explore ] ||
		fail "in the manual's synopsis $name begins no line"
	sed -n '/^\.SH SUBCOMMANDS/,/^\.SH VALUES/p' "$work/manual" | grep -x -B1 -- "\.B $name" | grep -qx '\.TP' ||
		fail "in the manual the subcommand $name begins no paragraph"
done <"$work/subcommands"

while IFS= read -r name; do
	"$SLEXPLORE" "$name" --help
done <"$work/subcommands" | sed -n 's/^  \(--[a-z-]*\).*/\1/p' | sort -u >"$work/names"
each option "$work/manual" <"$work/names"

sed -n '/^\(static \)\{0,1\}const struct command_row commands_/,/^};/s/^	{ "\([^"]*\)".*/\1/p' \
	"$top_srcdir"/src/explorer/*.c >"$work/names"
each command "$work/commands" <"$work/names"
sed -n '/^} words\[\] = {/,/^};/p' "$top_srcdir/src/ui/script.c" | grep -o '{ "[a-z]*"' | tr -d '{ "' >"$work/names"
each "script word" "$work/commands" <"$work/names"

# Keys that are punctuation would be read as patterns: fixed strings for those.
sed -n '/^\[main\]/,/^\[entry\]/s/^\([^ #[]\{1,\}\|\[\) .*/\1/p' "$top_srcdir/data/keys" >"$work/names"
while IFS= read -r name; do
	case $name in
	[A-Za-z]*) bold "$work/keys" "[(]?$name[)]?" || fail "the manual lacks the key $name" ;;
	*) grep '^\.BR' "$work/keys" | grep -qF -- " $name" || fail "the manual lacks the key $name" ;;
	esac
done <"$work/names"
[ -s "$work/names" ] || fail "no key was found to look for"
# And each begins a paragraph: it follows .TP, or is another name on the next line.
grep -A1 '^\.TP' "$work/keys" >"$work/begun"
while IFS= read -r name; do
	grep -qF -- " $name" "$work/begun" || fail "in the manual the key $name begins no paragraph"
done <"$work/names"

"$SLEXPLORE" list --dump limits >"$work/names"
each limit "$work/manual" <"$work/names"

# A macro of two fonts puts no space between its words: text after the comma belongs into the next line.
grep -nE '^\.[BI]R ([^" ]+|"[^"]*") [,.;] .' "$top_srcdir/doc/slexplore.1" >"$work/joined" &&
	fail "the manual joins words: $(cat "$work/joined")"

# The fields of a sample: the manual's list is made from the program's. UPDATE=1 writes it.
"$SLEXPLORE" list --dump fields | awk -F '\t' '
	{ gsub(/-/, "\\-"); printf ".TP\n.B %s\n%s%s.\n", $1, $4, $3 == "" ? "" : " (" $3 ")" }' >"$work/fields"
awk -v list="$work/fields" '
	/^\.\\" fields of a sample: end/ { copying = 0 }
	!copying { print }
	/^\.\\" fields of a sample: begin/ { copying = 1; while ((getline line <list) > 0) print line }' \
	"$top_srcdir/doc/slexplore.1" >"$work/new"
[ -z "${UPDATE:-}" ] || cp "$work/new" "$top_srcdir/doc/slexplore.1"
cmp -s "$work/new" "$top_srcdir/doc/slexplore.1" ||
	fail "the manual's fields of a sample differ from the program's: UPDATE=1 make check TESTS=tests/docs.sh"
"$SLEXPLORE" list --dump records >"$work/records"
# The ends of a range, _lo and _hi, are explained once for all.
sed -n 's/^formats	//p' "$work/records" | cut -f2 | tr ' ' '\n' | grep -v '_lo$\|_hi$' | sort -u >"$work/names"
each field "$work/formats" <"$work/names"
sed -n 's/^formats	\([a-z]*\).*/\1/p' "$work/records" | sort -u >"$work/names"
each record "$work/formats" <"$work/names"
sed -n 's/^recordings	\([a-z]*\).*/\1/p' "$work/records" | sort -u >"$work/names"
each record "$work/recordings" <"$work/names"

grep -rhoE 'getenv\("[A-Z_]+"' "$top_srcdir/src" | sed 's/.*"\(.*\)"/\1/' | sort -u >"$work/names"
each "environment variable" "$work/manual" <"$work/names"

for file in "$top_srcdir"/data/uarch/*.uarch; do
	name=$(basename "$file" .uarch)
	bold "$work/manual" "$name" || grep -qF -- "\`$name\`" "$top_srcdir/README.md" ||
		fail "neither the manual nor README.md names the core model $name"
done
# The words of their format.
{
	grep -ohE '\[(CAP|SIZE|EXTRA)_[A-Z0-9_]*\] = "[^"]*"' "$top_srcdir/src/model/core/uarch.c" | sed 's/"[a-z]* /"/'
	"$SLEXPLORE" list --dump roles | grep -v '^extra$' | sed 's/.*/"&"/'
	sed -n '/^} statements\[\] = {/,/^};/p' "$top_srcdir/src/model/core/uarch_read.c" | grep -oE '\{ "[a-z]*"'
} | sed 's/.*"\(.*\)"/\1/' >"$work/names"
[ -s "$work/names" ] || fail "no word of core models was found to look for"
while IFS= read -r name; do
	grep -qE "(^|[ \`])$name([ \`]|\$)" "$top_srcdir/data/uarch/README.md" || fail "data/uarch/README.md lacks the word $name"
done <"$work/names"
# And the program names those of its own instruction set, all of them.
isa=$(sed -n 's/^isa //p' "$top_srcdir/data/uarch/$("$SLEXPLORE" explain combine --uarch nothing 2>&1 |
	sed -n 's/.*one of \([a-z0-9-]*\),.*/\1/p').uarch")
"$SLEXPLORE" explain combine --uarch nothing 2>"$work/err" >"$work/out"
sed 's/.*one of //; s/, /\n/g' "$work/err" | sort >"$work/told"
grep -lx "isa $isa" "$top_srcdir"/data/uarch/*.uarch | sed 's,.*/,,; s/\.uarch$//' | sort >"$work/names"
cmp -s "$work/told" "$work/names" || fail "a wrong --uarch names $(tr '\n' ' ' <"$work/told")"

# Paths in backticks and targets of links exist. NAME means any name; build/ is generated, $ and ~ are outside the tree.
for document in HACKING.md README.md; do
	{
		grep -oE '`[^` ]*/[^` ]*`' "$top_srcdir/$document" | tr -d '`'
		sed -n 's/.*](\([^):#]*\)).*/\1/p' "$top_srcdir/$document"
	} | sort -u >"$work/names"
	[ -s "$work/names" ] || fail "$document names no file"
	while IFS= read -r name; do
		case $name in
		*NAME* | *mine* | *'$'* | *'~'* | build/*) continue ;;
		esac
		for file in "$top_srcdir"/$name "$top_srcdir"/src/$name; do
			[ -e "$file" ] && continue 2
		done
		fail "$document names $name, and there is no such file"
	done <"$work/names"
done

# A line has at most 120 characters.
LC_ALL=C.UTF-8 grep -nE '.{121}' "$top_srcdir/HACKING.md" >"$work/names" && fail "HACKING.md has a long line: $(cut -c1-60 "$work/names" | head -n 1)"

# Each module has one row in the map. Kernels share a row; so do panels (panel_*) and subcommands (command_*).
sed -n 's/^| `\([a-z0-9_.*-]*\)` |.*/\1/p' "$top_srcdir/HACKING.md" | sort >"$work/rows"
sed -n '/^KERNELS =/,/^$/p' "$top_srcdir/Makefile.am" | tr ' \t' '\n\n' | sort >"$work/kernels"
(cd "$top_srcdir" && find src/*/ kernels -name '*.[ch]' ! -path 'src/portable/*') | sed 's,.*/,,; s/\.[ch]$//; s/_x86$//; s/_arm64$//' |
	sed 's/^\(panel\|command\)_.*/\1_*/' |
	sort -u | comm -23 - "$work/kernels" >"$work/modules"
uniq "$work/rows" | comm -13 - "$work/modules" >"$work/names"
[ ! -s "$work/names" ] || fail "HACKING.md has no row for $(tr '\n' ' ' <"$work/names")"
uniq "$work/rows" | comm -23 - "$work/modules" >"$work/names"
[ ! -s "$work/names" ] || fail "HACKING.md has rows for files that do not exist: $(tr '\n' ' ' <"$work/names")"
uniq -d "$work/rows" >"$work/names"
[ ! -s "$work/names" ] || fail "HACKING.md has several rows for $(tr '\n' ' ' <"$work/names")"

# Git holds no file that configure or a build makes.
if git -C "$top_srcdir" ls-files >"$work/names" 2>"$work/err"; then
	made=$(grep -E '(^|/)(config\.(h|log|status)|stamp-h1|Makefile)$' "$work/names" | tr '\n' ' ')
	[ -z "$made" ] || fail "git holds files of a build: $made"
fi

[ "$failures" -eq 0 ] || exit 1
echo "manual, README and HACKING agree with the program"
