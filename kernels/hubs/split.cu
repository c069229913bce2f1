// The search of a graph with split rows: search.cu, compiled for them. The counted form counts what it
// reads of host memory.
#define SPLIT_ROWS
#include "../ptx.cuh"

#include "../counted.cuh"

#include "search.cu"
