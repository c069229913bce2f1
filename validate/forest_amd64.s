//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

#define SLOT (4*const_fillBlock) // bytes of a slot of a block

// TAKE puts the parents Y0 of vertices that are not in Y8 yet into the empty ones of a slot y. It adds
// these vertices to Y7 and Y8, and leaves them in Y9.
#define TAKE(y, place) \
	VPCMPEQD y, Y15, Y9     \
	VPANDN Y9, Y8, Y9       \
	VBLENDVPS Y9, Y0, y, y  \
	VMOVDQU y, place        \
	VPOR Y9, Y8, Y8         \
	VPOR Y9, Y7, Y7

// func packAVX2(a *packArgs)
//
//	R8  parents of the block  R12 others       Y0       eight parents
//	R9  slots of the block    R13 their number Y1-Y3    slots
//	R10 codes of the block    R14 eight        Y4-Y6    parents in each slot
//	DX  blocks left           CX  its bytes    Y7       parents in a slot
//	                          BX, SI codes     Y8, Y15  parents emptySlot, then those and Y7; emptySlot
TEXT ·packAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ packArgs_parents(DX), R8
	MOVQ packArgs_slots(DX), R9
	MOVQ packArgs_codes(DX), R10
	MOVQ packArgs_others(DX), R12
	MOVQ packArgs_blocks(DX), DX
	XORL R13, R13
	MOVL $const_emptySlot, AX
	VMOVD AX, X15
	VPBROADCASTD X15, Y15

block:
	MOVL R13, forestCodes_first(R10)
	XORL R14, R14
	XORL CX, CX

eight:
	VMOVDQU (R8)(CX*1), Y0
	VMOVDQU (R9)(CX*1), Y1
	VMOVDQU SLOT(R9)(CX*1), Y2
	VMOVDQU (2*SLOT)(R9)(CX*1), Y3
	VPCMPEQD Y0, Y1, Y4
	VPCMPEQD Y0, Y2, Y5
	VPCMPEQD Y0, Y3, Y6
	VPOR Y4, Y5, Y7
	VPOR Y6, Y7, Y7
	VPCMPEQD Y0, Y15, Y8
	VPANDN Y7, Y8, Y7
	VMOVMSKPS Y7, AX
	VMOVMSKPS Y5, BX
	VMOVMSKPS Y6, SI
	CMPL AX, $0xff
	JNE take

store:
	MOVB BX, forestCodes_low(R10)(R14*1)
	MOVB SI, forestCodes_high(R10)(R14*1)
	INCQ R14
	ADDQ $32, CX
	CMPQ CX, $SLOT
	JNE eight
	ADDQ $SLOT, R8
	ADDQ $(const_forestSlots*SLOT), R9
	ADDQ $forestCodes__size, R10
	DECQ DX
	JNZ block
	VZEROUPPER
	MOVQ a+0(FP), DX
	MOVQ R13, packArgs_found(DX)
	RET

take:
	VPOR Y7, Y8, Y8
	TAKE(Y1, (R9)(CX*1))
	TAKE(Y2, SLOT(R9)(CX*1))
	VPOR Y9, Y5, Y5
	TAKE(Y3, (2*SLOT)(R9)(CX*1))
	VPOR Y9, Y6, Y6
	VMOVMSKPS Y7, AX
	VMOVMSKPS Y5, BX
	VMOVMSKPS Y6, SI
	XORL $0xff, AX // the others
	JZ store
	ORL AX, BX
	ORL AX, SI
	LEAQ (R8)(CX*1), DI

other:
	TZCNTL AX, R15
	MOVL (DI)(R15*4), R15
	MOVL R15, (R12)(R13*4)
	INCQ R13
	BLSRL AX, AX
	JNZ other
	JMP store

// Shifts that bring bit i of a byte, copied to all bytes of a double word, to the sign.
DATA toSign<>+0(SB)/8, $0x0000000600000007
DATA toSign<>+8(SB)/8, $0x0000000400000005
DATA toSign<>+16(SB)/8, $0x0000000200000003
DATA toSign<>+24(SB)/8, $0x0000000000000001
GLOBL toSign<>(SB), RODATA|NOPTR, $32

// func unpackAVX2(slots *forestBlock, c *forestCodes, to *[fillBlock]engine.Label)
TEXT ·unpackAVX2(SB), NOSPLIT, $0-24
	MOVQ slots+0(FP), R9
	MOVQ c+8(FP), R10
	MOVQ to+16(FP), DI
	VMOVDQU toSign<>(SB), Y15
	XORL R14, R14
	XORL CX, CX

eight:
	VPBROADCASTB forestCodes_low(R10)(R14*1), Y1
	VPBROADCASTB forestCodes_high(R10)(R14*1), Y2
	VPSLLVD Y15, Y1, Y1
	VPSLLVD Y15, Y2, Y2
	VMOVDQU (R9)(CX*1), Y3
	VBLENDVPS Y1, SLOT(R9)(CX*1), Y3, Y3
	VBLENDVPS Y2, (2*SLOT)(R9)(CX*1), Y3, Y3
	VMOVDQU Y3, (DI)(CX*1)
	INCQ R14
	ADDQ $32, CX
	CMPQ CX, $SLOT
	JNE eight
	VZEROUPPER
	RET
