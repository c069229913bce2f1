//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

// func prefetchRows(table *uint64, slots *forestBlock, shift int64, vertices uint32)
TEXT ·prefetchRows(SB), NOSPLIT, $0-28
	MOVQ table+0(FP), R8
	MOVQ slots+8(FP), R9
	MOVQ shift+16(FP), CX
	MOVL vertices+24(FP), BX
	LEAQ (4*const_forestSlots*const_fillBlock)(R9), R10
	XORL DX, DX

row:
	MOVL (R9), AX
	CMPL AX, BX
	CMOVLCC DX, AX // no vertex
	SHLXQ CX, AX, AX
	PREFETCHT0 (R8)(AX*1)
	ADDQ $4, R9
	CMPQ R9, R10
	JNE row
	RET

// func transposeAVX2(from *[8]*engine.Label, to *engine.Label)
TEXT ·transposeAVX2(SB), NOSPLIT, $0-16
	MOVQ from+0(FP), DX
	MOVQ to+8(FP), DI
	MOVQ 0(DX), R8
	MOVQ 8(DX), R9
	MOVQ 16(DX), R10
	MOVQ 24(DX), R11
	MOVQ 32(DX), R12
	MOVQ 40(DX), R13
	MOVQ 48(DX), R14
	MOVQ 56(DX), R15
	XORL AX, AX // offset of eight vertices

eight:
	VMOVUPS (R8)(AX*1), Y0
	VMOVUPS (R9)(AX*1), Y1
	VMOVUPS (R10)(AX*1), Y2
	VMOVUPS (R11)(AX*1), Y3
	VMOVUPS (R12)(AX*1), Y4
	VMOVUPS (R13)(AX*1), Y5
	VMOVUPS (R14)(AX*1), Y6
	VMOVUPS (R15)(AX*1), Y7
	PREFETCHT0 (4*const_fillBlock)(R8)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R9)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R10)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R11)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R12)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R13)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R14)(AX*1)
	PREFETCHT0 (4*const_fillBlock)(R15)(AX*1)
	VUNPCKLPS Y1, Y0, Y8 // two trees
	VUNPCKHPS Y1, Y0, Y9
	VUNPCKLPS Y3, Y2, Y10
	VUNPCKHPS Y3, Y2, Y11
	VUNPCKLPS Y5, Y4, Y12
	VUNPCKHPS Y5, Y4, Y13
	VUNPCKLPS Y7, Y6, Y14
	VUNPCKHPS Y7, Y6, Y15
	VUNPCKLPD Y10, Y8, Y0 // four trees
	VUNPCKHPD Y10, Y8, Y1
	VUNPCKLPD Y11, Y9, Y2
	VUNPCKHPD Y11, Y9, Y3
	VUNPCKLPD Y14, Y12, Y4
	VUNPCKHPD Y14, Y12, Y5
	VUNPCKLPD Y15, Y13, Y6
	VUNPCKHPD Y15, Y13, Y7
	VPERM2F128 $0x20, Y4, Y0, Y8 // eight trees
	VPERM2F128 $0x20, Y5, Y1, Y9
	VPERM2F128 $0x20, Y6, Y2, Y10
	VPERM2F128 $0x20, Y7, Y3, Y11
	VPERM2F128 $0x31, Y4, Y0, Y12
	VPERM2F128 $0x31, Y5, Y1, Y13
	VPERM2F128 $0x31, Y6, Y2, Y14
	VPERM2F128 $0x31, Y7, Y3, Y15
	VMOVUPS Y8, (DI)
	VMOVUPS Y9, (4*const_MaxBatch)(DI)
	VMOVUPS Y10, (8*const_MaxBatch)(DI)
	VMOVUPS Y11, (12*const_MaxBatch)(DI)
	VMOVUPS Y12, (16*const_MaxBatch)(DI)
	VMOVUPS Y13, (20*const_MaxBatch)(DI)
	VMOVUPS Y14, (24*const_MaxBatch)(DI)
	VMOVUPS Y15, (28*const_MaxBatch)(DI)
	ADDQ $(32*const_MaxBatch), DI
	ADDQ $32, AX
	CMPQ AX, $(4*const_fillBlock)
	JNE eight
	VZEROUPPER
	RET

// Rows of the table have a byte for each tree; 1<<CX is their length. Registers hold a row, of
// which only the first bytes are used if it is shorter.

