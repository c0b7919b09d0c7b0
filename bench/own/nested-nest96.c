/* slexplore: elements=n a=i32[n]:1 multiple=192 */
long loop(long n, const int *a)
{
	long s = 0;
	for (long r = 0; r < n; r += 96) {
		int t = 0;
		for (int k = 0; k < 96; k++) {
			t += a[r + k];
			__asm__ volatile("" : "+r"(t));
		}
		s ^= t;
	}
	return s;
}
