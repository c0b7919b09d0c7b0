/* slexplore: elements=n a=i32[130*n]:1 n=512 */
long loop(long n, const int *a)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s += a[130 * i];
	return s;
}
