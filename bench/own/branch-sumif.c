/* slexplore: elements=n a=i32[n]:random(0..99) b=f64[n]:1.0 */
long loop(long n, const int *a, const double *b)
{
	double s = 1;
	for (long i = 0; i < n; i++) {
		if (a[i] < 30) {
			s = s / b[i];
			__asm__ volatile("");
		} else {
			s += b[i];
			__asm__ volatile("" ::: "memory");
		}
	}
	return (long)s;
}
