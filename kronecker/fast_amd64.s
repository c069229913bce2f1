//go:build amd64 && !noasm

#include "go_asm.h"
#include "textflag.h"

// Each 64-bit lane generates one tuple. With AVX-512, two registers hold 16 tuples; their
// instructions alternate to hide latencies. The draws of the 16 tuples are stored
// in a buffer with one row of 128 bytes per draw. The draw five rows back is thus a
// memory operand, and no state moves through registers.
//
// Stored draws are folded once, below 2^31 + 2^27. Only the copy that selects a
// quadrant is reduced to the canonical value, which shortens the dependency chain
// from draw to draw.

DATA lanes<>+0(SB)/8, $const_near
DATA lanes<>+8(SB)/8, $const_far
DATA lanes<>+16(SB)/8, $const_modulus
DATA lanes<>+24(SB)/8, $const_sumBias
// 2^45/10000 rounded up. The low 45 bits of its product with a draw are the
// fractional part of draw/10000, as in quadrants.of. They are shifted to the top of
// the lane and compared with the limits times the same number.
DATA lanes<>+32(SB)/8, $3518437209
DATA lanes<>+40(SB)/8, $(const_limitB*3518437209<<19)
DATA lanes<>+48(SB)/8, $(const_limitC*3518437209<<19)
DATA lanes<>+56(SB)/8, $(const_limitA*3518437209<<19)
DATA lanes<>+64(SB)/8, $0x100000000        // quadrant B: a bit of v
DATA lanes<>+72(SB)/8, $0x000000001        // quadrant C: a bit of u
DATA lanes<>+80(SB)/8, $0x100000001        // quadrant D: both
DATA lanes<>+88(SB)/8, $const_rejected
GLOBL lanes<>(SB), RODATA|NOPTR, $96

// Tables that reverse the bits of a 32-bit word: reversed low nibbles go to the
// upper half of the byte, reversed high nibbles to the lower half, and the bytes
// are swapped.
DATA nibbles<>+0(SB)/8, $0xe060a020c0408000
DATA nibbles<>+8(SB)/8, $0xf070b030d0509010
DATA nibbles<>+16(SB)/8, $0x0e060a020c040800
DATA nibbles<>+24(SB)/8, $0x0f070b030d050901
DATA nibbles<>+32(SB)/8, $0x0405060700010203
DATA nibbles<>+40(SB)/8, $0x0c0d0e0f08090a0b
DATA nibbles<>+48(SB)/4, $0x0f0f0f0f
DATA nibbles<>+52(SB)/4, $0x80000000
GLOBL nibbles<>(SB), RODATA|NOPTR, $56

// FOLD reduces Z9 to less than 2^31 + Z9/2^31.
#define FOLD \
	VPSRLQ $31, Z9, Z10 \
	VPANDQ Z23, Z9, Z9 \
	VPADDQ Z10, Z9, Z9

// COMBINE computes one draw of eight tuples after the jump.
#define COMBINE(s0, s1, s2, s3, s4, row) \
	VPMULDQ s0, Z16, Z9 \
	VPMULDQ s1, Z17, Z10 \
	VPMULDQ s2, Z18, Z11 \
	VPMULDQ s3, Z19, Z12 \
	VPMULDQ s4, Z20, Z13 \
	VPADDQ Z24, Z9, Z9 \
	VPADDQ Z11, Z10, Z10 \
	VPADDQ Z13, Z12, Z12 \
	VPADDQ Z10, Z9, Z9 \
	VPADDQ Z12, Z9, Z9 \
	FOLD \
	FOLD \
	VMOVDQA64 Z9, row

