/* slexplore: elements=n a=strings(n,2..20) n=512 */
long loop(long n, const char **a)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		const char *p = a[i];
		while (*p)
			p++;
		s += p - a[i];
		__asm__ volatile("");
	}
	return s;
}
