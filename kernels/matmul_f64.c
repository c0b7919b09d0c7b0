/* The loops of the kernel matmul for elements of type double. */
#define REAL	      double
#define LOOPS_OF_TYPE matmul_f64
#include "kernels/matmul_loops.h"