// JUMP computes the first five draws of eight tuples, see streams.jumped.
#define JUMP(half) \
	VPMOVSXDQ half/2+0*4*const_blockLen(SI), Z0 \
	VPMOVSXDQ half/2+1*4*const_blockLen(SI), Z1 \
	VPMOVSXDQ half/2+2*4*const_blockLen(SI), Z2 \
	VPMOVSXDQ half/2+3*4*const_blockLen(SI), Z3 \
	VPMOVSXDQ half/2+4*4*const_blockLen(SI), Z4 \
	VPMOVSXDQ half/2+5*4*const_blockLen(SI), Z5 \
	VPMOVSXDQ half/2+6*4*const_blockLen(SI), Z6 \
	VPMOVSXDQ half/2+7*4*const_blockLen(SI), Z7 \
	VPMOVSXDQ half/2+8*4*const_blockLen(SI), Z8 \
	COMBINE(Z0, Z1, Z2, Z3, Z4, half+0*128(R8)) \
	COMBINE(Z1, Z2, Z3, Z4, Z5, half+1*128(R8)) \
	COMBINE(Z2, Z3, Z4, Z5, Z6, half+2*128(R8)) \
	COMBINE(Z3, Z4, Z5, Z6, Z7, half+3*128(R8)) \
	COMBINE(Z4, Z5, Z6, Z7, Z8, half+4*128(R8))

// DRAW computes draw row+5 of eight tuples from x, which is draw row+4, and from
// draw row.
#define DRAW(half, x, t) \
	VPMULUDQ x, Z21, x \
	VPMULUDQ half(DI), Z22, t \
	VPADDQ t, x, x \
	VPSRLQ $31, x, t \
	VPANDQ Z23, x, x \
	VPADDQ t, x, x \
	VMOVDQA64 x, half+5*128(DI)

// CHOOSE appends the quadrant of draw row to the packed ends of eight tuples and
// updates the smallest draw.
#define CHOOSE(half, ends, least, t, f, ka, kb, kc) \
	VMOVDQA64 half(DI), f \
	VPSUBQ Z23, f, t \
	VPMINUD t, f, f \
	VPMINUD f, least, least \
	VPMULUDQ f, Z25, f \
	VPSLLQ $19, f, f \
	VPCMPUQ $1, Z26, f, kb \
	VPCMPUQ $1, Z27, f, kc \
	VPCMPUQ $5, Z28, f, ka \
	VMOVDQA64.Z Z30, kc, t \
	VMOVDQA64 Z29, kb, t \
	VMOVDQA64 Z31, ka, t \
	VPADDQ ends, ends, ends \
	VPADDQ t, ends, ends

// REVERSE reverses the low scale bits of 16 32-bit words.
#define REVERSE(x, t) \
	VPSRLD $4, x, t \
	VPANDD Z9, x, x \
	VPANDD Z9, t, t \
	VPSHUFB x, Z10, x \
	VPSHUFB t, Z11, t \
	VPORD t, x, x \
	VPSHUFB Z12, x, x \
	VPSRLD X15, x, x

// PLACE converts the packed ends of eight tuples to tuples, see scrambler.edge. The
// bit of the first level at which the ends differ is computed in both halves of the
// lane. The ends are below the diagonal if exchanging the halves gives the larger
// number.
#define PLACE(ends, t, u, out) \
	VPRORQ $32, ends, t \
	VPXORQ t, ends, u \
	VPLZCNTD u, u \
	VPSRLVD u, Z13, u \
	VPCMPUQ $1, t, ends, K1 \
	VPXORQ u, ends, K1, ends \
	VPADDD.BCST scrambler_shift(DX), ends, ends \
	VPMULLD.BCST scrambler_k0(DX), ends, ends \
	REVERSE(ends, t) \
	VPMULLD.BCST scrambler_k1(DX), ends, ends \
	REVERSE(ends, t) \
	VMOVDQU64 ends, out

