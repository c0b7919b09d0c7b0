/* slexplore: elements=n a=f64[n]:1.0 b=f64[n] n=16384 */
long loop(long n, const double *a, double *restrict b)
{
	for (long i = 0; i < n; i++) {
		b[i] = a[i];
		__asm__ volatile("" ::: "memory");
	}
	return 0;
}