// BROADCAST copies an unsigned byte of memory to all bytes of a register.
#define BROADCAST(byte, x, v) \
	MOVBLZX byte, AX \
	VMOVD AX, x      \
	VPBROADCASTB x, v

// UNPACK joins four sets of 16 trees, K1 to K4, to one of 64.
#define UNPACK(k) \
	KUNPCKWD K1, K2, K1 \
	KUNPCKWD K3, K4, K3 \
	KUNPCKDQ K1, K3, k

// func fillAVX512(a *fillArgs)
//
//	R8  table                   Z0-Z3   parents of the vertex in all trees
//	R9  parents of the vertex   Z5      row of the vertex
//	R10 vertex, R11 number left Z20     number of vertices inside each tree
//	R12 left, R15 rows to set   Z21     largest codes
//	R13 filler                  Z26-Z31 constants
//	AX  trees to do, BX left    K7      bytes of a row
TEXT ·fillAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ fillArgs_table(DX), R8
	MOVQ fillArgs_f(DX), R13
	MOVQ fillArgs_first(DX), R10
	MOVQ fillArgs_count(DX), R11
	MOVQ fillArgs_shift(DX), CX
	MOVQ fillArgs_parents(DX), R9
	MOVQ fillArgs_left(DX), R12
	MOVQ fillArgs_to(DX), R15
	BROADCAST((fillArgs_form+entryForm_codeMask)(DX), X29, Z29)
	BROADCAST((fillArgs_form+entryForm_lastCode)(DX), X28, Z28)
	BROADCAST((fillArgs_form+entryForm_open)(DX), X26, Z26)
	MOVL $1, AX
	VPBROADCASTB AX, Z27
	VPTERNLOGD $0xff, Z31, Z31, Z31 // None
	VPXORD Z20, Z20, Z20
	VMOVDQU8 filler_codes(R13), Z21
	MOVL $1, AX
	SHLXQ CX, AX, AX
	MOVQ $-1, BX
	BZHIQ AX, BX, BX
	KMOVQ BX, K7

vertex:
	VMOVDQU32 (R9), Z0
	VMOVDQU32 64(R9), Z1
	VMOVDQU32 128(R9), Z2
	VMOVDQU32 192(R9), Z3
	VPCMPUD $4, Z31, Z0, K1
	VPCMPUD $4, Z31, Z1, K2
	VPCMPUD $4, Z31, Z2, K3
	VPCMPUD $4, Z31, Z3, K4
	UNPACK(K5)
	KMOVQ K5, AX
	VPADDB Z27, Z20, K5, Z20
	VPXORD Z5, Z5, Z5
	XORL BX, BX
	TESTQ AX, AX
	JZ store

parent:
	TZCNTQ AX, SI
	MOVL (R9)(SI*4), SI
	VPBROADCASTD SI, Z6
	VPCMPEQD Z6, Z0, K1
	VPCMPEQD Z6, Z1, K2
	VPCMPEQD Z6, Z2, K3
	VPCMPEQD Z6, Z3, K4
	UNPACK(K5)
	KMOVQ K5, DI // trees with this parent
	ANDNQ AX, DI, AX
	CMPL SI, fillArgs_vertices(DX)
	JAE none
	CMPL SI, R10
	JEQ none
	SHLXQ CX, SI, R14
	VMOVDQU8.Z (R8)(R14*1), K7, Z7
	VPANDD Z29, Z7, Z7
	VPTESTMB Z7, Z7, K5, K6
	VPCMPUB $4, Z28, Z7, K6, K6 // trees in which its code is known, and not the last one
	KMOVQ K6, R14
	ANDNQ DI, R14, DI
	ORQ DI, BX
	VPADDB Z27, Z7, Z7
	VPMAXUB Z7, Z21, K6, Z21
	SHLL $const_hashShift, SI
	ANDB (fillArgs_form+entryForm_hashBits)(DX), SI
	VPBROADCASTB SI, Z8
	VPORD Z8, Z7, Z7
	BLSIQ R14, R14 // the first of them
	KMOVQ R14, K4
	VPADDB Z26, Z7, K4, Z7
	VMOVDQU8 Z7, K6, Z5
	TESTQ AX, AX
	JNZ parent
	JMP store

