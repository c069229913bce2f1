// The default search of few vertices: the kernel bfsFew of search.cu. It has a file of its own
// because its machine code comes from another assembler (scripts/kernels.sh).
#define FEW
#include "search.cu"
