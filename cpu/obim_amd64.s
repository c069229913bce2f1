//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

// Numbers of the even dwords of two vectors, as VPERMT2D takes them.
DATA even<>+0(SB)/8, $0x0000000200000000
DATA even<>+8(SB)/8, $0x0000000600000004
DATA even<>+16(SB)/8, $0x0000000a00000008
DATA even<>+24(SB)/8, $0x0000000e0000000c
DATA even<>+32(SB)/8, $0x0000001200000010
DATA even<>+40(SB)/8, $0x0000001600000014
DATA even<>+48(SB)/8, $0x0000001a00000018
DATA even<>+56(SB)/8, $0x0000001e0000001c
GLOBL even<>(SB), RODATA|NOPTR, $64

// Lane numbers 0 to 7, in bytes.
DATA numbers<>+0(SB)/8, $0x0706050403020100
GLOBL numbers<>(SB), RODATA|NOPTR, $8

// func improving512(row *graph.Arc, arcs int, paths *uint64, length uint32, list *improvingList) int
//   SI row  CX arcs left  DI paths  BX list  R9 its length  Z30 indices of the arcs
TEXT ·improving512(SB), NOSPLIT, $0-48
	MOVQ row+0(FP), SI
	MOVQ arcs+8(FP), CX
	MOVQ paths+16(FP), DI
	MOVL length+24(FP), R8
	VPBROADCASTD R8, Z31
	MOVQ list+32(FP), BX
	VMOVDQU32 even<>(SB), Z29
	VPSRLD $1, Z29, Z30 // 0 to 15
	MOVL $1, R8
	VPBROADCASTD R8, Z28
	VPADDD Z29, Z28, Z28 // numbers of the odd dwords
	MOVL $16, R8
	VPBROADCASTD R8, Z27
	XORL R9, R9
	MOVL $0xffff, R10 // lanes

next:
	CMPQ CX, $16
	JGE  relax
	TESTQ CX, CX
	JLE  done
	MOVL $1, R10
	SHLL CX, R10
	DECL R10

relax:
	KMOVW R10, K1
	MOVL  R10, R11
	SHRL  $8, R11
	KMOVW R11, K2
	VMOVDQU64.Z   (SI), K1, Z1   // eight arcs
	VMOVDQU64.Z   64(SI), K2, Z2 // eight more
	VMOVDQA32     Z1, Z3
	VPERMT2D      Z2, Z29, Z3    // the vertices they lead to
	VPERMT2D      Z2, Z28, Z1    // weights
	VADDPS        Z1, Z31, Z1
	VPXORD        Z4, Z4, Z4
	KMOVW         K1, K3
	VPGATHERDD    4(DI)(Z3*8), K3, Z4 // the upper half of a path holds the length and one bit
	VPSRLD        $1, Z4, Z4
	VPCMPUD       $1, Z4, Z1, K1, K4
	VPCOMPRESSD.Z Z30, K4, Z5
	VMOVDQU32     Z5, (BX)(R9*4)
	KMOVW         K4, R11
	POPCNTL       R11, R11
	ADDQ          R11, R9
	VPADDD        Z27, Z30, Z30
	ADDQ          $128, SI
	SUBQ          $16, CX
	JMP           next

done:
	MOVQ R9, ret+40(FP)
	VZEROUPPER
	RET

// func improving256(row *graph.Arc, arcs int, paths *uint64, length uint32, list *improvingList, lanes *laneTables) int
//   SI row  CX arcs left  DI paths  BX list  R9 its length  DX lane tables  Y13 indices of the arcs
TEXT ·improving256(SB), NOSPLIT, $0-56
	MOVQ row+0(FP), SI
	MOVQ arcs+8(FP), CX
	MOVQ paths+16(FP), DI
	MOVL length+24(FP), R8
	VMOVD R8, X15
	VPBROADCASTD X15, Y15
	MOVQ list+32(FP), BX
	MOVQ lanes+40(FP), DX
	VPMOVZXBD numbers<>(SB), Y13
	MOVL $8, R8
	VMOVD R8, X12
	VPBROADCASTD X12, Y12
	XORL R9, R9

next:
	VMOVDQU    (SI), Y1   // four arcs
	VMOVDQU    32(SI), Y2 // four more
	VSHUFPS    $0x88, Y2, Y1, Y3
	VPERMQ     $0xd8, Y3, Y3 // the vertices they lead to
	VSHUFPS    $0xdd, Y2, Y1, Y1
	VPERMQ     $0xd8, Y1, Y1 // weights
	VADDPS     Y1, Y15, Y1
	VPCMPEQD   Y5, Y5, Y5
	VPGATHERDD Y5, 4(DI)(Y3*8), Y4 // the upper half of a path holds the length and one bit
	VPSRLD     $1, Y4, Y4
	VPCMPGTD   Y1, Y4, Y4 // lengths have 31 bits
	VMOVMSKPS  Y4, R11
	VPMOVZXBD  laneTables_compress(DX)(R11*8), Y5
	VPERMD     Y13, Y5, Y5
	VMOVDQU    Y5, (BX)(R9*4)
	POPCNTL    R11, R11
	ADDQ       R11, R9
	VPADDD     Y12, Y13, Y13
	ADDQ       $64, SI
	SUBQ       $8, CX
	JG         next
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET

// func prefetch(address unsafe.Pointer)
TEXT ·prefetch(SB), NOSPLIT, $0-8
	MOVQ address+0(FP), AX
	PREFETCHT0 (AX)
	RET
