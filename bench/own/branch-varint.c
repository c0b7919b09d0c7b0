/* slexplore: elements=n a=u8[2*n+16]:random b=u64[n] */
long loop(long n, const unsigned char *a, unsigned long *b)
{
	const unsigned char *p = a, *end = a + 2 * n;
	long out = 0;
	while (p < end && out < n) {
		unsigned long v = 0;
		int shift = 0;
		while (*p & 0x80 && shift < 63 && p < end) {
			v |= (unsigned long)(*p++ & 0x7f) << shift;
			shift += 7;
		}
		v |= (unsigned long)*p++ << shift;
		b[out++] = v;
	}
	return out;
}
