/* Words: letters and blanks. */
/* slexplore: elements=n a=u8[n]:20% */
long loop(long n, const unsigned char *a)
{
	long words = 0, in = 0, length = 0, longest = 0;
	for (long i = 0; i < n; i++) {
		if (a[i]) {
			if (in) {
				words++;
				if (length > longest)
					longest = length;
			}
			in = 0;
			length = 0;
		} else {
			in = 1;
			length++;
		}
	}
	return words * 1000 + longest;
}
