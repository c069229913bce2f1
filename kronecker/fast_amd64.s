//go:build amd64 && !noasm

#include "go_asm.h"
#include "textflag.h"

// Each 64-bit lane generates one tuple. Two registers hold 16 tuples; their
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
