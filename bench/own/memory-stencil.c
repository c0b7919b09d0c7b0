/* slexplore: elements=n a=f64[n+2]:1.0 b=f64[n] n=16384 */
long loop(long n, const double *a, double *restrict b)
{
	for (long i = 0; i < n; i++)
		b[i] = 0.25 * a[i] + 0.5 * a[i + 1] + 0.25 * a[i + 2];
	return 0;
}
