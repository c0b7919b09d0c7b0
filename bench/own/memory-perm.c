/* slexplore: elements=n a=u32[n]:permutation n=65536 */
long loop(long n, const unsigned *a)
{
	unsigned i = 0;
	for (long k = 0; k < n; k++)
		i = a[i];
	return i;
}
