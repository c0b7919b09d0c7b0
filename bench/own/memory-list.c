/* slexplore: a=list(n,64) n=4096 */
struct node {
	struct node *next;
	long v;
};
long loop(long n, struct node *a)
{
	long s = 0;
	for (; a; a = a->next)
		s += a->v;
	return s + n;
}
