/* slexplore: elements=n a=i32[n]:1 multiple=192 knob trips=6..96 */
long loop(long n, const int *a)
{
	long s = 0;
	for (long r = 0; r < n; r += TRIPS) {
		int t = 0;
		for (int k = 0; k < TRIPS; k++) {
			t += a[r + k];
			__asm__ volatile("" : "+r"(t));
		}
		s ^= t;
	}
	return s;
}
