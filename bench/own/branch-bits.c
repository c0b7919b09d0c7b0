/* Set bits one after another. */
/* slexplore: elements=n a=u32[n]:random b=u32[32] */
long loop(long n, const unsigned *a, unsigned *b)
{
	for (long i = 0; i < n; i++)
		for (unsigned x = a[i]; x; x &= x - 1)
			b[__builtin_ctz(x)]++;
	return 0;
}
