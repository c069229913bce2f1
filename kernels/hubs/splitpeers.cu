// The search on several devices of a graph with split rows: the kernels of peers.cu, compiled for
// them.
#define SPLIT_ROWS
#include "peers.cu"
