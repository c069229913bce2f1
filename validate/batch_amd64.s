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
	ANDQ fillArgs_opens(DX), R11            \
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
	VPBROADCASTD (fillArgs_form+entryForm_codeMask)(DX), Z29
	CONSTANT(1, Z28)
	VPBROADCASTD (fillArgs_form+entryForm_lastCode)(DX), Z26
	VPBROADCASTD (fillArgs_form+entryForm_hashBits)(DX), Z25
	VPBROADCASTD (fillArgs_form+entryForm_open)(DX), Z24
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

// relax512: each 32-bit lane holds one tree.

// FETCHROWS prefetches the rows of one of the next tuples.
#define FETCHROWS(offset) \
	MOVL offset(R10), BX         \
	SHLQ $6, BX                  \
	PREFETCHT1 (R8)(BX*1)        \
	MOVL (offset+4)(R10), BX     \
	SHLQ $6, BX                  \
	PREFETCHT1 (R8)(BX*1)

// RELAX examines one tuple in all trees.
//   AX, BX offsets of the rows of U and V  Y3, Y4 their distances
//   Y5, Y6 distances by way of U and of V
#define RELAX(number, loop, fits, done) \
	MOVL (8*number)(R9), AX             \
	MOVL (8*number+4)(R9), BX           \
	VBROADCASTSS (4*number)(R12), Y2    \
	VPBROADCASTD AX, Y7                 \
	VPBROADCASTD BX, Y8                 \
	SHLQ $6, AX                         \
	SHLQ $6, BX                         \
	VMOVUPS (R8)(AX*1), Y3              \
	VMOVUPS (R8)(BX*1), Y4              \
	VADDPS Y2, Y3, Y5                   \
	VADDPS Y2, Y4, Y6                   \
	VCMPPS $1, Y4, Y5, K1               \
	VCMPPS $1, Y3, Y6, K2               \
	KORW K1, K7, K7                     \
	KORW K2, K7, K7                     \
	VPCMPEQD Y20, Y3, K3                \
	VPADDD Y21, Y22, K3, Y22            \
	CMPQ AX, BX                         \
	JEQ loop                            \
	VPCMPEQD Y5, Y4, K1                 \
	VPCMPEQD Y6, Y3, K2                 \
	KORTESTW K1, K2                     \
	JNZ fits                            \
	JMP done                            \
loop: \
	KNOTW K3, K3                        \
	VPADDD Y21, Y23, K3, Y23            \
	JMP done                            \
fits: \
	VPCMPEQD 32(R8)(BX*1), Y7, K1, K1   \
	VPCMPEQD 32(R8)(AX*1), Y8, K2, K2   \
	KORTESTW K1, K2                     \
	JZ done                             \
	VMOVDQU32 Y24, K1, 32(R8)(BX*1)     \
	VMOVDQU32 Y24, K2, 32(R8)(AX*1)     \
done:

// func relax512(a *relaxArgs)
TEXT ·relax512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ relaxArgs_rows(DX), R8
	MOVQ relaxArgs_tuples(DX), R9
	MOVQ relaxArgs_next(DX), R10
	MOVQ relaxArgs_weights(DX), R12
	MOVQ relaxArgs_count(DX), CX
	MOVQ relaxArgs_r(DX), R11
	VPBROADCASTD relaxArgs_vertices(DX), Z25
	MOVL $const_maxSummand, AX
	VPBROADCASTD AX, Y26
	MOVL $const_infinite, AX
	VPBROADCASTD AX, Y20
	MOVL $1, AX
	VPBROADCASTD AX, Y21
	VPXORD Y22, Y22, Y22 // outside
	VPXORD Y23, Y23, Y23 // self loops inside
	VPTERNLOGD $0xff, Y24, Y24, Y24 // None
	KXORQ K7, K7, K7     // shorter

eight:
	VMOVDQU64 (R9), Z0
	VPCMPUD $5, Z25, Z0, K1
	VMOVDQU32 (R12), Y1
	VPCMPUD $6, Y26, Y1, K2
	KORTESTW K1, K2
	JNZ unusual
	FETCHROWS(0)
	FETCHROWS(8)
	FETCHROWS(16)
	FETCHROWS(24)
	FETCHROWS(32)
	FETCHROWS(40)
	FETCHROWS(48)
	FETCHROWS(56)
	RELAX(0, loop0, fits0, done0)
	RELAX(1, loop1, fits1, done1)
	RELAX(2, loop2, fits2, done2)
	RELAX(3, loop3, fits3, done3)
	RELAX(4, loop4, fits4, done4)
	RELAX(5, loop5, fits5, done5)
	RELAX(6, loop6, fits6, done6)
	RELAX(7, loop7, fits7, done7)
	ADDQ $64, R9
	ADDQ $64, R10
	ADDQ $32, R12
	SUBQ $8, CX
	JNZ eight

	MOVL $0, relaxArgs_unusual(DX)
	VMOVDQU32 Y22, relaxer_outside(R11)
	VMOVDQU32 Y23, relaxer_loops(R11)
	KMOVW K7, AX
	MOVB AX, relaxer_shorter(R11)
	VZEROUPPER
	RET

unusual:
	MOVL $1, relaxArgs_unusual(DX)
	VZEROUPPER
	RET