none:
	ORQ DI, BX
	TESTQ AX, AX
	JNZ parent

store:
	VMOVDQU8 Z5, K7, (R15)
	MOVL $1, SI
	SHLXQ CX, SI, SI
	ADDQ SI, R15
	MOVQ BX, (R12)
	ADDQ $8, R12
	ADDQ $256, R9
	INCQ R10
	DECQ R11
	JNZ vertex

	VMOVDQU8 Z20, filler_counted(R13)
	VMOVDQU8 Z21, filler_codes(R13)
	VZEROUPPER
	RET

// Moves dwords that packing has left in turn from both halves to their places.
DATA order<>+0(SB)/8, $0x0000000400000000
DATA order<>+8(SB)/8, $0x0000000500000001
DATA order<>+16(SB)/8, $0x0000000600000002
DATA order<>+24(SB)/8, $0x0000000700000003
GLOBL order<>(SB), RODATA|NOPTR, $32

// An open bit behind 63 bytes and before 64.
DATA opened<>+56(SB)/8, $0x8000000000000000
GLOBL opened<>(SB), RODATA|NOPTR, $128

// PARENTS sets the bytes of 32 trees in which the vertex has the parent of Y4.
#define PARENTS(trees, y) \
	VPCMPEQD (4*trees)(R9), Y4, y         \
	VPCMPEQD (4*trees+32)(R9), Y4, Y1     \
	VPCMPEQD (4*trees+64)(R9), Y4, Y2     \
	VPCMPEQD (4*trees+96)(R9), Y4, Y3     \
	VPACKSSDW Y1, y, y                    \
	VPACKSSDW Y3, Y2, Y2                  \
	VPACKSSWB Y2, y, y                    \
	VPERMD y, Y12, y

// SET moves the highest bits of the bytes of two registers to a set.
#define SET(low, high, set, r) \
	VPMOVMSKB low, set \
	VPMOVMSKB high, r  \
	SHLQ $32, r        \
	ORQ r, set

// KNOWN leaves the trees in which the code of the row is known, and not the last one, and
// updates the largest codes.
#define KNOWN(row, trees, largest) \
	VPAND Y15, row, row      \
	VPXOR Y1, Y1, Y1         \
	VPCMPEQB Y1, row, Y1     \
	VPANDN trees, Y1, trees  \
	VPCMPEQB Y14, row, Y1    \
	VPANDN trees, Y1, trees  \
	VPADDB Y13, row, row     \
	VPAND trees, row, Y1     \
	VPMAXUB Y1, largest, largest

// ENTER adds entries with the hash of Y4 to a row.
#define ENTER(entries, trees, row) \
	VPOR Y4, entries, entries    \
	VPAND trees, entries, entries \
	VPOR entries, row, row

// INSIDE counts the trees that do not have the byte y set.
#define INSIDE(place, y) \
	VPADDB place, Y13, Y1 \
	VPADDB y, Y1, Y1      \
	VMOVDQU Y1, place

// func fillAVX2(a *fillArgs)
//
//	R8  table                   Y5, Y6   row of the vertex
//	R9  parents of the vertex   Y7, Y8   that of the parent
//	R10 vertex, R11 number left Y9, Y10  largest codes
//	R12 left, R15 rows to set   Y11, Y0  trees with the parent
//	R13 filler                  Y12-Y15  constants
//	AX  trees to do, BX left
TEXT ·fillAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ fillArgs_table(DX), R8
	MOVQ fillArgs_f(DX), R13
	MOVQ fillArgs_first(DX), R10
	MOVQ fillArgs_count(DX), R11
	MOVQ fillArgs_shift(DX), CX
	MOVQ fillArgs_parents(DX), R9
	MOVQ fillArgs_left(DX), R12
	MOVQ fillArgs_to(DX), R15
	VPBROADCASTB (fillArgs_form+entryForm_codeMask)(DX), Y15
	VPBROADCASTB (fillArgs_form+entryForm_lastCode)(DX), Y14
	VPCMPEQD Y13, Y13, Y13
	VPABSB Y13, Y13 // ones
	VMOVDQU order<>(SB), Y12
	VMOVDQU filler_codes(R13), Y9
	VMOVDQU (filler_codes+32)(R13), Y10
	VPXOR Y0, Y0, Y0
	VMOVDQU Y0, filler_counted(R13)
	VMOVDQU Y0, (filler_counted+32)(R13)

