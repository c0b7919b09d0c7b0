/* slexplore: elements=n a=u8[n]:zipf(12) b=u32[n]:random(1000) */
long loop(long n, const unsigned char *a, const unsigned *b)
{
	unsigned long x = 7;
	for (long i = 0; i < n; i++) {
		switch (a[i]) {
		case 0: x += b[i]; break;
		case 1: x ^= b[i]; break;
		case 2: x = x * 3 + b[i]; break;
		case 3: x -= b[i]; break;
		case 4: x = (x << 3) ^ (x >> 5); break;
		case 5: x |= b[i]; break;
		case 6: x += x >> 7; break;
		case 7: x ^= 0x55; break;
		case 8: x = ~x; break;
		case 9: x += 2 * b[i]; break;
		case 10: x *= b[i] | 1; break;
		default: x ^= b[i] << 4; break;
		}
	}
	return (long)x;
}
