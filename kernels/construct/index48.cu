// The steps of construction over vertices, for tuples with labels of 48 bits.
#define LABELS_48
#include "index.cu"
