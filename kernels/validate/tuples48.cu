// The pass over the tuples, for tuples with labels of 48 bits.
#define LABELS_48
#include "tuples.cu"
