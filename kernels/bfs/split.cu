// The default search of a graph with split rows: the kernels of search.cu, compiled for
// them.
#define SPLIT_ROWS
#ifdef COUNTED
#include "tailreads.cuh"
#endif
#include "search.cu"
