/* slexplore: elements=n a=f64[16*n]:1.0 n=2048 */
long loop(long n, const double *a)
{
	double s = 0, t = 0;
	for (long i = 0; i < n; i += 2) {
		s += a[16 * i];
		t += a[16 * i + 16];
	}
	return s + t;
}
