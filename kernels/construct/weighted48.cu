// The steps from tuples to rows in the order of the weights, for tuples with labels of 48 bits.
#define LABELS_48
#include "weighted.cu"
