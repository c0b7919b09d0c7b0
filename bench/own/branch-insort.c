/* Insertion sort of blocks of 16. */
/* slexplore: elements=n a=i32[n]:random b=i32[n] multiple=16 */
long loop(long n, const int *a, int *b)
{
	for (long k = 0; k < n; k += 16) {
		for (int i = 0; i < 16; i++) {
			int v = a[k + i];
			int j = i;
			while (j > 0 && b[k + j - 1] > v) {
				b[k + j] = b[k + j - 1];
				j--;
			}
			b[k + j] = v;
		}
	}
	return 0;
}