vertex:
	VPCMPEQD Y4, Y4, Y4 // None
	PARENTS(0, Y11)
	PARENTS(32, Y0)
	INSIDE(filler_counted(R13), Y11)
	INSIDE((filler_counted+32)(R13), Y0)
	SET(Y11, Y0, AX, SI)
	NOTQ AX
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	XORL BX, BX
	TESTQ AX, AX
	JZ store

parent:
	TZCNTQ AX, SI
	MOVL (R9)(SI*4), SI
	VMOVD SI, X4
	VPBROADCASTD X4, Y4
	PARENTS(0, Y11)
	PARENTS(32, Y0)
	SET(Y11, Y0, DI, R14) // trees with this parent
	ANDNQ AX, DI, AX
	CMPL SI, fillArgs_vertices(DX)
	JAE none
	CMPL SI, R10
	JEQ none
	SHLXQ CX, SI, R14
	ADDQ R8, R14
	CMPQ CX, $4
	JLT load8
	JEQ load16
	VMOVDQU (R14), Y7
	CMPQ CX, $5
	JEQ load32
	VMOVDQU 32(R14), Y8
	JMP loaded
load8:
	VMOVQ (R14), X7
	JMP load32
load16:
	VMOVDQU (R14), X7
load32:
	VPXOR Y8, Y8, Y8
loaded:
	KNOWN(Y7, Y11, Y9)
	KNOWN(Y8, Y0, Y10)
	SHLL $const_hashShift, SI
	ANDB (fillArgs_form+entryForm_hashBits)(DX), SI
	VMOVD SI, X4
	VPBROADCASTB X4, Y4
	ENTER(Y7, Y11, Y5)
	ENTER(Y8, Y0, Y6)
	SET(Y11, Y0, SI, R14)
	ANDNQ DI, SI, DI
	ORQ DI, BX
	TESTQ SI, SI
	JZ next
	CMPB (fillArgs_form+entryForm_open)(DX), $0
	JEQ next
	TZCNTQ SI, SI // the first tree in which it is known
	LEAQ opened<>+63(SB), R14
	SUBQ SI, R14
	VPOR (R14), Y5, Y5
	VPOR 32(R14), Y6, Y6
next:
	TESTQ AX, AX
	JNZ parent
	JMP store

none:
	ORQ DI, BX
	JMP next

store:
	CMPQ CX, $4
	JLT store8
	JEQ store16
	VMOVDQU Y5, (R15)
	CMPQ CX, $5
	JEQ stored
	VMOVDQU Y6, 32(R15)
	JMP stored
store8:
	VMOVQ X5, (R15)
	JMP stored
store16:
	VMOVDQU X5, (R15)
stored:
	MOVL $1, SI
	SHLXQ CX, SI, SI
	ADDQ SI, R15
	MOVQ BX, (R12)
	ADDQ $8, R12
	ADDQ $256, R9
	INCQ R10
	DECQ R11
	JNZ vertex

	VMOVDQU Y9, filler_codes(R13)
	VMOVDQU Y10, (filler_codes+32)(R13)
	VZEROUPPER
	RET

// Entries of children, to be added to the code of the parent, by the low bits of the parent's
// label: open, one level deeper.
#define OF8(at, entry) \
	DATA children<>+(at+0)(SB)/8, $entry  \
	DATA children<>+(at+8)(SB)/8, $entry  \
	DATA children<>+(at+16)(SB)/8, $entry \
	DATA children<>+(at+24)(SB)/8, $entry \
	DATA children<>+(at+32)(SB)/8, $entry \
	DATA children<>+(at+40)(SB)/8, $entry \
	DATA children<>+(at+48)(SB)/8, $entry \
	DATA children<>+(at+56)(SB)/8, $entry

OF8(0, 0x8181818181818181)
OF8(64, 0x9191919191919191)
OF8(128, 0xa1a1a1a1a1a1a1a1)
OF8(192, 0xb1b1b1b1b1b1b1b1)
OF8(256, 0xc1c1c1c1c1c1c1c1)
OF8(320, 0xd1d1d1d1d1d1d1d1)
OF8(384, 0xe1e1e1e1e1e1e1e1)
OF8(448, 0xf1f1f1f1f1f1f1f1)
GLOBL children<>(SB), RODATA|NOPTR, $512

