// The default search of a graph with split rows: all kernels of this directory, compiled for
// them.
#define SPLIT_ROWS
#include "search.cu"

#include "fallback.cu"
#include "light.cu"
