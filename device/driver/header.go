//go:build cuda

package driver

// #include <cuda.h>
import "C"

// HeaderVersion is the CUDA version of the headers that the program was compiled with, in
// the encoding of MinVersion.
const HeaderVersion = C.CUDA_VERSION