// FETCH prefetches the rows of the tuple prefetchDistance further on.
#define FETCH \
	MOVL (R10), SI             \
	SHLXQ CX, SI, SI           \
	PREFETCHT1 (R8)(SI*1)      \
	MOVL 4(R10), SI            \
	SHLXQ CX, SI, SI           \
	PREFETCHT1 (R8)(SI*1)

// ENDS loads the ends of a tuple to AX and BX and the offsets of their rows to SI and DI.
#define ENDS(outside) \
	MOVL (R9), AX              \
	MOVL 4(R9), BX             \
	CMPL AX, R15               \
	JAE outside                \
	CMPL BX, R15               \
	JAE outside                \
	SHLXQ CX, AX, SI           \
	SHLXQ CX, BX, DI

// CANDIDATE appends a candidate, the ends in R11 and the trees in a register, to the list if it
// is in any tree.
#define CANDIDATE(trees) \
	MOVQ R11, scanner_ends(R12)(R13*8)   \
	MOVQ trees, scanner_trees(R12)(R13*8) \
	CMPQ trees, $1                       \
	SBBQ $-1, R13

// SCAN512 examines all tuples. load loads the length of a row.
#define SCAN512(load, z0, z1, tuple, loop, counted) \
tuple: \
	FETCH                                \
	ENDS(outside512)                     \
	load (R8)(SI*1), z0                  \
	load (R8)(DI*1), z1                  \
	VPANDD Z17, Z0, Z2                   \
	VPANDD Z17, Z1, Z3                   \
	VPSUBB Z3, Z2, Z4                    \
	VPADDB Z18, Z4, Z4                   \
	VPMAXUB Z4, Z29, Z29                 \
	VPMINUB Z18, Z2, Z5                  \
	VPADDB Z5, Z30, Z30                  \
	CMPL AX, BX                          \
	JEQ loop                             \
counted: \
	MOVQ (R9), R11                       \
	ANDL $const_hashMask, BX             \
	SHLL $6, BX                          \
	VPADDB (R14)(BX*1), Z3, Z3           \
	VPCMPEQB Z3, Z0, K1                  \
	ANDL $const_hashMask, AX             \
	SHLL $6, AX                          \
	VPADDB (R14)(AX*1), Z2, Z2           \
	VPCMPEQB Z2, Z1, K2                  \
	KMOVQ K1, SI                         \
	KMOVQ K2, DI                         \
	CANDIDATE(SI)                        \
	ROLQ $32, R11                        \
	CANDIDATE(DI)                        \
	ADDQ $8, R9                          \
	ADDQ $8, R10                         \
	DECQ DX                              \
	JNZ tuple                            \
	JMP done512                          \
loop: \
	VPADDB Z5, Z31, Z31                  \
	JMP counted

// COUNT adds the bytes of y, the numbers of tuples in 32 trees, to those in memory.
#define COUNT512(y, z, place) \
	VPMOVZXBW y, z        \
	VPADDW place, z, z    \
	VMOVDQU16 z, place

// func scanAVX512(a *scanArgs)
//
//	R8  table                R13 number of candidates  Z17, Z18 constants
//	R9  tuple, R10 next      R14 children              Z29      largest difference + 1
//	R12 scanner              R15 number of vertices    Z30      inside
//	DX  number of tuples                               Z31      self loops inside
TEXT ·scanAVX512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ scanArgs_table(DX), R8
	MOVQ scanArgs_tuples(DX), R9
	MOVQ scanArgs_next(DX), R10
	MOVQ scanArgs_shift(DX), CX
	MOVQ scanArgs_s(DX), R12
	MOVL scanArgs_vertices(DX), R15
	MOVQ scanArgs_count(DX), DX
	LEAQ children<>(SB), R14
	MOVQ scanner_found(R12), R13
	MOVL $const_codeMask, AX
	VPBROADCASTB AX, Z17
	MOVL $1, AX
	VPBROADCASTB AX, Z18
	VPXORD Z29, Z29, Z29
	VPXORD Z30, Z30, Z30
	VPXORD Z31, Z31, Z31
	CMPQ CX, $4
	JLT eight
	JEQ sixteen
	CMPQ CX, $5
	JEQ thirtytwo
	SCAN512(VMOVDQU64, Z0, Z1, tuple64, loop64, counted64)

