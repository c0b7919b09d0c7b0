/* slexplore: elements=n a=u32[n]:random(1..1000) b=u32[n]:random(1..1000) */
long loop(long n, const unsigned *a, const unsigned *b)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		unsigned x = a[i], y = b[i];
		while (x != y) {
			if (x > y)
				x -= y;
			else
				y -= x;
			if (x == 0 || y == 0)
				break;
		}
		s += x;
	}
	return s;
}
