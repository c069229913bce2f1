//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

// fill512: each 32-bit lane holds one vertex.

DATA numbers<>+0(SB)/8, $0x0000000100000000
DATA numbers<>+8(SB)/8, $0x0000000300000002
DATA numbers<>+16(SB)/8, $0x0000000500000004
DATA numbers<>+24(SB)/8, $0x0000000700000006
DATA numbers<>+32(SB)/8, $0x0000000900000008
DATA numbers<>+40(SB)/8, $0x0000000b0000000a
DATA numbers<>+48(SB)/8, $0x0000000d0000000c
DATA numbers<>+56(SB)/8, $0x0000000f0000000e
GLOBL numbers<>(SB), RODATA|NOPTR, $64

#define CONSTANT(value, z) \
	MOVL $value, AX          \
	VPBROADCASTD AX, z

// FILL16 adds the entries of one tree for 16 vertices to their words, low and
// high.
//   DI table, at the tree's half of a word  R10 parents of the tree
//   SI pointers to the parents of all trees  R14 index of the tree
//   X1 bit offset of the entry in the half  X2 in the word  Z19 largest codes
//   R15 vertices without an entry  BX number of visited vertices
#define FILL16(number, vertices, low, high, earlier, opened) \
	VMOVDQU32 (64*number)(R10), Z0          \
	VPCMPUD $4, Z31, Z0, K1                 \
	VPCMPUD $1, Z30, Z0, K1, K2             \
	VPCMPUD $4, vertices, Z0, K2, K2        \
	KMOVW K2, K3                            \
	VPXORD Z3, Z3, Z3                       \
	VPGATHERDD (DI)(Z0*8), K3, Z3           \
	VPSRLD X1, Z3, Z3                       \
	VPANDD Z29, Z3, Z3                      \
	VPTESTMD Z3, Z3, K2, K4                 \
	VPCMPUD $4, Z26, Z3, K4, K4             \
	KANDNW K1, K4, K5                       \
	KMOVW K5, AX                            \
	SHLQ $(16*number), AX                   \
	ORQ AX, R15                             \
	KMOVW K1, AX                            \
	POPCNTL AX, AX                          \
	ADDQ AX, BX                             \
	VPADDD Z28, Z3, Z3                      \
	VPMAXUD Z3, Z19, K4, Z19                \
	VPSLLD $const_hashShift, Z0, Z4         \
	VPANDD Z25, Z4, Z4                      \
	VPORD Z4, Z3, Z3                        \
	KMOVW K4, K6                            \
	MOVQ R14, R11                           \
earlier: \
	DECQ R11                                \
	JLT opened                              \
	MOVQ (SI)(R11*8), R12                   \
	VPCMPUD $4, (64*number)(R12), Z0, K6, K6 \
	JMP earlier                             \
opened: \
	VPORD Z24, Z3, K6, Z3                   \
	VMOVDQA32.Z Z3, K4, Z3                  \
	VPMOVZXDQ Y3, Z5                        \
	VEXTRACTI64X4 $1, Z3, Y6                \
	VPMOVZXDQ Y6, Z6                        \
	VPSLLQ X2, Z5, Z5                       \
	VPSLLQ X2, Z6, Z6                       \
	VPORQ Z5, low, low                      \
	VPORQ Z6, high, high

// func fill512(a *fillArgs)
TEXT ·fill512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ fillArgs_table(DX), R8
	MOVQ fillArgs_f(DX), R13
	MOVQ fillArgs_trees(DX), CX
	LEAQ fillArgs_parents(DX), SI
	MOVQ fillArgs_first(DX), AX
	VPBROADCASTD AX, Z20
	VPADDD numbers<>(SB), Z20, Z20
	CONSTANT(16, Z27)
	VPADDD Z27, Z20, Z21
	VPADDD Z27, Z21, Z22
	VPADDD Z27, Z22, Z23
	VPTERNLOGD $0xff, Z31, Z31, Z31 // None
	VPBROADCASTD fillArgs_vertices(DX), Z30
	CONSTANT(const_codeMask, Z29)
	CONSTANT(1, Z28)
	CONSTANT(const_lastCode, Z26)
	CONSTANT(const_hashMask<<const_hashShift, Z25)
	CONSTANT(const_open, Z24)
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	XORL R14, R14 // tree

