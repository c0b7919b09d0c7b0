/* Hoare's partition, restored before each call. */
/* slexplore: elements=n a=i32[n]:random b=i32[n] */
#include <string.h>
void setup(long n, const int *a, int *b)
{
	memcpy(b, a, n * sizeof *b);
}
long loop(long n, const int *a, int *b)
{
	long i = -1, j = n;
	for (;;) {
		do
			i++;
		while (i < n && b[i] < 0);
		do
			j--;
		while (j >= 0 && b[j] > 0);
		if (i >= j)
			return j;
		int t = b[i];
		b[i] = b[j];
		b[j] = t;
	}
}
