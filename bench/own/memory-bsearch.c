/* slexplore: elements=n a=i32[n]:index b=i32[n]:random(n) n=32768 */
long loop(long n, const int *a, const int *b)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		const int *base = a;
		long len = n;
		int key = b[i];
		while (len > 1) {
			long half = len / 2;
			base = base[half] <= key ? base + half : base;
			len -= half;
		}
		s += base - a;
	}
	return s;
}