// func fastAVX512(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)
//
// Registers:
//	SI  streams of the next sixteen tuples    Z0, Z1    last draw
//	R8  buffer of draws, DI its current row   Z2, Z3    packed ends
//	R9  scale                                 Z4, Z5    least draw
//	R10 edges, R11 draws, R12 redo            Z16-Z20   jump
//	R13 tuples left, CX levels left           Z21-Z31   constants
//	DX  scrambler                             the rest  scratch
TEXT ·fastAVX512(SB), 0, $4928-56
	MOVQ s+0(FP), SI
	MOVQ c+8(FP), AX
	MOVQ scale+16(FP), R9
	MOVQ scr+24(FP), DX
	MOVQ edges+32(FP), R10
	MOVQ draws+40(FP), R11
	MOVQ redo+48(FP), R12
	LEAQ buffer-4928(SP), R8
	ADDQ $63, R8
	ANDQ $~63, R8
	VPBROADCASTQ 0(AX), Z16
	VPBROADCASTQ 8(AX), Z17
	VPBROADCASTQ 16(AX), Z18
	VPBROADCASTQ 24(AX), Z19
	VPBROADCASTQ 32(AX), Z20
	VPBROADCASTQ lanes<>+0(SB), Z21
	VPBROADCASTQ lanes<>+8(SB), Z22
	VPBROADCASTQ lanes<>+16(SB), Z23
	VPBROADCASTQ lanes<>+24(SB), Z24
	VPBROADCASTQ lanes<>+32(SB), Z25
	VPBROADCASTQ lanes<>+40(SB), Z26
	VPBROADCASTQ lanes<>+48(SB), Z27
	VPBROADCASTQ lanes<>+56(SB), Z28
	VPBROADCASTQ lanes<>+64(SB), Z29
	VPBROADCASTQ lanes<>+72(SB), Z30
	VPBROADCASTQ lanes<>+80(SB), Z31
	VMOVD scrambler_drop(DX), X15
	MOVQ $const_blockLen, R13

tuples:
	JUMP(0)
	JUMP(64)
	VMOVDQA64 4*128+0(R8), Z0
	VMOVDQA64 4*128+64(R8), Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VMOVDQA64 Z23, Z4
	VMOVDQA64 Z23, Z5
	MOVQ R8, DI
	LEAQ -4(R9), CX // levels that compute a new draw
	CMPQ CX, $0
	JLE last

level:
	DRAW(0, Z0, Z6)
	DRAW(64, Z1, Z7)
	CHOOSE(0, Z2, Z4, Z8, Z9, K1, K2, K3)
	CHOOSE(64, Z3, Z5, Z10, Z11, K4, K5, K6)
	ADDQ $128, DI
	DECQ CX
	JNZ level
	MOVQ $4, CX
	JMP lastLevel

last:
	MOVQ R9, CX

lastLevel:
	CHOOSE(0, Z2, Z4, Z8, Z9, K1, K2, K3)
	CHOOSE(64, Z3, Z5, Z10, Z11, K4, K5, K6)
	ADDQ $128, DI
	DECQ CX
	JNZ lastLevel

	VPCMPUQ.BCST $1, lanes<>+88(SB), Z4, K1
	VPCMPUQ.BCST $1, lanes<>+88(SB), Z5, K2
	KMOVW K1, AX
	KMOVW K2, BX
	MOVB AX, 0(R12)
	MOVB BX, 1(R12)

	TESTQ R11, R11
	JZ place
	VMOVDQA64 0(DI), Z6 // the draw after the last level
	VMOVDQA64 64(DI), Z7
	VPSUBQ Z23, Z6, Z8
	VPSUBQ Z23, Z7, Z9
	VPMINUD Z8, Z6, Z6
	VPMINUD Z9, Z7, Z7
	VPMOVQD Z6, 0(R11)
	VPMOVQD Z7, 32(R11)
	ADDQ $64, R11

