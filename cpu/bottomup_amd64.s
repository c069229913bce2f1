//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

// Lane numbers 0 to 15.
DATA iota<>+0(SB)/8, $0x0000000100000000
DATA iota<>+8(SB)/8, $0x0000000300000002
DATA iota<>+16(SB)/8, $0x0000000500000004
DATA iota<>+24(SB)/8, $0x0000000700000006
DATA iota<>+32(SB)/8, $0x0000000900000008
DATA iota<>+40(SB)/8, $0x0000000b0000000a
DATA iota<>+48(SB)/8, $0x0000000d0000000c
DATA iota<>+56(SB)/8, $0x0000000f0000000e
GLOBL iota<>(SB), RODATA|NOPTR, $64

// NEXT16 advances to the next 16 labels.
#define NEXT16 \
	MOVWLZX     R14, R11                       \
	POPCNTL     R11, R11                       \
	ADDQ        R11, R15                       \
	VPADDD      Z26, Z27, Z27                  \
	SHRQ        $16, AX                        \
	SHRQ        $16, CX                        \
	SHRQ        $16, R14

// ONE16 tests 16 labels. Their bits are the low 16 bits of AX (present and not
// visited), R14 (present) and CX (leaves), which are shifted afterwards.
//   BX hits of the word, shifted in from the top
//   DX number of open vertices  R15 row
//   R12 first neighbours  R13 parents  DI hub table  SI open
//   Z27 labels  Z28 iota  Z29 index of the last table entry
//   Z30 number of vertices  Z31 None
#define ONE16(offset) \
	KMOVW       AX, K2                         \
	KMOVW       R14, K1                        \
	VMOVDQU32   (R12)(R15*4), Z0               \
	VPEXPANDD.Z Z0, K1, Z1                     \
	VPSUBD      Z30, Z1, Z2                    \
	VPMINUD     Z29, Z2, Z2                    \
	VMOVDQA32   Z31, Z3                        \
	KMOVW       K2, K3                         \
	VPGATHERDD  (DI)(Z2*4), K3, Z3             \
	VPCMPUD     $4, Z31, Z3, K2, K4            \
	VMOVDQU32   Z3, K4, offset(R13)            \
	KMOVW       K4, R11                        \
	SHRQ        $16, BX                        \
	SHLQ        $48, R11                       \
	ORQ         R11, BX                        \
	KANDNW      K2, K4, K5                     \
	KMOVW       CX, K6                         \
	VPCMPUD     $5, Z30, Z1, K6, K6            \
	KANDNW      K5, K6, K5                     \
	VPBROADCASTD R15, Z4                       \
	VPADDD      Z28, Z4, Z4                    \
	VPEXPANDD.Z Z4, K1, Z4                     \
	VPCOMPRESSD.Z Z27, K5, Z5                  \
	VPCOMPRESSD.Z Z4, K5, Z6                   \
	VPCOMPRESSD.Z Z1, K5, Z7                   \
	VMOVDQU32   Z5, open_v(SI)(DX*4)           \
	VMOVDQU32   Z6, open_row(SI)(DX*4)         \
	VMOVDQU32   Z7, open_first(SI)(DX*4)       \
	KMOVW       K5, R11                        \
	POPCNTL     R11, R11                       \
	ADDQ        R11, DX                        \
	NEXT16

// FEW16 is ONE16, skipped if no bit of AX is set.
#define FEW16(offset, skip, done) \
	TESTW  AX, AX         \
	JZ     skip           \
	ONE16(offset)         \
	JMP    done           \
skip: \
	NEXT16                \
	SHRQ $16, BX          \
done:

// func hubs512(a *hubArgs)
TEXT ·hubs512(SB), NOSPLIT, $24-8
	MOVQ a+0(FP), AX
	MOVQ hubArgs_present(AX), R8
	MOVQ hubArgs_visited(AX), R9
	MOVQ hubArgs_next(AX), R10
	MOVQ hubArgs_words(AX), CX
	MOVQ CX, words-16(SP)
	MOVQ hubArgs_leaves(AX), CX
	SUBQ R8, CX
	MOVQ CX, leaves-24(SP) // distance in bytes from present to leaves
	MOVQ hubArgs_first(AX), R12
	MOVQ hubArgs_row(AX), R15
	MOVQ hubArgs_parents(AX), R13
	MOVQ hubArgs_hubs(AX), DI
	MOVQ hubArgs_open(AX), SI
	MOVL hubArgs_vertices(AX), BX
	VPBROADCASTD BX, Z30
	MOVL hubArgs_last(AX), BX
	VPBROADCASTD BX, Z29
	MOVL hubArgs_base(AX), BX
	VPBROADCASTD BX, Z27
	VMOVDQU32 iota<>(SB), Z28
	VPADDD Z28, Z27, Z27
	VPTERNLOGD $0xff, Z31, Z31, Z31
	MOVL $16, BX
	VPBROADCASTD BX, Z26
	MOVL $64, BX
	VPBROADCASTD BX, Z25
	XORL DX, DX
	MOVQ $0, found-8(SP)

word:
	MOVQ  (R8), R14
	MOVQ  (R9), AX
	ANDNQ R14, AX, AX // left = present and not visited
	JZ    none
	MOVQ  leaves-24(SP), CX
	MOVQ  (R8)(CX*1), CX
	XORL  BX, BX
	POPCNTQ AX, R11
	CMPQ  R11, $4
	JLE   sparse
	ONE16(0)
	ONE16(64)
	ONE16(128)
	ONE16(192)

hits:
	POPCNTQ BX, R11
	ADDQ  R11, found-8(SP)
	ORQ   (R9), BX
	MOVQ  BX, (R10)

