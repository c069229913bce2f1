// The default search of a graph with split rows: the kernels of search.cu, compiled for
// them.
#define SPLIT_ROWS
#include "tailreads.cuh"
#include "search.cu"
