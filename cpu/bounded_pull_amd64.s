//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

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

// RELAX relaxes the arcs to the vertices in to with the weights in w, in the lanes of
// K2. It lowers best, sets parent where it does, and appends the arcs whose neighbour is
// not below the bound but could lead to less than best to the block's kept arcs.
//   DI distances  CX block  Z27 labels  Z28 Z31 bound  Z30 infinity
#define RELAX(to, w, best, parent) \
	VMOVDQA32     Z30, Z4                 \
	KMOVW         K2, K3                  \
	VPGATHERDD    (DI)(to*4), K3, Z4      \
	VPCMPUD       $1, Z31, Z4, K2, K3     \
	VMOVDQA32     Z30, Z5                 \
	VADDPS        w, Z4, K3, Z5           \
	VPCMPUD       $1, best, Z5, K3, K4    \
	VPMINUD       best, Z5, best          \
	VMOVDQA32     to, K4, parent          \
	KANDNW        K2, K3, K6              \
	VADDPS        w, Z28, Z5              \
	VPCMPUD       $1, best, Z5, K6, K6    \
	VPCOMPRESSD.Z Z27, K6, Z4             \
	VPCOMPRESSD.Z to, K6, Z5              \
	VPCOMPRESSD.Z w, K6, Z6               \
	MOVQ          kept-48(SP), AX         \
	VMOVDQU32     Z4, pullBlock_keptTo(CX)(AX*4)     \
	VMOVDQU32     Z5, pullBlock_keptFrom(CX)(AX*4)   \
	VMOVDQU32     Z6, pullBlock_keptWeight(CX)(AX*4) \
	KMOVW         K6, AX                  \
	POPCNTL       AX, AX                  \
	ADDQ          AX, kept-48(SP)

// func pull512(a *pullArgs)
//   R8 present  R15 row  R9 R10 first  R11 R12 second  R13 third (arrays by row)
//   DI distances by label  SI distances of the labels  BX parents of the labels
//   DX number of open vertices  CX block
TEXT ·pull512(SB), NOSPLIT, $48-8
	MOVQ a+0(FP), AX
	MOVQ pullArgs_present(AX), R8
	MOVQ pullArgs_words(AX), CX
	MOVQ CX, words-8(SP)
	MOVQ pullArgs_firstTo(AX), R9
	MOVQ pullArgs_firstWeight(AX), R10
	MOVQ pullArgs_secondTo(AX), R11
	MOVQ pullArgs_secondWeight(AX), R12
	MOVQ pullArgs_thirdWeight(AX), R13
	MOVQ pullArgs_row(AX), R15
	MOVQ pullArgs_distances(AX), DI
	MOVQ pullArgs_own(AX), SI
	VPBROADCASTD pullArgs_label(AX), Z27
	VPADDD lanes<>(SB), Z27, Z27
	MOVQ pullArgs_parents(AX), BX
	VPBROADCASTD pullArgs_bound(AX), Z31
	VMOVDQA32 Z31, Z28
	VPBROADCASTD pullArgs_least(AX), Z29
	MOVL $0x7f800000, CX
	VPBROADCASTD CX, Z30
	MOVL $16, CX
	VPBROADCASTD CX, Z26
	MOVQ pullArgs_block(AX), CX
	XORL DX, DX
	MOVQ $0, found-16(SP)
	MOVQ $0, examined-24(SP)
	MOVQ $0, kept-48(SP)

word:
	MOVQ (R8), R14
	MOVQ $4, groups-32(SP)