place:
	VPBROADCASTD nibbles<>+48(SB), Z9
	VBROADCASTI32X4 nibbles<>+0(SB), Z10
	VBROADCASTI32X4 nibbles<>+16(SB), Z11
	VBROADCASTI32X4 nibbles<>+32(SB), Z12
	VPBROADCASTD nibbles<>+52(SB), Z13
	PLACE(Z2, Z6, Z7, 0(R10))
	PLACE(Z3, Z8, Z14, 64(R10))

	ADDQ $64, SI
	ADDQ $128, R10
	ADDQ $2, R12
	SUBQ $16, R13
	JNZ tuples
	VZEROUPPER
	RET

// The form for AVX2 holds eight tuples in two registers; a row of the buffer has 64 bytes. All
// products of a draw with 2^45/10000 are moved to one bit below the top of the lane, because AVX2
// compares signed numbers.

#define FOUR(at, value) \
	DATA four<>+(at+0)(SB)/8, value  \
	DATA four<>+(at+8)(SB)/8, value  \
	DATA four<>+(at+16)(SB)/8, value \
	DATA four<>+(at+24)(SB)/8, value

FOUR(0, $const_near)
FOUR(32, $const_far)
FOUR(64, $const_modulus)
FOUR(96, $const_sumBias)
FOUR(128, $3518437209)
FOUR(160, $((const_limitB*3518437209<<18)-1))
FOUR(192, $((const_limitC*3518437209<<18)-1))
FOUR(224, $((const_limitA*3518437209<<18)-1))
FOUR(256, $0x100000000)        // quadrant B: a bit of v
FOUR(288, $0xffffffff00000001) // C less B
FOUR(320, $0x100000001)        // D
FOUR(352, $const_rejected)
FOUR(384, $0x0f0f0f0f0f0f0f0f)
GLOBL four<>(SB), RODATA|NOPTR, $416

// FOLD2 is FOLD of Y9.
#define FOLD2 \
	VPSRLQ $31, Y9, Y10          \
	VPAND four<>+64(SB), Y9, Y9  \
	VPADDQ Y10, Y9, Y9

// COMBINE2 is COMBINE of four tuples; AX points to the jump, four times each.
#define COMBINE2(s0, s1, s2, s3, s4, row) \
	VPMULDQ 0(AX), s0, Y9            \
	VPMULDQ 32(AX), s1, Y10          \
	VPMULDQ 64(AX), s2, Y11          \
	VPMULDQ 96(AX), s3, Y12          \
	VPMULDQ 128(AX), s4, Y13         \
	VPADDQ four<>+96(SB), Y9, Y9     \
	VPADDQ Y11, Y10, Y10             \
	VPADDQ Y13, Y12, Y12             \
	VPADDQ Y10, Y9, Y9               \
	VPADDQ Y12, Y9, Y9               \
	FOLD2                            \
	FOLD2                            \
	VMOVDQA Y9, row

// JUMP2 is JUMP of four tuples.
#define JUMP2(half) \
	VPMOVSXDQ half/2+0*4*const_blockLen(SI), Y0 \
	VPMOVSXDQ half/2+1*4*const_blockLen(SI), Y1 \
	VPMOVSXDQ half/2+2*4*const_blockLen(SI), Y2 \
	VPMOVSXDQ half/2+3*4*const_blockLen(SI), Y3 \
	VPMOVSXDQ half/2+4*4*const_blockLen(SI), Y4 \
	VPMOVSXDQ half/2+5*4*const_blockLen(SI), Y5 \
	VPMOVSXDQ half/2+6*4*const_blockLen(SI), Y6 \
	VPMOVSXDQ half/2+7*4*const_blockLen(SI), Y7 \
	VPMOVSXDQ half/2+8*4*const_blockLen(SI), Y8 \
	COMBINE2(Y0, Y1, Y2, Y3, Y4, half+0*64(R8)) \
	COMBINE2(Y1, Y2, Y3, Y4, Y5, half+1*64(R8)) \
	COMBINE2(Y2, Y3, Y4, Y5, Y6, half+2*64(R8)) \
	COMBINE2(Y3, Y4, Y5, Y6, Y7, half+3*64(R8)) \
	COMBINE2(Y4, Y5, Y6, Y7, Y8, half+4*64(R8))