thirtytwo:
	SCAN512(VMOVDQU, Y0, Y1, tuple32, loop32, counted32)

sixteen:
	SCAN512(VMOVDQU, X0, X1, tuple16, loop16, counted16)

eight:
	SCAN512(VMOVQ, X0, X1, tuple8, loop8, counted8)

done512:
	COUNT512(Y30, Z0, scanner_inside(R12))
	VEXTRACTI64X4 $1, Z30, Y30
	COUNT512(Y30, Z0, (scanner_inside+64)(R12))
	COUNT512(Y31, Z0, scanner_loops(R12))
	VEXTRACTI64X4 $1, Z31, Y31
	COUNT512(Y31, Z0, (scanner_loops+64)(R12))
	MOVL $2, AX
	VPBROADCASTB AX, Z0
	VPCMPUB $6, Z0, Z29, K1
	KMOVQ K1, scanner_apart(R12)
	VZEROUPPER
	MOVQ a+0(FP), DX
	MOVL $0, scanArgs_outside(DX)
	MOVQ R13, scanner_found(R12)
	RET

outside512:
	VZEROUPPER
	MOVQ a+0(FP), DX
	MOVL $1, scanArgs_outside(DX)
	RET

// LEVELS examines a tuple with the rows u and v in up to 32 trees. It returns the sets of trees
// in which U can be a child of V, and V of U.
#define LEVELS(u, v, most, inside, offset, ofU, ofV) \
	VPAND Y8, u, Y2                      \
	VPAND Y8, v, Y3                      \
	VPSUBB Y3, Y2, Y4                    \
	VPADDB Y9, Y4, Y4                    \
	VPMAXUB Y4, most, most               \
	VPMINUB Y9, Y2, Y4                   \
	VPADDB Y4, inside, inside            \
	VPADDB offset(R14)(BX*1), Y3, Y3     \
	VPCMPEQB Y3, u, Y3                   \
	VPADDB offset(R14)(AX*1), Y2, Y2     \
	VPCMPEQB Y2, v, Y2                   \
	VPMOVMSKB Y3, ofU                    \
	VPMOVMSKB Y2, ofV

// SCAN2 examines all tuples, for rows of up to 32 bytes.
#define SCAN2(load, r0, r1, tuple, loop, counted) \
tuple: \
	FETCH                                \
	ENDS(outside2)                       \
	load (R8)(SI*1), r0                  \
	load (R8)(DI*1), r1                  \
	CMPL AX, BX                          \
	JEQ loop                             \
counted: \
	CHILDREN                             \
	LEVELS(Y0, Y1, Y10, Y11, 0, SI, DI)  \
	APPEND(tuple)                        \
	JMP done2                            \
loop: \
	SELFLOOP(Y0, Y12)                    \
	JMP counted

// CHILDREN turns the ends to the offsets of the entries of their children.
#define CHILDREN \
	ANDL $const_hashMask, AX             \
	ANDL $const_hashMask, BX             \
	SHLL $6, AX                          \
	SHLL $6, BX

// APPEND appends the candidates of a tuple, and goes on with the next one.
#define APPEND(tuple) \
	MOVQ (R9), R11                       \
	CANDIDATE(SI)                        \
	ROLQ $32, R11                        \
	CANDIDATE(DI)                        \
	ADDQ $8, R9                          \
	ADDQ $8, R10                         \
	DECQ DX                              \
	JNZ tuple

#define SELFLOOP(row, loops) \
	VPAND Y8, row, Y2                    \
	VPMINUB Y9, Y2, Y2                   \
	VPADDB Y2, loops, loops

// COUNT2 is COUNT512.
#define COUNT2(x, y, place) \
	VPMOVZXBW x, Y0                      \
	VPADDW place, Y0, Y0                 \
	VMOVDQU Y0, place                    \
	VEXTRACTI128 $1, y, x                \
	VPMOVZXBW x, Y0                      \
	VPADDW 32+place, Y0, Y0            \
	VMOVDQU Y0, 32+place

