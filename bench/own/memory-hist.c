/* slexplore: elements=n a=u32[n] b=u32[n]:random(n) n=32768 */
long loop(long n, unsigned *a, const unsigned *b)
{
	for (long i = 0; i < n; i++)
		a[b[i]]++;
	return 0;
}