step:
	ADDQ $8, R8
	ADDQ $8, R9
	ADDQ $8, R10
	ADDQ $256, R13
	DECQ words-16(SP)
	JNZ  word

	MOVQ a+0(FP), AX
	MOVQ DX, hubArgs_n(AX)
	MOVQ found-8(SP), BX
	MOVQ BX, hubArgs_found(AX)
	VZEROUPPER
	RET

sparse:
	FEW16(0, skip0, done0)
	FEW16(64, skip1, done1)
	FEW16(128, skip2, done2)
	FEW16(192, skip3, done3)
	JMP hits

none:
	MOVQ    (R9), BX
	MOVQ    BX, (R10)
	POPCNTQ R14, R14
	ADDQ    R14, R15
	VPADDD  Z25, Z27, Z27
	JMP     step

// SEEN sets K6 to the lanes of K1 whose vertex in v is visited.
//   R8 visited  Z29 31 in each lane  Z30 1 in each lane
#define SEEN(v) \
	VPSRLD     $5, v, Z20          \
	KMOVW      K1, K3              \
	VPXORD     Z21, Z21, Z21       \
	VPGATHERDD (R8)(Z20*4), K3, Z21 \
	VPANDD     Z29, v, Z22         \
	VPSLLVD    Z22, Z30, Z22       \
	VPTESTMD   Z22, Z21, K1, K6

// TRY takes the vertices in v as parents in the lanes where they are visited.
#define TRY(v) \
	SEEN(v)                        \
	VMOVDQA32 v, K6, Z10           \
	KORW      K6, K7, K7

// ROW loads the byte offset of the record of one lane into BX.
#define ROW(offset) \
	MOVL (open_row+offset)(SI)(R10*4), BX \
	SHLQ $4, BX

// RECORDS loads the records of lanes offset/4, offset/4+4, offset/4+8 and
// offset/4+12.
#define RECORDS(offset, x, z) \
	ROW(offset)                             \
	VMOVDQU     (R9)(BX*1), x               \
	ROW(offset+16)                          \
	VINSERTI32X4 $1, (R9)(BX*1), z, z       \
	ROW(offset+32)                          \
	VINSERTI32X4 $2, (R9)(BX*1), z, z       \
	ROW(offset+48)                          \
	VINSERTI32X4 $3, (R9)(BX*1), z, z

// func records512(a *recordArgs)
TEXT ·records512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ recordArgs_visited(AX), R8
	MOVQ recordArgs_records(AX), R9
	MOVQ recordArgs_open(AX), SI
	MOVQ recordArgs_hit(AX), DI
	MOVQ recordArgs_n(AX), CX
	MOVL recordArgs_vertices(AX), BX
	VPBROADCASTD BX, Z31
	MOVL $1, BX
	VPBROADCASTD BX, Z30
	MOVL $31, BX
	VPBROADCASTD BX, Z29
	XORL R10, R10 // read index in open
	XORL R11, R11 // length of hit
	XORL R12, R12 // new length of open

sixteen:
	MOVL  $0xffff, BX
	CMPQ  CX, $16
	JGE   full
	MOVL  $1, BX
	SHLL  CX, BX
	DECL  BX

full:
	KMOVW     BX, K2 // lanes in use
	KMOVW     K2, K1
	VMOVDQU32 open_v(SI)(R10*4), Z0
	VMOVDQU32.Z open_row(SI)(R10*4), K2, Z1
	VMOVDQU32.Z open_first(SI)(R10*4), K2, Z2
	RECORDS(0, X4, Z4)
	RECORDS(4, X5, Z5)
	RECORDS(8, X6, Z6)
	RECORDS(12, X7, Z7)
	// Transpose: each register holds the records of lanes k, 4+k, 8+k, 12+k;
	// afterwards each holds the k-th neighbours of all lanes.
	VPUNPCKLDQ  Z5, Z4, Z11
	VPUNPCKHDQ  Z5, Z4, Z12
	VPUNPCKLDQ  Z7, Z6, Z13
	VPUNPCKHDQ  Z7, Z6, Z14
	VPUNPCKLQDQ Z13, Z11, Z4
	VPUNPCKHQDQ Z13, Z11, Z5
	VPUNPCKLQDQ Z14, Z12, Z6
	VPUNPCKHQDQ Z14, Z12, Z7
	KXORW     K7, K7, K7
	TRY(Z7)
	TRY(Z6)
	TRY(Z5)
	TRY(Z4)
	VPCMPUD   $1, Z31, Z2, K2, K1 // first neighbours that are not hubs
	TRY(Z2)

	VPCOMPRESSD.Z Z0, K7, Z8
	VPCOMPRESSD.Z Z10, K7, Z9
	VMOVDQU32 Z8, hits_v(DI)(R11*4)
	VMOVDQU32 Z9, hits_parent(DI)(R11*4)
	KMOVW     K7, BX
	POPCNTL   BX, BX
	ADDQ      BX, R11

	VPCMPUD   $4, Z6, Z7, K2, K4 // rows with more neighbours
	KANDNW    K4, K7, K5
	VPCOMPRESSD.Z Z0, K5, Z8
	VPCOMPRESSD.Z Z1, K5, Z9
	VMOVDQU32 Z8, open_v(SI)(R12*4)
	VMOVDQU32 Z9, open_row(SI)(R12*4)
	KMOVW     K5, BX
	POPCNTL   BX, BX
	ADDQ      BX, R12

	ADDQ $16, R10
	SUBQ $16, CX
	JGT  sixteen

	MOVQ a+0(FP), AX
	MOVQ R11, recordArgs_hits(AX)
	MOVQ R12, recordArgs_rest(AX)
	VZEROUPPER
	RET
