/* slexplore: elements=n a=strings(n,8..24) n=8192 */
long loop(long n, const char **a)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		unsigned h = 5381;
		for (const char *p = a[i]; *p; p++)
			h = h * 33 + *p;
		s += h;
	}
	return s;
}
