/* A binary search tree in an array, level by level. */
/* slexplore: elements=n a=i32[n]:index b=u32[n]:random(n) n=32768 */
long loop(long n, const int *a, const unsigned *b)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		long k = 1;
		unsigned key = b[i];
		while (k < n)
			k = 2 * k + ((unsigned)a[k] * 2654435761u < key * 2654435761u);
		s += k;
	}
	return s;
}
