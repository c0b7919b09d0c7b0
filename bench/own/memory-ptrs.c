/* Pointers of objects behind a permutation, two loads, the second dependent. */
/* slexplore: elements=n a=u32[n]:permutation b=f64[n]:1.0 c=u32[n]:random(n) n=16384 */
long loop(long n, const unsigned *a, const double *b, const unsigned *c)
{
	double s = 0;
	for (long i = 0; i < n; i++)
		s += b[a[c[i]]];
	return s;
}
