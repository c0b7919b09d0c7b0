/* slexplore: elements=n a=u8[n]:random(8) */
long loop(long n, const unsigned char *a)
{
	static void *const table[] = { &&op0, &&op1, &&op2, &&op3, &&op4, &&op5, &&op6, &&op7 };
	unsigned long x = 1;
	long i = 0;
#define NEXT                            \
	do {                            \
		if (i >= n)             \
			return (long)x; \
		goto *table[a[i++]];    \
	} while (0)
	NEXT;
op0:
	x += 3;
	NEXT;
op1:
	x ^= x << 5;
	NEXT;
op2:
	x = -x;
	NEXT;
op3:
	x |= 64;
	NEXT;
op4:
	x -= 17;
	NEXT;
op5:
	x = ~x;
	NEXT;
op6:
	x >>= 1;
	NEXT;
op7:
	x *= 5;
	NEXT;
}
