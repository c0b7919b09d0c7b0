/* slexplore: elements=n a=i32[n]:random,sorted b=i32[n]:random,sorted c=i32[2*n] */
long loop(long n, const int *a, const int *b, int *c)
{
	long i = 0, j = 0, k = 0;
	while (i < n && j < n) {
		if (a[i] <= b[j])
			c[k++] = a[i++];
		else
			c[k++] = b[j++];
	}
	return k;
}
