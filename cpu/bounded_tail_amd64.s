//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

// Three times the lane numbers 0 to 15, in bytes.
DATA thirdLanes<>+0(SB)/8, $0x15120f0c09060300
DATA thirdLanes<>+8(SB)/8, $0x2d2a2724211e1b18
GLOBL thirdLanes<>(SB), RODATA|NOPTR, $16

// func sweep512(a *sweepArgs)
//   SI arcs  CX arcs left  DI distances  BX parents  R8 changed  DX improved  R9 their number
//   R10 all lanes  R11 whether all arcs are relaxed  R12 number of relaxed arcs
//   Z29 ones  Z30 infinity  Z31 numbers of the dwords of the arcs' ends
TEXT ·sweep512(SB), NOSPLIT, $0-8
	MOVQ    a+0(FP), AX
	MOVQ    sweepArgs_kept(AX), SI
	MOVQ    sweepArgs_arcs(AX), CX
	MOVQ    sweepArgs_distances(AX), DI
	MOVQ    sweepArgs_parents(AX), BX
	MOVQ    sweepArgs_changed(AX), R8
	MOVQ    sweepArgs_improved(AX), DX
	MOVBLZX sweepArgs_all(AX), R11
	XORL    R9, R9
	XORL    R12, R12
	MOVL    $0xffff, R10
	VPMOVZXBD thirdLanes<>(SB), Z31
	MOVL    $0x7f800000, AX
	VPBROADCASTD AX, Z30
	MOVL    $1, AX
	VPBROADCASTD AX, Z29
	MOVL    $31, AX
	VPBROADCASTD AX, Z28

group:
	CMPQ CX, $16
	JGE  load
	TESTQ CX, CX
	JLE  done
	MOVL $1, R10
	SHLL CX, R10
	DECL R10

load:
	KMOVW      R10, K1
	KMOVW      K1, K2
	VPGATHERDD 4(SI)(Z31*4), K2, Z2 // from
	TESTL      R11, R11
	JNZ        relax
	VPSRLD     $5, Z2, Z4
	KMOVW      K1, K2
	VPGATHERDD (R8)(Z4*4), K2, Z5
	VPANDD     Z28, Z2, Z4
	VPSRLVD    Z4, Z5, Z5
	VPTESTMD   Z29, Z5, K1, K1 // the previous sweep has changed them
	KMOVW      K1, AX
	TESTL      AX, AX
	JZ         next

relax:
	KMOVW      K1, AX
	POPCNTL    AX, AX
	ADDQ       AX, R12
	KMOVW      K1, K2
	VPGATHERDD (SI)(Z31*4), K2, Z1 // to
	KMOVW      K1, K2
	VPGATHERDD 8(SI)(Z31*4), K2, Z3 // weights
	KMOVW      K1, K2
	VPGATHERDD (DI)(Z2*4), K2, Z6
	VPMINUD    Z30, Z6, Z6
	VADDPS     Z3, Z6, Z7
	VPCONFLICTD Z1, Z9

improve:
	KMOVW      K1, K2
	VPGATHERDD (DI)(Z1*4), K2, Z8
	VPMINUD    Z30, Z8, Z8
	VPCMPUD    $1, Z8, Z7, K1, K3
	KMOVW      K3, AX
	TESTL      AX, AX
	JZ         next

	// Of several arcs to a vertex, the first is stored now, the others are tried again.
	VPBROADCASTMW2D K3, Z10
	VPTESTNMD  Z9, Z10, K3, K4
	VPCOMPRESSD.Z Z1, K4, Z8
	VMOVDQU32  Z8, (DX)(R9*4)
	KMOVW      K4, AX
	POPCNTL    AX, AX
	ADDQ       AX, R9
	KANDNW     K3, K4, K1
	KMOVW      K4, K2
	VPSCATTERDD Z7, K2, (DI)(Z1*4)
	VPSCATTERDD Z2, K4, (BX)(Z1*4)
	KMOVW      K1, AX
	TESTL      AX, AX
	JNZ        improve

next:
	ADDQ $192, SI
	SUBQ $16, CX
	JMP  group

done:
	MOVQ a+0(FP), AX
	MOVQ R9, sweepArgs_found(AX)
	MOVQ R12, sweepArgs_examined(AX)
	VZEROUPPER
	RET
