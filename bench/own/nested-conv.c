/* slexplore: elements=n a=f32[n+8]:1.0 b=f32[8]:0.5 c=f32[n] */
long loop(long n, const float *a, const float *b, float *restrict c)
{
	for (long i = 0; i < n; i++) {
		float s = 0;
		for (int k = 0; k < 8; k++) {
			s += a[i + k] * b[k];
		}
		c[i] = s;
	}
	return 0;
}
