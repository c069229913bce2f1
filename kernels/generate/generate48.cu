// The generator, for tuples with labels of 48 bits.
#define LABELS_48
#include "generate.cu"
