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

// RELAX relaxes the arcs to the vertices in Z1 with the weights in Z2, in the lanes of K1, and
// lowers the best distances in Z7. It stores what is smaller, and appends the arcs whose neighbour is
// not below the bound but could still lead to less than best to the block's kept arcs. In the other
// lanes, the sums are infinite.
//   DI distances by label  SI BX distances and parents by offset  CX block  R12 number of kept arcs
//   Z9 offsets  Z27 first label  Z30 infinity  Z31 bound
#define RELAX \
	VMOVDQA32     Z30, Z4              \
	KMOVW         K1, K3               \
	VPGATHERDD    (DI)(Z1*4), K3, Z4   \
	VPCMPUD       $5, Z31, Z4, K1, K6  \
	VPMINUD       Z30, Z4, Z4          \
	VADDPS        Z2, Z4, Z4           \
	VPCMPUD       $1, Z7, Z4, K1, K4   \
	VPMINUD       Z7, Z4, Z7           \
	VADDPS        Z2, Z31, Z5          \
	VPCMPUD       $1, Z7, Z5, K6, K6   \
	VPADDD        Z9, Z27, Z8          \
	VPCOMPRESSD.Z Z8, K6, Z4           \
	VPCOMPRESSD.Z Z1, K6, Z5           \
	VPCOMPRESSD.Z Z2, K6, Z6           \
	VMOVDQU32     Z4, pullBlock_keptTo(CX)(R12*4)     \
	VMOVDQU32     Z5, pullBlock_keptFrom(CX)(R12*4)   \
	VMOVDQU32     Z6, pullBlock_keptWeight(CX)(R12*4) \
	KMOVW         K6, AX               \
	POPCNTL       AX, AX               \
	ADDQ          AX, R12              \
	KMOVW         K4, K3               \
	VPSCATTERDD   Z7, K3, (SI)(Z9*4)   \
	VPSCATTERDD   Z1, K4, (BX)(Z9*4)

// func pull512(a *pullArgs)
//   DI distances by label  SI BX distances and parents of the block, by offset  CX block
//   R10 index of the first of 16 rows  R12 number of kept arcs  R13 number of rows that need the second arc
TEXT ·pull512(SB), NOSPLIT, $16-8
	MOVQ a+0(FP), AX
	MOVQ pullArgs_distances(AX), DI
	MOVQ pullArgs_own(AX), SI
	MOVQ pullArgs_block(AX), CX
	MOVQ pullArgs_present(AX), R8
	MOVQ pullArgs_words(AX), R9
	VPBROADCASTD pullArgs_label(AX), Z27
	VPBROADCASTD pullArgs_bound(AX), Z31
	VPBROADCASTD pullArgs_least(AX), Z29
	MOVL $0x7f800000, DX
	VPBROADCASTD DX, Z30
	MOVL $16, DX
	VPBROADCASTD DX, Z26
	XORL DX, DX

	// The offsets and distances of the rows, without gaps.
	VMOVDQU32 lanes<>(SB), Z1
	MOVQ SI, BX

word:
	MOVQ (R8), R14
	MOVL $4, R10

group:
	KMOVW       R14, K1
	VMOVDQU32.Z (BX), K1, Z2
	VPCOMPRESSD.Z Z1, K1, Z3
	VPCOMPRESSD.Z Z2, K1, Z2
	VMOVDQU32   Z3, pullBlock_offset(CX)(DX*4)
	VMOVDQU32   Z2, pullBlock_own(CX)(DX*4)
	MOVWLZX     R14, AX
	POPCNTL     AX, AX
	ADDQ        AX, DX
	VPADDD      Z26, Z1, Z1
	ADDQ        $64, BX
	SHRQ        $16, R14
	DECL        R10
	JNZ         group
	ADDQ        $8, R8
	DECQ        R9
	JNZ         word
	VPXORD      Z2, Z2, Z2 // final: below every bound
	VMOVDQU32   Z2, pullBlock_own(CX)(DX*4)

	// The first arcs.
	//   R8 R9 first  R11 R14 second  R15 third (arrays by row)  Z25 rows
	MOVQ a+0(FP), AX
	MOVQ pullArgs_row(AX), R10
	VPBROADCASTD R10, Z25
	VPADDD lanes<>(SB), Z25, Z25
	SHLQ $2, R10
	MOVQ pullArgs_firstTo(AX), R8
	ADDQ R10, R8
	MOVQ pullArgs_firstWeight(AX), R9
	ADDQ R10, R9
	MOVQ pullArgs_secondTo(AX), R11
	ADDQ R10, R11
	MOVQ pullArgs_secondWeight(AX), R14
	ADDQ R10, R14
	MOVQ pullArgs_thirdWeight(AX), R15
	ADDQ R10, R15
	MOVQ pullArgs_parents(AX), BX
	MOVQ $0, found-8(SP)
	MOVQ $0, examined-16(SP)
	XORL R10, R10
	XORL R12, R12
	XORL R13, R13
	TESTQ DX, DX
	JZ   done

