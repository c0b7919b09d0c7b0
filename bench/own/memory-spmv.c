/* CSR, 8 a row. */
/* slexplore: elements=n a=f64[n]:1.0 b=u32[n]:random(n) c=f64[n]:1.0 d=f64[n] n=8192 multiple=16 */
long loop(long n, const double *a, const unsigned *b, const double *c, double *d)
{
	for (long r = 0; r < n / 8; r++) {
		double s = 0;
		for (long k = 8 * r; k < 8 * r + 8; k++)
			s += a[k] * c[b[k]];
		d[r] = s;
	}
	return 0;
}