// func scanAVX2(a *scanArgs)
//
// Registers as in scanAVX512, but:
//
//	Y8, Y9   constants                  Y11, Y14 inside
//	Y10, Y13 largest difference + 1     Y12, Y15 self loops inside
TEXT ·scanAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ scanArgs_table(DX), R8
	MOVQ scanArgs_tuples(DX), R9
	MOVQ scanArgs_next(DX), R10
	MOVQ scanArgs_shift(DX), CX
	MOVQ scanArgs_s(DX), R12
	MOVL scanArgs_vertices(DX), R15
	MOVQ scanArgs_count(DX), DX
	LEAQ children<>(SB), R14
	MOVQ scanner_found(R12), R13
	MOVL $const_codeMask, AX
	VMOVD AX, X8
	VPBROADCASTB X8, Y8
	VPCMPEQD Y9, Y9, Y9
	VPABSB Y9, Y9 // ones
	VPXOR Y10, Y10, Y10
	VPXOR Y11, Y11, Y11
	VPXOR Y12, Y12, Y12
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15
	CMPQ CX, $4
	JLT eight
	JEQ sixteen
	CMPQ CX, $5
	JEQ thirtytwo

tuple64:
	FETCH
	ENDS(outside2)
	VMOVDQU (R8)(SI*1), Y0
	VMOVDQU (R8)(DI*1), Y1
	VMOVDQU 32(R8)(SI*1), Y5
	VMOVDQU 32(R8)(DI*1), Y6
	CMPL AX, BX
	JEQ loop64
counted64:
	CHILDREN
	LEVELS(Y0, Y1, Y10, Y11, 0, SI, DI)
	LEVELS(Y5, Y6, Y13, Y14, 32, BX, AX)
	SHLQ $32, BX
	SHLQ $32, AX
	ORQ BX, SI
	ORQ AX, DI
	APPEND(tuple64)
	JMP done2
loop64:
	SELFLOOP(Y0, Y12)
	SELFLOOP(Y5, Y15)
	JMP counted64

thirtytwo:
	SCAN2(VMOVDQU, Y0, Y1, tuple32, loop32, counted32)

sixteen:
	SCAN2(VMOVDQU, X0, X1, tuple16, loop16, counted16)

eight:
	SCAN2(VMOVQ, X0, X1, tuple8, loop8, counted8)

done2:
	COUNT2(X11, Y11, scanner_inside(R12))
	COUNT2(X14, Y14, (scanner_inside+64)(R12))
	COUNT2(X12, Y12, scanner_loops(R12))
	COUNT2(X15, Y15, (scanner_loops+64)(R12))
	VPADDB Y9, Y9, Y0
	VPADDB Y9, Y0, Y0 // 3
	VPMAXUB Y10, Y0, Y1
	VPMAXUB Y13, Y0, Y2
	VPCMPEQB Y10, Y1, Y1
	VPCMPEQB Y13, Y2, Y2
	SET(Y1, Y2, AX, BX)
	MOVQ AX, scanner_apart(R12)
	VZEROUPPER
	MOVQ a+0(FP), DX
	MOVL $0, scanArgs_outside(DX)
	MOVQ R13, scanner_found(R12)
	RET

outside2:
	VZEROUPPER
	MOVQ a+0(FP), DX
	MOVL $1, scanArgs_outside(DX)
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

// relaxAVX512: each 32-bit lane holds one tree.

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

// func relaxAVX512(a *relaxArgs)
TEXT ·relaxAVX512(SB), NOSPLIT, $0-8
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
	MOVQ AX, relaxer_shorter(R11)
	VZEROUPPER
	RET

unusual:
	MOVL $1, relaxArgs_unusual(DX)
	VZEROUPPER
	RET

// RELAX2 is RELAX with AVX2: bytes of a mask instead of bits.
#define RELAX2(number, loop, fits, done) \
	MOVL (8*number)(R9), AX             \
	MOVL (8*number+4)(R9), BX           \
	VBROADCASTSS (4*number)(R12), Y2    \
	VPBROADCASTD (8*number)(R9), Y7     \
	VPBROADCASTD (8*number+4)(R9), Y8   \
	SHLQ $6, AX                         \
	SHLQ $6, BX                         \
	VMOVUPS (R8)(AX*1), Y3              \
	VMOVUPS (R8)(BX*1), Y4              \
	VADDPS Y2, Y3, Y5                   \
	VADDPS Y2, Y4, Y6                   \
	VCMPPS $1, Y4, Y5, Y0               \
	VCMPPS $1, Y3, Y6, Y1               \
	VPOR Y0, Y15, Y15                   \
	VPOR Y1, Y15, Y15                   \
	VPCMPEQD Y12, Y3, Y0                \
	VPSUBD Y0, Y13, Y13                 \
	CMPQ AX, BX                         \
	JEQ loop                            \
	VPCMPEQD Y5, Y4, Y5                 \
	VPCMPEQD Y6, Y3, Y6                 \
	VPOR Y5, Y6, Y1                     \
	VPTEST Y1, Y1                       \
	JNZ fits                            \
	JMP done                            \
