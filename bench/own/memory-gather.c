/* slexplore: elements=n a=f64[n]:1.0 b=u32[n]:random(n) n=16384 */
long loop(long n, const double *a, const unsigned *b)
{
	double s = 0, t = 0;
	for (long i = 0; i < n; i += 2) {
		s += a[b[i]];
		t += a[b[i + 1]];
	}
	return s + t;
}
