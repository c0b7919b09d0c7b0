/* slexplore: elements=n a=f32[n]:1.0 b=f32[n] n=32768 multiple=1024 */
long loop(long n, const float *a, float *b)
{
	long m = n / 512;
	for (long i = 0; i < m; i++)
		for (long j = 0; j < 512; j++)
			b[j * m + i] = a[i * 512 + j];
	return 0;
}
