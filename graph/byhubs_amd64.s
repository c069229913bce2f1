//go:build !noasm

#include "textflag.h"
#include "go_asm.h"
#include "pack_amd64.h"

// func numberHubs256(a *numberArgs)
//   SI from  DI to  BX numbers by label  R8 slots  CX entries left  R9 entries that are no hubs
//   Y3 mask of the slots  Y5 largest numbers  Y6 the upper half  Y7 the lower half of each lane
TEXT ·numberHubs256(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ numberArgs_from(AX), SI
	MOVQ numberArgs_to(AX), DI
	MOVQ numberArgs_numbers(AX), BX
	MOVQ numberArgs_slots(AX), R8
	MOVQ numberArgs_count(AX), CX
	MOVL $((1<<const_slotBits)-1), R9
	VMOVD        R9, X3
	VPBROADCASTD X3, Y3
	XORL R9, R9
	VPXOR    Y4, Y4, Y4
	VPXOR    Y5, Y5, Y5
	VPCMPEQD Y6, Y6, Y6
	VPSRLD   $16, Y6, Y7
	VPSLLD   $16, Y6, Y6

number:
	VMOVDQU    (SI), Y0
	VPCMPEQD   Y2, Y2, Y2
	VPAND      Y3, Y0, Y1
	VPGATHERDD Y2, (R8)(Y1*4), Y8
	VPSLLD     $1, Y8, Y1
	VPSRLD     $17, Y1, Y1
	VPSRLD     $const_slotBits, Y0, Y9
	VPCMPEQD   Y9, Y1, Y9     // the slot is that of the label
	VPAND      Y9, Y8, Y1
	VPANDN     Y8, Y9, Y2     // its sign says whether there are others
	VPGATHERDD Y2, (BX)(Y0*2), Y1
	VPAND      Y7, Y1, Y1
	VPMAXUD    Y1, Y5, Y5
	VPCMPEQD   Y4, Y1, Y2     // no hub
	VPOR       Y6, Y1, Y1
	VPBLENDVB  Y2, Y0, Y1, Y1
	VMOVDQU    Y1, (DI)
	VMOVMSKPS  Y2, DX
	POPCNTL    DX, DX
	ADDQ       DX, R9
	ADDQ       $32, SI
	ADDQ       $32, DI
	SUBQ       $8, CX
	JNZ        number

	VEXTRACTI128 $1, Y5, X1
	VPMAXUD X1, X5, X5
	VPSHUFD $0x4e, X5, X1
	VPMAXUD X1, X5, X5
	VPSHUFD $0xb1, X5, X1
	VPMAXUD X1, X5, X5
	VMOVD   X5, DX
	MOVL    DX, numberArgs_best(AX)
	MOVQ    numberArgs_count(AX), CX
	SUBQ    R9, CX
	MOVQ    CX, numberArgs_hubs(AX)
	VZEROUPPER
	RET

// func splitHubs256(a *splitHubsArgs)
//   SI row  CX entries left  BX hubs  R8 their number  DI others  R9 their number
//   Y5 all ones  Y6 least code of a hub, less 1, with the sign changed  Y7 the sign
TEXT ·splitHubs256(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ splitHubsArgs_row(AX), SI
	MOVQ splitHubsArgs_count(AX), CX
	MOVQ splitHubsArgs_hubs(AX), BX
	MOVQ splitHubsArgs_others(AX), DI
	MOVL splitHubsArgs_last(AX), R10
	XORL R8, R8
	XORL R9, R9
	MOVQ $0x0706050403020100, R12
	MOVQ $0x0101010101010101, R13
	VMOVD        R10, X6
	VPBROADCASTD X6, Y6
	VPCMPEQD     Y5, Y5, Y5
	VPSLLD       $31, Y5, Y7
	VPXOR        Y7, Y6, Y6

entries:
	VMOVDQU   (SI), Y0
	VPXOR     Y7, Y0, Y1
	VPCMPGTD  Y6, Y1, Y1
	VMOVMSKPS Y1, DX
	MOVL      DX, R11
	POPCNTL   DX, R10
	PACK
	VPXOR     Y5, Y0, Y3
	VPERMD    Y3, Y2, Y3
	VPACKUSDW Y3, Y3, Y3
	VPERMQ    $0x08, Y3, Y3
	VMOVDQU   X3, (BX)(R8*2)
	ADDQ      R10, R8
	MOVL      R11, DX
	XORL      $0xff, DX
	PACK
	VPERMD    Y0, Y2, Y0
	VMOVDQU   Y0, (DI)(R9*4)
	SUBQ      R10, R9
	ADDQ      $8, R9
	ADDQ      $32, SI
	SUBQ      $8, CX
	JNZ       entries
	MOVQ      R8, splitHubsArgs_n(AX)
	VZEROUPPER
	RET

// func splitLeaves256(a *splitLeavesArgs)
//   SI labels that are read  CX entries left  BX code  R10 rows  DI codes of rows  R9 their number
//   R11 leaves  R8 their number  Y5 mask
TEXT ·splitLeaves256(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	VPBROADCASTD splitLeavesArgs_mask(AX), Y5
	MOVQ splitLeavesArgs_codes(AX), SI
	MOVQ SI, DI
	MOVQ splitLeavesArgs_count(AX), CX
	MOVQ splitLeavesArgs_code(AX), BX
	MOVQ splitLeavesArgs_rows(AX), R10
	MOVQ splitLeavesArgs_leaves(AX), R11
	XORL R8, R8
	XORL R9, R9
	MOVQ $0x0706050403020100, R12
	MOVQ $0x0101010101010101, R13

codes:
	VMOVDQU    (SI), Y0
	VPCMPEQD   Y2, Y2, Y2
	VPGATHERDD Y2, (BX)(Y0*4), Y1
	VMOVMSKPS  Y1, DX
	TESTL      DX, DX
	JNZ        some
	VPAND      Y5, Y1, Y2
	VMOVDQU    Y2, (R10)(R9*4)
	VMOVDQU    Y1, (DI)(R9*4)
	ADDQ       $8, R9

next:
	ADDQ $32, SI
	SUBQ $8, CX
	JNZ  codes
	MOVQ R8, splitLeavesArgs_n(AX)
	VZEROUPPER
	RET

some:
	MOVL    DX, R14
	PACK
	VPERMD  Y0, Y2, Y3
	VMOVDQU Y3, (R11)(R8*4)
	MOVL    R14, DX
	XORL    $0xff, DX
	PACK
	VPERMD  Y1, Y2, Y1
	VPAND   Y5, Y1, Y0
	VMOVDQU Y0, (R10)(R9*4)
	VMOVDQU Y1, (DI)(R9*4)
	POPCNTL R14, R14
	ADDQ    R14, R8
	SUBQ    R14, R9
	ADDQ    $8, R9
	JMP     next

// func rankHubs256(a *rankArgs)
//   SI hubs  CX their number  DI ranks  BX first hub of a block of 64  R8 a hub
//   Y15 the sign  Y0 to Y3 the block, with the sign changed  Y4 to Y7 its ranks
TEXT ·rankHubs256(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ rankArgs_hubs(AX), SI
	MOVQ rankArgs_count(AX), CX
	MOVQ rankArgs_ranks(AX), DI
	VPCMPEQD Y15, Y15, Y15
	VPSLLW   $15, Y15, Y15
	XORL     BX, BX

block:
	VPXOR (SI)(BX*2), Y15, Y0
	VPXOR 32(SI)(BX*2), Y15, Y1
	VPXOR 64(SI)(BX*2), Y15, Y2
	VPXOR 96(SI)(BX*2), Y15, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	XORL  R8, R8

hub:
	VPBROADCASTW (SI)(R8*2), Y8
	VPXOR    Y15, Y8, Y8
	VPCMPGTW Y8, Y0, Y9
	VPCMPGTW Y8, Y1, Y10
	VPCMPGTW Y8, Y2, Y11
	VPCMPGTW Y8, Y3, Y12
	VPSUBW   Y9, Y4, Y4
	VPSUBW   Y10, Y5, Y5
	VPSUBW   Y11, Y6, Y6
	VPSUBW   Y12, Y7, Y7
	INCQ     R8
	CMPQ     R8, CX
	JLT      hub
	VMOVDQU Y4, (DI)(BX*2)
	VMOVDQU Y5, 32(DI)(BX*2)
	VMOVDQU Y6, 64(DI)(BX*2)
	VMOVDQU Y7, 96(DI)(BX*2)
	ADDQ $64, BX
	CMPQ BX, CX
	JLT  block
	VZEROUPPER
	RET

// func prefetchEntries(array *uint32, n int, labels *uint32, count int)
TEXT ·prefetchEntries(SB), NOSPLIT, $0-32
	MOVQ array+0(FP), BX
	MOVQ n+8(FP), R10
	MOVQ labels+16(FP), SI
	MOVQ count+24(FP), CX
	LEAQ (SI)(CX*4), DI
	XORL R9, R9

entry:
	MOVL       (SI), AX
	CMPQ       AX, R10
	CMOVQCC    R9, AX
	PREFETCHT0 (BX)(AX*4)
	ADDQ       $4, SI
	CMPQ       SI, DI
	JLT        entry
	RET

// func prefetchLines(words *uint32, n int)
TEXT ·prefetchLines(SB), NOSPLIT, $0-16
	MOVQ words+0(FP), SI
	MOVQ n+8(FP), CX
	LEAQ (SI)(CX*4), DI
	ANDQ $~63, SI

line:
	PREFETCHT0 (SI)
	ADDQ $64, SI
	CMPQ SI, DI
	JLT  line
	RET
