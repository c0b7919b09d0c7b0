/* slexplore: elements=n a=u8[n+4]:zipf(256,0.7) b=u32[n] */
long loop(long n, const unsigned char *a, unsigned *b)
{
	long i = 0, o = 0;
	while (i < n) {
		unsigned c = a[i];
		if (c < 0x80) {
			b[o++] = c;
			i++;
		} else if (c < 0xe0) {
			b[o++] = (c & 31) << 6 | (a[i + 1] & 63);
			i += 2;
		} else if (c < 0xf0) {
			b[o++] = (c & 15) << 12 | (a[i + 1] & 63u) << 6 | (a[i + 2] & 63);
			i += 3;
		} else {
			b[o++] = (c & 7) << 18;
			i += 4;
		}
	}
	return o;
}
