// The search on several devices that reach each other's memory: search.cu, with the data divided
// as peerowners.cuh says.
#include "peerowners.cuh"

#include "search.cu"