group:
	KMOVW       R14, K1
	VMOVDQU32.Z (SI), K1, Z10
	VPCMPUD     $5, Z31, Z10, K1, K2 // not final
	KMOVW       K2, AX
	TESTL       AX, AX
	JZ          next
	MOVQ        AX, active-40(SP)
	POPCNTL     AX, AX
	ADDQ        AX, examined-24(SP)

	// The first arcs.
	VPMINUD     Z30, Z10, Z10
	VMOVDQA32   Z10, Z7
	VMOVDQU32   (R9)(R15*4), Z1
	VPEXPANDD.Z Z1, K1, Z1
	VMOVDQU32   (R10)(R15*4), Z2
	VPEXPANDD.Z Z2, K1, Z2
	VMOVDQU32   (R12)(R15*4), Z3
	VPEXPANDD.Z Z3, K1, Z3
	RELAX(Z1, Z2, Z7, Z8)
	VADDPS      Z3, Z29, Z5
	VPCMPUD     $5, Z7, Z5, K2, K7 // the second arc is too long
	KANDNW      K2, K7, K2
	KMOVW       K2, AX
	TESTL       AX, AX
	JZ          store
	POPCNTL     AX, AX
	ADDQ        AX, examined-24(SP)

	// The second arcs of the vertices that need them.
	VMOVDQU32   (R11)(R15*4), Z1
	VPEXPANDD.Z Z1, K1, Z1
	VMOVDQU32   (R13)(R15*4), Z2
	VPEXPANDD.Z Z2, K1, Z2
	RELAX(Z1, Z3, Z7, Z8)
	VADDPS      Z2, Z29, Z5
	VPCMPUD     $5, Z7, Z5, K2, K5
	KORW        K5, K7, K7

store:
	KMOVW       active-40(SP), K2
	VPCMPUD     $1, Z10, Z7, K2, K4
	VMOVDQU32   Z7, K4, (SI)
	VMOVDQU32   Z8, K4, (BX)
	VPCMPUD     $1, Z30, Z7, K7, K6
	KMOVW       K6, AX
	POPCNTL     AX, AX
	ADDQ        AX, found-16(SP)

	// The vertices that need more arcs are open.
	KANDNW      K2, K7, K5
	VPBROADCASTD R15, Z4
	VPADDD      lanes<>(SB), Z4, Z4
	VPEXPANDD.Z Z4, K1, Z4
	VPCOMPRESSD.Z Z27, K5, Z5
	VPCOMPRESSD.Z Z4, K5, Z6
	VMOVDQU32   Z5, pullBlock_vertex(CX)(DX*4)
	VMOVDQU32   Z6, pullBlock_row(CX)(DX*4)
	KMOVW       K5, AX
	POPCNTL     AX, AX
	ADDQ        AX, DX

next:
	MOVWLZX R14, AX
	POPCNTL AX, AX
	ADDQ    AX, R15
	VPADDD  Z26, Z27, Z27
	ADDQ    $64, SI
	ADDQ    $64, BX
	SHRQ    $16, R14
	DECQ    groups-32(SP)
	JNZ     group
	ADDQ    $8, R8
	DECQ    words-8(SP)
	JNZ     word

	MOVQ a+0(FP), AX
	MOVQ DX, pullArgs_n(AX)
	MOVQ kept-48(SP), BX
	MOVQ BX, pullArgs_kept(AX)
	MOVQ found-16(SP), BX
	MOVQ BX, pullArgs_found(AX)
	MOVQ examined-24(SP), BX
	MOVQ BX, pullArgs_examined(AX)
	VZEROUPPER
	RET

// Lane numbers 0 to 7, in bytes.
DATA laneNumbers<>+0(SB)/8, $0x0706050403020100
GLOBL laneNumbers<>(SB), RODATA|NOPTR, $8

// Eight in each lane.
DATA eight<>+0(SB)/8, $0x0000000800000008
DATA eight<>+8(SB)/8, $0x0000000800000008
DATA eight<>+16(SB)/8, $0x0000000800000008
DATA eight<>+24(SB)/8, $0x0000000800000008
GLOBL eight<>(SB), RODATA|NOPTR, $32

// The bits of the lanes in a mask.
DATA laneBits<>+0(SB)/8, $0x0000000200000001
DATA laneBits<>+8(SB)/8, $0x0000000800000004
DATA laneBits<>+16(SB)/8, $0x0000002000000010
DATA laneBits<>+24(SB)/8, $0x0000008000000040
GLOBL laneBits<>(SB), RODATA|NOPTR, $32

