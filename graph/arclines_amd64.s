//go:build !noasm

#include "textflag.h"

// func storeLine(to, line unsafe.Pointer)
TEXT ·storeLine(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ line+8(FP), SI
	MOVQ (SI), AX
	MOVQ 8(SI), BX
	MOVQ 16(SI), CX
	MOVQ 24(SI), DX
	MOVQ 32(SI), R8
	MOVQ 40(SI), R9
	MOVQ 48(SI), R10
	MOVQ 56(SI), R11
	MOVNTIQ AX, (DI)
	MOVNTIQ BX, 8(DI)
	MOVNTIQ CX, 16(DI)
	MOVNTIQ DX, 24(DI)
	MOVNTIQ R8, 32(DI)
	MOVNTIQ R9, 40(DI)
	MOVNTIQ R10, 48(DI)
	MOVNTIQ R11, 56(DI)
	RET

// func finishLines()
TEXT ·finishLines(SB), NOSPLIT, $0-0
	SFENCE
	RET
