/* slexplore: elements=n a=u8[n]:1 b=u8[n] n=131072 */
#include <immintrin.h>
long loop(long n, const unsigned char *a, unsigned char *b)
{
	for (long i = 0; i < n; i += 16)
		_mm_storeu_si128((void *)(b + i), _mm_loadu_si128((const void *)(a + i)));
	return 0;
}
