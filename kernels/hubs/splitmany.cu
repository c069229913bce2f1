// The search of split rows whose lists have 2^32 pieces or more.
#define MANY_PIECES
#include "split.cu"
