/* slexplore: elements=n/2 a=u64[n]:random b=u64[n]:random n=16384 multiple=64 */
#include <stdint.h>
long loop(long n, const uint64_t *a, const uint64_t *b)
{
	long s = 0;
	for (long i = 0; i < n / 2; i++) {
		uint64_t h = b[i] * 0x9e3779b97f4a7c15ull;
		unsigned long at = (unsigned __int128)h * (n - 1) >> 64;
		s += a[at] == b[i];
	}
	return s;
}
