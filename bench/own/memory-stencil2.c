/* 5-point stencil, rows of 512. */
/* slexplore: elements=n a=f64[n+1024]:1.0 b=f64[n+1024] n=16384 multiple=1024 */
long loop(long n, const double *a, double *restrict b)
{
	for (long i = 512; i < n + 512; i += 512)
		for (long j = i + 1; j < i + 511; j++)
			b[j] = 0.2 * (a[j] + a[j - 1] + a[j + 1] + a[j - 512] + a[j + 512]);
	return 0;
}
