// The steps from tuples to rows, for tuples with labels of 48 bits.
#define LABELS_48
#include "rows.cu"
