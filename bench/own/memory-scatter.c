/* slexplore: elements=n a=f32[n]:1.0 b=u32[n]:random(n) c=f32[n]:2.0 n=16384 */
long loop(long n, float *a, const unsigned *b, const float *c)
{
	for (long i = 0; i < n; i++)
		a[b[i]] = c[i];
	return 0;
}
