/* slexplore: elements=n a=i64[n]:1 n=32768 */
long loop(long n, const long *a)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s += a[i];
	return s;
}
