/* slexplore: elements=n a=f32[n]:1.0 b=f32[n] n=32768 multiple=8192 */
long loop(long n, const float *a, float *b)
{
	long m = n / 512;
	for (long ii = 0; ii < m; ii += 8)
		for (long jj = 0; jj < 512; jj += 8)
			for (long i = ii; i < ii + 8; i++)
				for (long j = jj; j < jj + 8; j++)
					b[j * m + i] = a[i * 512 + j];
	return 0;
}
