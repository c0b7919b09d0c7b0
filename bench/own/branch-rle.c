/* slexplore: elements=n a=u8[n]:random(2) b=u8[2*n] */
long loop(long n, const unsigned char *a, unsigned char *b)
{
	long out = 0, run = 1;
	for (long i = 1; i < n; i++) {
		if (a[i] == a[i - 1] && run < 255)
			run++;
		else {
			b[out++] = (unsigned char)run;
			b[out++] = a[i - 1];
			run = 1;
		}
	}
	return out;
}
