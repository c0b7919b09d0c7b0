/* slexplore: elements=n a=f64[n]:1.0 b=f64[64]:1.0 c=f64[n] multiple=64 */
long loop(long n, const double *a, const double *b, double *restrict c)
{
	for (long r = 0; r < n / 64; r++) {
		double s = 0;
		for (int k = 0; k < 64; k++)
			s += a[r * 64 + k] * b[k];
		c[r] = s;
	}
	return 0;
}
