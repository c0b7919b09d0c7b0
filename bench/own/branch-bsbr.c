/* slexplore: elements=n a=i32[256]:index b=i32[n]:random(256) */
long loop(long n, const int *a, const int *b)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		long lo = 0, hi = 256;
		int key = b[i];
		while (lo < hi) {
			long m = (lo + hi) / 2;
			if (a[m] == key) {
				lo = m;
				break;
			}
			if (a[m] < key)
				lo = m + 1;
			else
				hi = m;
		}
		s += lo;
	}
	return s;
}
