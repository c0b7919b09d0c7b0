#!/bin/sh
# The portable program carries its libraries: it starts where there is no file but itself, explains and draws like the program that it
# carries, and takes own loops without a library of the machine. A damaged file is refused.
. "$(dirname "$0")/lib.sh"

command -v bwrap >/dev/null || { echo "bwrap, which makes an empty root, is missing"; exit 77; }
start=$top_builddir/src/portable/launch
[ -x "$start" ] || { echo "no C library for static programs"; exit 77; }
objdump -p "$SLEXPLORE" | grep -q 'NEEDED.*san\.so' && { echo "a sanitizer must be the first library"; exit 77; }
# Made fast, not small, and without cairo.
LEVEL=-1 STRIP=true "$top_srcdir/src/portable/bundle.sh" "$start" "$SLEXPLORE" portable libgcc_s.so.1 >made || fail "$(cat made)"

mkdir root root/tmp
cp portable root/
alone() { bwrap --unshare-user --bind root / --proc /proc --dev /dev --chdir / --setenv LC_ALL C.UTF-8 --setenv TMPDIR /tmp /portable "$@"; }
if bwrap --unshare-user --ro-bind / / true 2>/dev/null; then
	alone explain mul-by --uarch zen4 --format json >there 2>err || fail "in an empty root: $(head -c 700 err)"
	"$SLEXPLORE" explain mul-by --uarch zen4 --format json >here 2>err
	cmp here there || fail "the portable program explains otherwise"
	printf 'uarch zen4\nview code\npanel code\nscreenshot to shown.svg\n' >root/script
	alone explore mul-by --script script --no-settings >shown 2>err || fail "in an empty root: $(head -c 700 err)"
	grep -q '─' shown || fail "no characters of UTF-8 in an empty root"
	tail -n 1 root/shown.svg | grep -q '</svg>' || fail "no screenshot"
	[ -z "$(ls root/tmp)" ] || fail "left behind: $(ls root/tmp)"
fi

cat >mine.c <<'END'
/* slexplore: elements=n a=f64[n]:2.0 */
#include <math.h>
double sum;
long loop(long n, double *a)
{
	double s = 0;

	for (long i = 0; i < n; i++)
		s += exp(a[i]);
	sum = s;
	return 0;
}
END
./portable explain ./mine.c n=100 --quiet >out 2>err
[ $? -le 1 ] && ! grep -q -e 'not compile' -e symbol -e '\.so' out err || fail "an own loop: $(head -c 700 err)"

# A function of a newer C library than the carried one.
cat >newer.c <<'END'
/* slexplore: elements=n a=f64[n]:2.0 */
double of_a_newer_library(double x);
double sum;
long loop(long n, double *a)
{
	for (long i = 0; i < n; i++)
		sum += of_a_newer_library(a[i]);
	return 0;
}
END
./portable run ./newer.c n=100 --quiet >out 2>err
[ $? -eq 1 ] && grep -q 'of_a_newer_library; .*C library' err || fail "a newer C library: $(head -c 700 err)"

head -c 2000000 portable >cut
chmod +x cut
./cut --version >out 2>err && fail "half a file starts"
grep -q '^slexplore: ' err || fail "half a file: $(head -c 300 err)"
done_with "the portable program runs alone, as the normal one"