// DRAW2 is DRAW of four tuples.
#define DRAW2(half, x, t) \
	VPMULUDQ Y10, x, x       \
	VPMULUDQ half(DI), Y11, t \
	VPADDQ t, x, x           \
	VPSRLQ $31, x, t         \
	VPAND Y12, x, x          \
	VPADDQ t, x, x           \
	VMOVDQA x, half+5*64(DI)

// CHOOSE2 is CHOOSE of four tuples. ends gets the quadrant less B, see fastAVX2.
#define CHOOSE2(half, ends, least, t, f) \
	VMOVDQA half(DI), f              \
	VPSUBQ Y12, f, t                 \
	VPMINUD t, f, f                  \
	VPMINUD f, least, least          \
	VPMULUDQ f, Y13, f               \
	VPADDQ ends, ends, ends          \
	VPSLLQ $19, f, f                 \
	VPSRLQ $1, f, f                  \
	VPCMPGTQ four<>+192(SB), f, t    \
	VPADDQ t, ends, ends             \
	VPCMPGTQ four<>+160(SB), f, t    \
	VPAND four<>+288(SB), t, t       \
	VPADDQ t, ends, ends             \
	VPCMPGTQ four<>+224(SB), f, t    \
	VPAND four<>+320(SB), t, t       \
	VPADDQ t, ends, ends

// REVERSE2 is REVERSE of eight words.
#define REVERSE2(x, t) \
	VPSRLD $4, x, t                  \
	VPAND four<>+384(SB), x, x       \
	VPAND four<>+384(SB), t, t       \
	VPSHUFB x, Y8, x                 \
	VPSHUFB t, Y9, t                 \
	VPOR t, x, x                     \
	VPSHUFB Y14, x, x                \
	VPSRLD X15, x, x

// SMEAR2 copies the bits of a word to the places below.
#define SMEAR2(bits, x, t) \
	VPSRLD bits, x, t \
	VPOR t, x, x

// PLACE2 is PLACE of four tuples. The highest bit at which the ends differ is what smearing all of
// them adds to smearing half as far.
#define PLACE2(ends, t, u, out) \
	VPSUBQ four<>+256(SB), ends, ends \
	VPSHUFD $0xb1, ends, t           \
	VPXOR t, ends, u                 \
	VPMAXUD t, ends, t               \
	VPCMPEQD ends, t, t              \
	VPSHUFD $0xa0, t, t              \
	VPAND t, u, u                    \
	SMEAR2($1, u, t)                 \
	SMEAR2($2, u, t)                 \
	SMEAR2($4, u, t)                 \
	SMEAR2($8, u, t)                 \
	SMEAR2($16, u, t)                \
	VPSRLD $1, u, t                  \
	VPXOR t, u, u                    \
	VPXOR u, ends, ends              \
	VPBROADCASTD scrambler_shift(DX), t \
	VPADDD t, ends, ends             \
	VPBROADCASTD scrambler_k0(DX), t \
	VPMULLD t, ends, ends            \
	REVERSE2(ends, t)                \
	VPBROADCASTD scrambler_k1(DX), t \
	VPMULLD t, ends, ends            \
	REVERSE2(ends, t)                \
	VMOVDQU ends, out

// DRAWN2 stores the last draws of four tuples.
#define DRAWN2(half, t, f, x, out) \
	VMOVDQA half(DI), f      \
	VPSUBQ Y12, f, t         \
	VPMINUD t, f, f          \
	VPSHUFD $0x08, f, f      \
	VPERMQ $0x08, f, f       \
	VMOVDQU x, out

// SPREAD2 stores a coefficient of the jump four times.
#define SPREAD2(k) \
	VPBROADCASTQ (8*k)(BX), Y0 \
	VMOVDQA Y0, (32*k)(AX)

