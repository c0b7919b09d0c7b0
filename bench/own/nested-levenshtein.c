/* One row of the edit distance. */
/* slexplore: elements=n a=u8[n]:random(4) b=u8[32]:random(4) c=i32[40] multiple=32 */
long loop(long n, const unsigned char *a, const unsigned char *b, int *c)
{
	for (int j = 0; j <= 32; j++)
		c[j] = j;
	for (long i = 0; i < n / 32; i++) {
		int last = c[0]++;
		for (int j = 0; j < 32; j++) {
			int old = c[j + 1], d = last + (a[i] != b[j]);
			if (old + 1 < d)
				d = old + 1;
			if (c[j] + 1 < d)
				d = c[j] + 1;
			c[j + 1] = d;
			last = old;
		}
	}
	return c[32];
}