tree:
	MOVQ (SI)(R14*8), R10
	LEAL (R14*8), AX
	VMOVQ AX, X2
	ANDL $24, AX
	VMOVQ AX, X1
	MOVL R14, AX
	ANDL $4, AX
	LEAQ (R8)(AX*1), DI
	MOVQ R14, R9
	SHLQ $6, R9 // 64 bytes of codes per tree
	ADDQ R13, R9
	VMOVDQU32 filler_codes(R9), Z19
	XORL R15, R15
	XORL BX, BX
	FILL16(0, Z20, Z8, Z9, earlier0, opened0)
	FILL16(1, Z21, Z10, Z11, earlier1, opened1)
	FILL16(2, Z22, Z12, Z13, earlier2, opened2)
	FILL16(3, Z23, Z14, Z15, earlier3, opened3)
	VMOVDQU32 Z19, filler_codes(R9)
	MOVQ R15, filler_left(R13)(R14*8)
	ADDQ BX, filler_visited(R13)(R14*8)
	INCQ R14
	CMPQ R14, CX
	JNE tree

	MOVQ fillArgs_first(DX), AX
	LEAQ (R8)(AX*8), R9
	VMOVDQU64 Z8, (R9)
	VMOVDQU64 Z9, 64(R9)
	VMOVDQU64 Z10, 128(R9)
	VMOVDQU64 Z11, 192(R9)
	VMOVDQU64 Z12, 256(R9)
	VMOVDQU64 Z13, 320(R9)
	VMOVDQU64 Z14, 384(R9)
	VMOVDQU64 Z15, 448(R9)
	VZEROUPPER
	RET

// scan512: each 64-bit lane holds a tuple, U in the low half, or the word of a
// vertex, one byte per tree.

DATA bytes<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f // codes
DATA bytes<>+8(SB)/8, $0x0101010101010101
DATA bytes<>+16(SB)/8, $0x0202020202020202
DATA bytes<>+24(SB)/8, $0x8181818181818181 // open, and one level deeper
DATA bytes<>+32(SB)/8, $0x8080808080808080
DATA bytes<>+40(SB)/8, $0x00000000ffffffff // U
DATA bytes<>+48(SB)/8, $0x0000000000000070 // low bits of a parent
GLOBL bytes<>(SB), RODATA|NOPTR, $56

// Shuffle that copies the first byte of each lane to all its bytes.
DATA spread<>+0(SB)/8, $0x0000000000000000
DATA spread<>+8(SB)/8, $0x0808080808080808
GLOBL spread<>(SB), RODATA|NOPTR, $16

// FETCH prefetches the words of one of the next tuples.
#define FETCH(offset) \
	MOVL offset(R10), BX         \
	PREFETCHT1 (R8)(BX*8)        \
	MOVL (offset+4)(R10), BX     \
	PREFETCHT1 (R8)(BX*8)

// CANDIDATES appends the lanes of ends with a byte set in K3 to the list.
//   AX length of the list  SI ends  DI trees
#define CANDIDATES(ends) \
	VMOVDQU8.Z Z21, K3, Z10      \
	VPTESTMQ Z10, Z10, K4        \
	VPCOMPRESSQ.Z ends, K4, Z11  \
	VPCOMPRESSQ.Z Z10, K4, Z10   \
	VMOVDQU64 Z11, (SI)(AX*8)    \
	VMOVDQU64 Z10, (DI)(AX*8)    \
	KMOVW K4, BX                 \
	POPCNTL BX, BX               \
	ADDQ BX, AX

