/* slexplore: elements=n a=i32[n]:random(0..999) b=i32[n] */
long loop(long n, const int *a, int *b)
{
	long lo = 0, hi = n - 1;
	for (long i = 0; i < n; i++) {
		if (a[i] < 500)
			b[lo++] = a[i];
		else
			b[hi--] = a[i];
	}
	return lo;
}
