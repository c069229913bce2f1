// The rules of SSSP, for tuples with labels of 48 bits.
#define LABELS_48
#include "distances.cu"
