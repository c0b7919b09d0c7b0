/* matmul's loops for elements of type f32. */
#define REAL	      float
#define LOOPS_OF_TYPE matmul_f32
#include "kernels/matmul_loops.h"