// RELAX8 is RELAX in the lanes of Y11, for best in Y7 and parent in Y8.
//   DI distances  CX block  R8 lane tables  Y12 labels  Y14 infinity  Y15 bound
// Y5 at first: not below the bound.
#define RELAX8(to, w) \
	VMOVDQA    Y14, Y4            \
	VMOVDQA    Y11, Y3            \
	VPGATHERDD Y3, (DI)(to*4), Y4 \
	VPMAXUD    Y15, Y4, Y5        \
	VPCMPEQD   Y4, Y5, Y5         \
	VPANDN     Y11, Y5, Y3        \
	VPAND      Y11, Y5, Y6        \
	VADDPS     w, Y4, Y5          \
	VPBLENDVB  Y3, Y5, Y14, Y5    \
	VPCMPGTD   Y5, Y7, Y4         \
	VPMINUD    Y7, Y5, Y7         \
	VPBLENDVB  Y4, to, Y8, Y8     \
	VADDPS     w, Y15, Y5         \
	VPCMPGTD   Y5, Y7, Y5         \
	VPAND      Y6, Y5, Y6         \
	VMOVMSKPS  Y6, AX             \
	VPMOVZXBD  laneTables_compress(R8)(AX*8), Y5 \
	VPERMD     Y12, Y5, Y3        \
	VPERMD     to, Y5, Y4         \
	VPERMD     w, Y5, Y5          \
	MOVQ       kept-48(SP), AX    \
	VMOVDQU    Y3, pullBlock_keptTo(CX)(AX*4)     \
	VMOVDQU    Y4, pullBlock_keptFrom(CX)(AX*4)   \
	VMOVDQU    Y5, pullBlock_keptWeight(CX)(AX*4) \
	VMOVMSKPS  Y6, AX             \
	POPCNTL    AX, AX             \
	ADDQ       AX, kept-48(SP)

// func pull256(a *pullArgs)
//   R8 lane tables  R15 row  R9 R10 first  R11 R12 second  R13 third (arrays by row)
//   DI distances by label  SI distances of the labels  BX parents of the labels
//   DX number of open vertices  CX block
TEXT ·pull256(SB), NOSPLIT, $64-8
	MOVQ a+0(FP), AX
	MOVQ pullArgs_present(AX), R8
	MOVQ R8, present-56(SP)
	MOVQ pullArgs_words(AX), CX
	MOVQ CX, words-8(SP)
	MOVQ pullArgs_firstTo(AX), R9
	MOVQ pullArgs_firstWeight(AX), R10
	MOVQ pullArgs_secondTo(AX), R11
	MOVQ pullArgs_secondWeight(AX), R12
	MOVQ pullArgs_thirdWeight(AX), R13
	MOVQ pullArgs_row(AX), R15
	MOVQ pullArgs_distances(AX), DI
	MOVQ pullArgs_own(AX), SI
	VPBROADCASTD pullArgs_label(AX), Y12
	VPMOVZXBD laneNumbers<>(SB), Y0
	VPADDD Y0, Y12, Y12
	MOVQ pullArgs_parents(AX), BX
	VPBROADCASTD pullArgs_bound(AX), Y15
	VPBROADCASTD pullArgs_least(AX), Y13
	MOVL $0x7f800000, CX
	VMOVD CX, X14
	VPBROADCASTD X14, Y14
	MOVQ pullArgs_block(AX), CX
	MOVQ pullArgs_lanes(AX), R8
	XORL DX, DX
	MOVQ $0, found-16(SP)
	MOVQ $0, examined-24(SP)
	MOVQ $0, kept-48(SP)

word:
	MOVQ present-56(SP), AX
	MOVQ (AX), R14
	ADDQ $8, AX
	MOVQ AX, present-56(SP)
	MOVQ $8, groups-32(SP)

