/* The loops of the kernel matmul for elements of type float. */
#define REAL	      float
#define LOOPS_OF_TYPE matmul_f32
#include "kernels/matmul_loops.h"
