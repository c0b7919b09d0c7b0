/* slexplore: elements=n a=f64[n]:1.0 b=f64[256]:1.0 c=f64[n] multiple=64 */
long loop(long n, const double *a, const double *b, double *restrict c)
{
	long rows = n / 16;
	for (long i = 0; i < rows; i++)
		for (int j = 0; j < 16; j++) {
			double s = 0;
			for (int k = 0; k < 16; k++)
				s += a[i * 16 + k] * b[k * 16 + j];
			c[i * 16 + j] = s;
		}
	return 0;
}