group:
	MOVBLZX R14, AX
	TESTL   AX, AX
	JZ      next
	VPMOVZXBD laneTables_expand(R8)(AX*8), Y0
	VMOVD   AX, X3
	VPBROADCASTD X3, Y3
	VPAND   laneBits<>(SB), Y3, Y3
	VPCMPEQD laneBits<>(SB), Y3, Y3
	VMOVDQU (SI), Y10
	VPMAXUD Y15, Y10, Y5
	VPCMPEQD Y10, Y5, Y5 // not final
	VPAND   Y3, Y5, Y9
	VMOVMSKPS Y9, AX
	TESTL   AX, AX
	JZ      next
	POPCNTL AX, AX
	ADDQ    AX, examined-24(SP)

	// The first arcs.
	VPMINUD Y14, Y10, Y7
	VMOVDQU (R9)(R15*4), Y1
	VPERMD  Y1, Y0, Y1
	VMOVDQU (R10)(R15*4), Y2
	VPERMD  Y2, Y0, Y2
	VMOVDQA Y9, Y11
	RELAX8(Y1, Y2)
	VMOVDQU (R12)(R15*4), Y2
	VPERMD  Y2, Y0, Y2
	VADDPS  Y2, Y13, Y5
	VPCMPGTD Y5, Y7, Y5 // the second arc can lead to less
	VPAND   Y9, Y5, Y11
	VMOVMSKPS Y11, AX
	TESTL   AX, AX
	JZ      store
	POPCNTL AX, AX
	ADDQ    AX, examined-24(SP)

	// The second arcs of the vertices that need them.
	VMOVDQU (R11)(R15*4), Y1
	VPERMD  Y1, Y0, Y1
	RELAX8(Y1, Y2)
	VMOVDQU (R13)(R15*4), Y2
	VPERMD  Y2, Y0, Y2
	VADDPS  Y2, Y13, Y5
	VPCMPGTD Y5, Y7, Y5
	VPAND   Y11, Y5, Y11

store:
	// All eight are stored again: no other worker stores any of them.
	VPMINUD Y14, Y10, Y4
	VPCMPGTD Y7, Y4, Y4
	VPBLENDVB Y4, Y7, Y10, Y5
	VMOVDQU Y5, (SI)
	VMOVDQU (BX), Y5
	VPBLENDVB Y4, Y8, Y5, Y5
	VMOVDQU Y5, (BX)
	VPCMPGTD Y7, Y14, Y4
	VPAND   Y9, Y4, Y4
	VPANDN  Y4, Y11, Y4
	VMOVMSKPS Y4, AX
	POPCNTL AX, AX
	ADDQ    AX, found-16(SP)

	// The vertices that need more arcs are open.
	VMOVMSKPS Y11, AX
	VPMOVZXBD laneTables_compress(R8)(AX*8), Y5
	VPERMD  Y12, Y5, Y4
	VMOVDQU Y4, pullBlock_vertex(CX)(DX*4)
	VMOVD   R15, X4
	VPBROADCASTD X4, Y4
	VPADDD  Y0, Y4, Y4
	VPERMD  Y4, Y5, Y4
	VMOVDQU Y4, pullBlock_row(CX)(DX*4)
	POPCNTL AX, AX
	ADDQ    AX, DX

next:
	MOVBLZX R14, AX
	POPCNTL AX, AX
	ADDQ    AX, R15
	VPADDD  eight<>(SB), Y12, Y12
	ADDQ    $32, SI
	ADDQ    $32, BX
	SHRQ    $8, R14
	DECQ    groups-32(SP)
	JNZ     group
	DECQ    words-8(SP)
	JNZ     word

	MOVQ a+0(FP), AX
	MOVQ DX, pullArgs_n(AX)
	MOVQ kept-48(SP), BX
	MOVQ BX, pullArgs_kept(AX)
	MOVQ found-16(SP), BX
	MOVQ BX, pullArgs_found(AX)
	MOVQ examined-24(SP), BX
	MOVQ BX, pullArgs_examined(AX)
	VZEROUPPER
	RET