// func fastAVX2(s *streams, c *centredJump, scale int, scr *scrambler, edges *[blockLen]engine.Edge, draws *[blockLen]uint32, redo *[blockLen / 64]uint64)
//
// Registers:
//	SI  streams of the next eight tuples      Y0, Y1    last draw
//	R8  buffer of draws, DI its current row   Y2, Y3    packed ends, less B at each level
//	R9  scale                                 Y4, Y5    least draw
//	R10 edges, R11 draws, R12 redo            Y10-Y14   constants
//	R13 tuples left, CX levels left           Y15       drop
//	DX  scrambler, AX jump                    the rest  scratch
//
// Where no level adds B, the ends start with B and end with B more than with it: they double at
// each level, and the sum of B, 2B, 4B, ... is B less than the next power.
TEXT ·fastAVX2(SB), 0, $2688-56
	MOVQ s+0(FP), SI
	MOVQ c+8(FP), BX
	MOVQ scale+16(FP), R9
	MOVQ scr+24(FP), DX
	MOVQ edges+32(FP), R10
	MOVQ draws+40(FP), R11
	MOVQ redo+48(FP), R12
	LEAQ buffer-2688(SP), AX
	ADDQ $63, AX
	ANDQ $~63, AX
	SPREAD2(0)
	SPREAD2(1)
	SPREAD2(2)
	SPREAD2(3)
	SPREAD2(4)
	LEAQ 192(AX), R8
	VMOVD scrambler_drop(DX), X15
	MOVQ $const_blockLen, R13

tuples:
	JUMP2(0)
	JUMP2(32)
	VMOVDQU four<>+0(SB), Y10
	VMOVDQU four<>+32(SB), Y11
	VMOVDQU four<>+64(SB), Y12
	VMOVDQU four<>+128(SB), Y13
	VMOVDQA 4*64+0(R8), Y0
	VMOVDQA 4*64+32(R8), Y1
	VMOVDQU four<>+256(SB), Y2
	VMOVDQA Y2, Y3
	VMOVDQA Y12, Y4
	VMOVDQA Y12, Y5
	MOVQ R8, DI
	LEAQ -4(R9), CX // levels that compute a new draw
	CMPQ CX, $0
	JLE last

level:
	DRAW2(0, Y0, Y6)
	DRAW2(32, Y1, Y7)
	CHOOSE2(0, Y2, Y4, Y6, Y8)
	CHOOSE2(32, Y3, Y5, Y7, Y9)
	ADDQ $64, DI
	DECQ CX
	JNZ level
	MOVQ $4, CX
	JMP lastLevel

last:
	MOVQ R9, CX

lastLevel:
	CHOOSE2(0, Y2, Y4, Y6, Y8)
	CHOOSE2(32, Y3, Y5, Y7, Y9)
	ADDQ $64, DI
	DECQ CX
	JNZ lastLevel

	VMOVDQU four<>+352(SB), Y6
	VPCMPGTQ Y4, Y6, Y7
	VPCMPGTQ Y5, Y6, Y8
	VMOVMSKPD Y7, CX
	VMOVMSKPD Y8, BX
	SHLQ $4, BX
	ORQ CX, BX
	MOVB BX, (R12)

	TESTQ R11, R11
	JZ place
	DRAWN2(0, Y6, Y7, X7, 0(R11)) // the draw after the last level
	DRAWN2(32, Y6, Y7, X7, 16(R11))
	ADDQ $32, R11

place:
	VBROADCASTI128 nibbles<>+0(SB), Y8
	VBROADCASTI128 nibbles<>+16(SB), Y9
	VBROADCASTI128 nibbles<>+32(SB), Y14
	PLACE2(Y2, Y6, Y7, 0(R10))
	PLACE2(Y3, Y6, Y7, 32(R10))

	ADDQ $32, SI
	ADDQ $64, R10
	INCQ R12
	SUBQ $8, R13
	JNZ tuples
	VZEROUPPER
	RET
