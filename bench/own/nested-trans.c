/* slexplore: elements=n a=f32[n]:1.0 b=f32[n] multiple=128 */
long loop(long n, const float *a, float *restrict b)
{
	long m = n / 32;
	for (long i = 0; i < m; i++)
		for (int j = 0; j < 32; j++)
			b[j * m + i] = a[i * 32 + j];
	return 0;
}
