/* One field of structs of 48 bytes. */
/* slexplore: elements=n a=f64[6*n]:1.0 n=4096 */
long loop(long n, double *a)
{
	for (long i = 0; i < n; i++)
		a[6 * i + 2] += a[6 * i] * 0.5;
	return 0;
}
