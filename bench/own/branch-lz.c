/* Length of a match at each place. */
/* slexplore: elements=n a=u8[n+64]:random(3) b=u8[n] */
long loop(long n, const unsigned char *a, unsigned char *b)
{
	for (long i = 32; i < n; i++) {
		int k = 0;
		while (k < 16 && a[i + k] == a[i - 32 + k])
			k++;
		b[i] = (unsigned char)k;
	}
	return 0;
}