first:
	VMOVDQU32   pullBlock_own(CX)(R10*4), Z7
	VMOVDQU32   pullBlock_offset(CX)(R10*4), Z9
	VPCMPUD     $5, Z31, Z7, K1 // not final
	VPMINUD     Z30, Z7, Z7
	VMOVDQU32   (R8)(R10*4), Z1
	VMOVDQU32   (R9)(R10*4), Z2
	KMOVW       K1, AX
	POPCNTL     AX, AX
	ADDQ        AX, examined-16(SP)
	RELAX
	VMOVDQU32   (R14)(R10*4), Z2
	VADDPS      Z2, Z29, Z5
	VPCMPUD     $1, Z7, Z5, K1, K5 // the second arc can lead to less
	KANDNW      K1, K5, K6
	VPCMPUD     $1, Z30, Z7, K6, K6
	KMOVW       K6, AX
	POPCNTL     AX, AX
	ADDQ        AX, found-8(SP)
	VMOVDQU32   (R11)(R10*4), Z1
	VMOVDQU32   (R15)(R10*4), Z3
	VPCOMPRESSD.Z Z9, K5, Z4
	VPCOMPRESSD.Z Z25, K5, Z5
	VPCOMPRESSD.Z Z7, K5, Z6
	VPCOMPRESSD.Z Z1, K5, Z1
	VPCOMPRESSD.Z Z2, K5, Z2
	VPCOMPRESSD.Z Z3, K5, Z3
	VMOVDQU32   Z4, pullBlock_needOffset(CX)(R13*4)
	VMOVDQU32   Z5, pullBlock_needRow(CX)(R13*4)
	VMOVDQU32   Z6, pullBlock_needBest(CX)(R13*4)
	VMOVDQU32   Z1, pullBlock_needTo(CX)(R13*4)
	VMOVDQU32   Z2, pullBlock_needWeight(CX)(R13*4)
	VMOVDQU32   Z3, pullBlock_needNext(CX)(R13*4)
	KMOVW       K5, AX
	POPCNTL     AX, AX
	ADDQ        AX, R13
	VPADDD      Z26, Z25, Z25
	ADDQ        $16, R10
	CMPQ        R10, DX
	JLT         first

	// The second arcs of the rows that need them. R9 number of open vertices
	ADDQ R13, examined-16(SP)
	XORL R10, R10
	XORL R9, R9
	MOVL $0xffff, AX
	KMOVW AX, K1
	TESTQ R13, R13
	JZ   end

second:
	MOVQ R13, AX
	SUBQ R10, AX
	CMPQ AX, $16
	JGE  full
	MOVL $-1, R11
	BZHIL AX, R11, R11
	KMOVW R11, K1

full:
	VMOVDQU32   pullBlock_needOffset(CX)(R10*4), Z9
	VMOVDQU32   pullBlock_needBest(CX)(R10*4), Z7
	VMOVDQU32   pullBlock_needTo(CX)(R10*4), Z1
	VMOVDQU32   pullBlock_needWeight(CX)(R10*4), Z2
	RELAX
	VADDPS      pullBlock_needNext(CX)(R10*4), Z29, Z5
	VPCMPUD     $1, Z7, Z5, K1, K5
	KANDNW      K1, K5, K6
	VPCMPUD     $1, Z30, Z7, K6, K6
	KMOVW       K6, AX
	POPCNTL     AX, AX
	ADDQ        AX, found-8(SP)

	// The vertices that need more arcs are open.
	VMOVDQU32   pullBlock_needRow(CX)(R10*4), Z2
	VPCOMPRESSD.Z Z8, K5, Z4
	VPCOMPRESSD.Z Z2, K5, Z5
	VMOVDQU32   Z4, pullBlock_vertex(CX)(R9*4)
	VMOVDQU32   Z5, pullBlock_row(CX)(R9*4)
	KMOVW       K5, AX
	POPCNTL     AX, AX
	ADDQ        AX, R9
	ADDQ        $16, R10
	CMPQ        R10, R13
	JLT         second

end:
	MOVQ R9, R13

done:
	MOVQ a+0(FP), AX
	MOVQ R13, pullArgs_n(AX)
	MOVQ R12, pullArgs_kept(AX)
	MOVQ found-8(SP), BX
	MOVQ BX, pullArgs_found(AX)
	MOVQ examined-16(SP), BX
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

// RELAX8 relaxes arcs as RELAX does, in the lanes of Y11, for best in Y7 and parent in Y8. It stores
// no distances and parents.
//   DI distances  CX block  R8 lane tables  Y12 labels  Y14 infinity  Y15 bound
// Y5 at first: not below the bound.
#define RELAX8(to, w) \
	VMOVDQA    Y14, Y4            \
	VMOVDQA    Y11, Y3            \
	VPGATHERDD Y3, (DI)(to*4), Y4 \
	VPMAXUD    Y15, Y4, Y5        \
	VPCMPEQD   Y4, Y5, Y5         \
	VPAND      Y11, Y5, Y6        \
	VPMINUD    Y14, Y4, Y4        \
	VADDPS     w, Y4, Y5          \
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