loop: \
	VPSUBD Y11, Y14, Y14                \
	VPADDD Y0, Y14, Y14                 \
	JMP done                            \
fits: \
	VPCMPEQD 32(R8)(BX*1), Y7, Y0       \
	VPAND Y0, Y5, Y5                    \
	VPCMPEQD 32(R8)(AX*1), Y8, Y1       \
	VPAND Y1, Y6, Y6                    \
	VPOR Y5, Y6, Y0                     \
	VPTEST Y0, Y0                       \
	JZ done                             \
	VPMASKMOVD Y11, Y5, 32(R8)(BX*1)    \
	VPMASKMOVD Y11, Y6, 32(R8)(AX*1)    \
done:

// func relaxAVX2(a *relaxArgs)
//
//	R8 rows, R9 tuples, R10 next   Y9  largest weight, Y10 number of vertices
//	R12 weights                    Y11 None, Y12 infinite
//	CX number of tuples            Y13 outside, Y14 self loops inside, Y15 shorter
TEXT ·relaxAVX2(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), DX
	MOVQ relaxArgs_rows(DX), R8
	MOVQ relaxArgs_tuples(DX), R9
	MOVQ relaxArgs_next(DX), R10
	MOVQ relaxArgs_weights(DX), R12
	MOVQ relaxArgs_count(DX), CX
	MOVQ relaxArgs_r(DX), R11
	VPBROADCASTD relaxArgs_vertices(DX), Y10
	MOVL $const_maxSummand, AX
	VMOVD AX, X9
	VPBROADCASTD X9, Y9
	MOVL $const_infinite, AX
	VMOVD AX, X12
	VPBROADCASTD X12, Y12
	VPCMPEQD Y11, Y11, Y11
	VPXOR Y13, Y13, Y13
	VPXOR Y14, Y14, Y14
	VPXOR Y15, Y15, Y15

eight:
	VMOVDQU (R9), Y0
	VMOVDQU 32(R9), Y1
	VPMAXUD Y10, Y0, Y2
	VPMAXUD Y10, Y1, Y3
	VPCMPEQD Y2, Y0, Y2 // ends of at least the number of vertices
	VPCMPEQD Y3, Y1, Y3
	VPOR Y2, Y3, Y2
	VMOVDQU (R12), Y1
	VPMAXUD Y9, Y1, Y3
	VPCMPEQD Y9, Y3, Y3
	VPXOR Y11, Y3, Y3 // weights that are too large
	VPOR Y2, Y3, Y2
	VPTEST Y2, Y2
	JNZ unusual
	FETCHROWS(0)
	FETCHROWS(8)
	FETCHROWS(16)
	FETCHROWS(24)
	FETCHROWS(32)
	FETCHROWS(40)
	FETCHROWS(48)
	FETCHROWS(56)
	RELAX2(0, loop0, fits0, done0)
	RELAX2(1, loop1, fits1, done1)
	RELAX2(2, loop2, fits2, done2)
	RELAX2(3, loop3, fits3, done3)
	RELAX2(4, loop4, fits4, done4)
	RELAX2(5, loop5, fits5, done5)
	RELAX2(6, loop6, fits6, done6)
	RELAX2(7, loop7, fits7, done7)
	ADDQ $64, R9
	ADDQ $64, R10
	ADDQ $32, R12
	SUBQ $8, CX
	JNZ eight

	MOVL $0, relaxArgs_unusual(DX)
	VMOVDQU Y13, relaxer_outside(R11)
	VMOVDQU Y14, relaxer_loops(R11)
	VMOVMSKPS Y15, AX
	MOVQ AX, relaxer_shorter(R11)
	VZEROUPPER
	RET

unusual:
	MOVL $1, relaxArgs_unusual(DX)
	VZEROUPPER
	RET
