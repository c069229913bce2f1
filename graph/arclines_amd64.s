//go:build !noasm

#include "textflag.h"
#include "go_asm.h"
#include "pack_amd64.h"

// APPEND appends the arcs, with the sources in the upper halves, whose window is in the group, but
// those where Y3 is all ones or mask is 0.
#define APPEND(arcs, mask) \
	VPSRLQ    X4, arcs, Y2 \
	VPCMPGTQ  Y5, Y2, Y10  \
	VPCMPGTQ  Y2, Y6, Y2   \
	VPAND     Y10, Y2, Y2  \
	VPANDN    Y2, Y3, Y2   \
	VPAND     mask, Y2, Y2 \
	VMOVMSKPS Y2, DX       \
	POPCNTL   DX, AX       \
	PACK                   \
	VPERMD    arcs, Y2, Y2 \
	VMOVDQU   Y2, (BX)     \
	LEAQ      (BX)(AX*4), BX

// func collect256(a *collectArgs)
//   SI tuples  CX tuples left  BX next arc of the block  DI the block  R12, R13 as for PACK
//   X4 shift of the source  Y5 window before the group  Y6 window behind it  Y7 dropLoops  Y8 reverse  Y9 ones
TEXT ·collect256(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), R8
	MOVQ collectArgs_tuples(R8), SI
	MOVQ collectArgs_count(R8), CX
	MOVQ collectArgs_block(R8), DI
	MOVQ DI, BX
	MOVQ $0x0706050403020100, R12
	MOVQ $0x0101010101010101, R13
	MOVQ collectArgs_shift(R8), AX
	ADDQ $32, AX
	VMOVQ AX, X4
	VPCMPEQD     Y9, Y9, Y9
	VPBROADCASTQ collectArgs_from(R8), Y5
	VPADDQ       Y9, Y5, Y5
	VPBROADCASTQ collectArgs_end(R8), Y6
	VPBROADCASTQ collectArgs_dropLoops(R8), Y7
	VPBROADCASTQ collectArgs_reverse(R8), Y8

tuples:
	VMOVDQU  (SI), Y0
	VPSHUFD  $0xb1, Y0, Y1
	VPCMPEQQ Y0, Y1, Y3
	VPAND    Y7, Y3, Y3
	APPEND(Y1, Y9)
	APPEND(Y0, Y8)
	ADDQ $32, SI
	SUBQ $4, CX
	JNZ  tuples
	SUBQ DI, BX
	SHRQ $3, BX
	MOVQ BX, collectArgs_n(R8)
	VZEROUPPER
	RET

// PUT is putWords, of arcs with so many in a line, their store and size.
//   AX an arc  BX its window  DX its place  SI its line  DI place of a whole line
//   R8 next arc from  R9 end of these  R10 next  R11 lines  R12 shift  R13 sourceBit  R15 a
#define PUT(perLine, STORE, size) \
	MOVQ a+0(FP), R15            \
	MOVQ putArgs_from(R15), R8   \
	MOVQ putArgs_count(R15), R9  \
	LEAQ (R8)(R9*8), R9          \
	MOVQ putArgs_next(R15), R10  \
	MOVQ putArgs_lines(R15), R11 \
	MOVQ putArgs_shift(R15), R12 \
	MOVQ putArgs_sourceBit(R15), R13 \
arc: \
	MOVQ   (R8), AX               \
	ADDQ   $8, R8                 \
	SHRXQ  R12, AX, BX            \
	SUBQ   putArgs_first(R15), BX \
	MOVL   AX, CX                 \
	SHRQ   $32, AX                \
	ANDQ   putArgs_inWindow(R15), AX \
	SHLXQ  R13, AX, AX            \
	ORQ    CX, AX                 \
	MOVQ   (R10)(BX*8), DX        \
	LEAQ   1(DX), CX              \
	MOVQ   CX, (R10)(BX*8)        \
	IMUL3Q $(4*const_lineWords), BX, SI \
	ADDQ   R11, SI                \
	MOVL   DX, CX                 \
	ANDL   $(perLine-1), CX       \
	STORE  AX, (SI)(CX*size)      \
	CMPL   CX, $(perLine-1)       \
	JEQ    full                   \
next: \
	CMPQ R8, R9  \
	JNE  arc     \
	MOVQ $-1, BX \
	JMP  done    \
full: \
	SUBQ $(perLine-1), DX       \
	MOVQ putArgs_begin(R15), CX \
	CMPQ DX, (CX)(BX*8)         \
	JLT  done                   \
	MOVQ putArgs_arcs(R15), DI  \
	LEAQ (DI)(DX*size), DI      \
	MOVL $(4*const_lineWords), CX \
store: \
	VMOVDQU  (SI), Y0     \
	VMOVDQU  32(SI), Y1   \
	VMOVNTDQ Y0, (DI)     \
	VMOVNTDQ Y1, 32(DI)   \
	ADDQ     $64, SI      \
	ADDQ     $64, DI      \
	SUBL     $64, CX      \
	JNZ      store        \
	JMP      next         \
done: \
	MOVQ BX, putArgs_window(R15) \
	SUBQ R8, R9                  \
	SHRQ $3, R9                  \
	MOVQ R9, putArgs_count(R15)  \
	MOVQ R8, putArgs_from(R15)   \
	VZEROUPPER                   \
	RET

// func putWords(a *putArgs)
TEXT ·putWords(SB), NOSPLIT, $0-8
	PUT(const_lineWords, MOVL, 4)

// func putPairs(a *putArgs)
TEXT ·putPairs(SB), NOSPLIT, $0-8
	PUT(const_lineWords/2, MOVQ, 8)

// func finishLines()
TEXT ·finishLines(SB), NOSPLIT, $0-0
	SFENCE
	RET
