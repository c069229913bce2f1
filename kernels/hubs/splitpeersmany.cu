// The same search on several devices.
#define MANY_PIECES
#include "splitpeers.cu"
