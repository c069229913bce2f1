// PACK sets the lanes of Y2, from the lowest on, to the numbers of the set bits of DX, for VPERMD.
//   R12 numbers of the lanes  R13 a one in each byte
#define PACK \
	PDEPQ     R13, DX, DX  \
	IMUL3Q    $255, DX, DX \
	PEXTQ     DX, R12, DX  \
	VMOVQ     DX, X2       \
	VPMOVZXBD X2, Y2
