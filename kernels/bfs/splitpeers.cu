// The default search on several devices of graphs with split rows: the kernels of peers.cu,
// compiled for them.
#define SPLIT_ROWS
#include "peers.cu"
