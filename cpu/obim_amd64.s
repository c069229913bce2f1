//go:build !noasm

#include "textflag.h"

// Numbers of the even dwords of two vectors, then of the odd ones, as VPERMT2D takes them.
DATA dwords<>+0(SB)/8, $0x0000000200000000
DATA dwords<>+8(SB)/8, $0x0000000600000004
DATA dwords<>+16(SB)/8, $0x0000000a00000008
DATA dwords<>+24(SB)/8, $0x0000000e0000000c
DATA dwords<>+32(SB)/8, $0x0000001200000010
DATA dwords<>+40(SB)/8, $0x0000001600000014
DATA dwords<>+48(SB)/8, $0x0000001a00000018
DATA dwords<>+56(SB)/8, $0x0000001e0000001c
DATA dwords<>+64(SB)/8, $0x0000000300000001
DATA dwords<>+72(SB)/8, $0x0000000700000005
DATA dwords<>+80(SB)/8, $0x0000000b00000009
DATA dwords<>+88(SB)/8, $0x0000000f0000000d
DATA dwords<>+96(SB)/8, $0x0000001300000011
DATA dwords<>+104(SB)/8, $0x0000001700000015
DATA dwords<>+112(SB)/8, $0x0000001b00000019
DATA dwords<>+120(SB)/8, $0x0000001f0000001d
GLOBL dwords<>(SB), RODATA|NOPTR, $128

// Lane numbers 0 to 15.
DATA lanes<>+0(SB)/8, $0x0000000100000000
DATA lanes<>+8(SB)/8, $0x0000000300000002
DATA lanes<>+16(SB)/8, $0x0000000500000004
DATA lanes<>+24(SB)/8, $0x0000000700000006
DATA lanes<>+32(SB)/8, $0x0000000900000008
DATA lanes<>+40(SB)/8, $0x0000000b0000000a
DATA lanes<>+48(SB)/8, $0x0000000d0000000c
DATA lanes<>+56(SB)/8, $0x0000000f0000000e
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// func improving512(row *graph.Arc, arcs int, paths *uint64, length uint32, list *improvingList) int
//   SI row  CX arcs left  DI paths  BX list  R9 its length  Z30 indices of the arcs
TEXT ·improving512(SB), NOSPLIT, $0-48
	MOVQ row+0(FP), SI
	MOVQ arcs+8(FP), CX
	MOVQ paths+16(FP), DI
	MOVL length+24(FP), R8
	VPBROADCASTD R8, Z31
	MOVQ list+32(FP), BX
	VMOVDQU32 lanes<>(SB), Z30
	VMOVDQU32 dwords<>+0(SB), Z29
	VMOVDQU32 dwords<>+64(SB), Z28
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

// func prefetch(address unsafe.Pointer)
TEXT ·prefetch(SB), NOSPLIT, $0-8
	MOVQ address+0(FP), AX
	PREFETCHT0 (AX)
	RET
