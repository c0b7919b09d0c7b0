/* matmul's loops for elements of type f64. */
#define REAL	      double
#define LOOPS_OF_TYPE matmul_f64
#include "kernels/matmul_loops.h"