// func scan512(a *scanArgs)
TEXT ·scan512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ scanArgs_table(DX), R8
	MOVQ scanArgs_tuples(DX), R9
	MOVQ scanArgs_next(DX), R10
	MOVQ scanArgs_count(DX), CX
	MOVQ scanArgs_s(DX), R11
	LEAQ scanner_ends(R11), SI
	LEAQ scanner_trees(R11), DI
	VPBROADCASTD scanArgs_vertices(DX), Z25
	VPBROADCASTQ bytes<>+0(SB), Z17
	VPBROADCASTQ bytes<>+8(SB), Z18
	VPBROADCASTQ bytes<>+16(SB), Z19
	VPBROADCASTQ bytes<>+24(SB), Z20
	VPBROADCASTQ bytes<>+32(SB), Z21
	VPBROADCASTQ bytes<>+40(SB), Z22
	VPBROADCASTQ bytes<>+48(SB), Z23
	VBROADCASTI32X4 spread<>(SB), Z24
	VPXORD Z30, Z30, Z30 // inside
	VPXORD Z31, Z31, Z31 // self loops inside
	KXORQ K7, K7, K7     // apart: ends more than one level apart
	XORL AX, AX

eight:
	VMOVDQU64 (R9), Z0
	VPCMPUD $5, Z25, Z0, K1
	KORTESTW K1, K1
	JNZ outside
	FETCH(0)
	FETCH(8)
	FETCH(16)
	FETCH(24)
	FETCH(32)
	FETCH(40)
	FETCH(48)
	FETCH(56)
	VPANDQ Z22, Z0, Z1   // U
	VPSRLQ $32, Z0, Z2   // V
	KXNORW K0, K0, K1
	KXNORW K0, K0, K2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPGATHERQQ (R8)(Z1*8), K1, Z3
	VPGATHERQQ (R8)(Z2*8), K2, Z4
	VPANDQ Z17, Z3, Z5   // code of U
	VPANDQ Z17, Z4, Z6   // code of V
	VPSUBB Z6, Z5, Z7
	VPADDB Z18, Z7, Z7
	VPCMPUB $6, Z19, Z7, K3
	KORQ K3, K7, K7
	VPMINUB Z18, Z5, Z8  // inside
	VPADDB Z8, Z30, Z30
	VPCMPEQQ Z1, Z2, K3
	VMOVDQA64.Z Z8, K3, Z8
	VPADDB Z8, Z31, Z31
	VPSLLQ $4, Z2, Z9    // V as the parent of U
	VPANDQ Z23, Z9, Z9
	VPSHUFB Z24, Z9, Z9
	VPADDB Z20, Z6, Z6
	VPADDB Z9, Z6, Z6
	VPCMPEQB Z6, Z3, K3
	CANDIDATES(Z0)
	VPSLLQ $4, Z1, Z9    // U as the parent of V
	VPANDQ Z23, Z9, Z9
	VPSHUFB Z24, Z9, Z9
	VPADDB Z20, Z5, Z5
	VPADDB Z9, Z5, Z5
	VPCMPEQB Z5, Z4, K3
	VPROLQ $32, Z0, Z0
	CANDIDATES(Z0)
	ADDQ $64, R9
	ADDQ $64, R10
	SUBQ $8, CX
	JNZ eight

	MOVL $0, scanArgs_outside(DX)
	MOVQ AX, scanArgs_found(DX)
	VMOVDQU64 Z30, scanner_inside(R11)
	VMOVDQU64 Z31, scanner_loops(R11)
	KMOVQ K7, AX         // one byte per lane, one bit per tree
	MOVQ AX, BX
	SHRQ $32, BX
	ORQ BX, AX
	MOVQ AX, BX
	SHRQ $16, BX
	ORQ BX, AX
	MOVQ AX, BX
	SHRQ $8, BX
	ORQ BX, AX
	MOVB AX, scanner_apart(R11)
	VZEROUPPER
	RET

outside:
	MOVL $1, scanArgs_outside(DX)
	VZEROUPPER
	RET

// func closeBytes(table, places *uint64, count int)
TEXT ·closeBytes(SB), NOSPLIT, $0-24
	MOVQ table+0(FP), R8
	MOVQ places+8(FP), SI
	MOVQ count+16(FP), CX

place:
	MOVQ (SI), AX
	ANDB $(0xff^const_open), (R8)(AX*1)
	ADDQ $8, SI
	DECQ CX
	JNZ  place
	RET
