/* slexplore: elements=n a=f64[n]:1.0 b=f64[n]:2.0 c=f64[n] n=8192 */
long loop(long n, const double *a, const double *b, double *restrict c)
{
	for (long i = 0; i < n; i++)
		c[i] = a[i] + 3.0 * b[i];
	return 0;
}
