/* slexplore: elements=n a=i64[n]:1 n=32768 */
long loop(long n, long *a)
{
	for (long i = 0; i < n; i++) {
		a[i] = 7;
		__asm__ volatile("" ::: "memory");
	}
	return 0;
}
