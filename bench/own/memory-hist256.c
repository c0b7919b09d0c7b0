/* slexplore: elements=n a=u32[256] b=u8[n]:random n=262144 */
long loop(long n, unsigned *a, const unsigned char *b)
{
	for (long i = 0; i < n; i++)
		a[b[i]]++;
	return 0;
}
