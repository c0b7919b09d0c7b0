/* slexplore: elements=n a=i32[n]:1 b=i32[n] n=32768 */
long loop(long n, const int *a, int *restrict b)
{
	for (long i = 0; i < n; i++)
		b[i] = a[n - 1 - i];
	return 0;
}
