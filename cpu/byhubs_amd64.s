//go:build !noasm

#include "textflag.h"
#include "go_asm.h"

// Lane numbers 0 to 15.
DATA lane<>+0(SB)/8, $0x0000000100000000
DATA lane<>+8(SB)/8, $0x0000000300000002
DATA lane<>+16(SB)/8, $0x0000000500000004
DATA lane<>+24(SB)/8, $0x0000000700000006
DATA lane<>+32(SB)/8, $0x0000000900000008
DATA lane<>+40(SB)/8, $0x0000000b0000000a
DATA lane<>+48(SB)/8, $0x0000000d0000000c
DATA lane<>+56(SB)/8, $0x0000000f0000000e
GLOBL lane<>(SB), RODATA|NOPTR, $64

// FAILING begins a step over runs.
//   SI runs  CX runs left  DI before  BX list  R8 first row  R9 length of the list
//   R13 number of the first run of a step  R11 first row of a run  R12 its length
#define FAILING \
	MOVQ a+0(FP), AX            \
	MOVQ runArgs_runs(AX), SI   \
	MOVQ runArgs_count(AX), CX  \
	MOVQ runArgs_before(AX), DI \
	MOVQ runArgs_list(AX), BX   \
	MOVL runArgs_first(AX), R8  \
	MOVQ runArgs_n(AX), R9

// func failing256(a *runArgs)
TEXT ·failing256(SB), NOSPLIT, $0-8
	FAILING
	VMOVDQU lane<>(SB), Y7
	MOVL    $0xffff, R13
	VMOVD   R13, X6
	VPBROADCASTD X6, Y6
	MOVL    $0xff, R13
	VMOVD   R13, X5
	VPBROADCASTD X5, Y5
	VPXOR   Y4, Y4, Y4
	XORL    R13, R13

eight:
	VPAND      (SI), Y6, Y0
	VPCMPEQD   Y1, Y1, Y1
	VPGATHERDD Y1, (DI)(Y0*1), Y2
	VPAND      Y2, Y5, Y2
	VPCMPEQD   Y2, Y4, Y2
	VMOVMSKPS  Y2, DX
	TESTL      DX, DX
	JZ         next8

run8:
	TZCNTL  DX, R14
	BLSRL   DX, DX
	MOVWLZX 2(SI)(R14*4), R12
	INCL    R12
	MOVL    runArgs_row(AX), R11
	SUBL    R8, R11
	ADDL    R13, R14
	JZ      first8
	SUBL    R13, R14
	MOVWLZX -2(SI)(R14*4), R11
	INCL    R11

first8:
	SUBL R11, R12
	ADDL R8, R11
	MOVQ R9, R10
	ADDQ R12, R9

store8:
	VMOVD   R11, X0
	VPBROADCASTD X0, Y0
	VPADDD  Y7, Y0, Y0
	VMOVDQU Y0, (BX)(R10*4)
	ADDL    $8, R11
	ADDQ    $8, R10
	SUBL    $8, R12
	JG      store8
	TESTL   DX, DX
	JNZ     run8

next8:
	ADDQ $32, SI
	ADDL $8, R13
	SUBQ $8, CX
	JNZ  eight
	MOVQ a+0(FP), AX
	MOVQ R9, runArgs_n(AX)
	VZEROUPPER
	RET

// func failing512(a *runArgs)
TEXT ·failing512(SB), NOSPLIT, $0-8
	FAILING
	VMOVDQU32 lane<>(SB), Z7
	MOVL    $0xffff, R13
	VPBROADCASTD R13, Z6
	MOVL    $0xff, R13
	VPBROADCASTD R13, Z5
	XORL    R13, R13

sixteen:
	VPANDD     (SI), Z6, Z0
	KXNORW     K1, K1, K1
	VPXORD     Z2, Z2, Z2
	VPGATHERDD (DI)(Z0*1), K1, Z2
	VPTESTNMD  Z2, Z5, K2
	KMOVW      K2, DX
	TESTL      DX, DX
	JZ         next16

run16:
	TZCNTL  DX, R14
	BLSRL   DX, DX
	MOVWLZX 2(SI)(R14*4), R12
	INCL    R12
	MOVL    runArgs_row(AX), R11
	SUBL    R8, R11
	ADDL    R13, R14
	JZ      first16
	SUBL    R13, R14
	MOVWLZX -2(SI)(R14*4), R11
	INCL    R11

first16:
	SUBL R11, R12
	ADDL R8, R11
	MOVQ R9, R10
	ADDQ R12, R9

store16:
	VPBROADCASTD R11, Z0
	VPADDD    Z7, Z0, Z0
	VMOVDQU32 Z0, (BX)(R10*4)
	ADDL $16, R11
	ADDQ $16, R10
	SUBL $16, R12
	JG   store16
	TESTL DX, DX
	JNZ   run16

next16:
	ADDQ $64, SI
	ADDL $16, R13
	SUBQ $16, CX
	JNZ  sixteen
	MOVQ a+0(FP), AX
	MOVQ R9, runArgs_n(AX)
	VZEROUPPER
	RET

// func tryNextBMI(a *nextArgs)
//   SI records  DI before  R8 after  R9 labels  R10 found  R11 parents  BX failing  R12 open
//   R13 index in failing  R14 length of open
TEXT ·tryNextBMI(SB), NOSPLIT, $8-8
	MOVQ a+0(FP), AX
	MOVQ nextArgs_records(AX), SI
	MOVQ nextArgs_count(AX), CX
	MOVQ CX, count-8(SP)
	MOVQ nextArgs_before(AX), DI
	MOVQ nextArgs_after(AX), R8
	MOVQ nextArgs_labels(AX), R9
	MOVQ nextArgs_found(AX), R10
	MOVQ nextArgs_parents(AX), R11
	MOVQ nextArgs_failing(AX), BX
	MOVQ nextArgs_open(AX), R12
	XORL R13, R13
	XORL R14, R14

row:
	MOVL       96(BX)(R13*4), AX // 24 rows ahead, perhaps none: a prefetch takes any address
	SHLQ       $4, AX
	PREFETCHT0 (SI)(AX*1)
	MOVL       (BX)(R13*4), AX
	SHLQ       $4, AX
	MOVQ       (SI)(AX*1), DX     // second to fifth hub
	MOVWLZX    DX, CX
	MOVBLZX    (DI)(CX*1), R15
	RORXQ      $16, DX, CX
	MOVWLZX    CX, CX
	MOVBLZX    (DI)(CX*1), CX
	LEAL       (R15)(CX*2), R15
	RORXQ      $32, DX, CX
	MOVWLZX    CX, CX
	MOVBLZX    (DI)(CX*1), CX
	LEAL       (R15)(CX*4), R15
	RORXQ      $48, DX, CX
	MOVWLZX    CX, CX
	MOVBLZX    (DI)(CX*1), CX
	LEAL       (R15)(CX*8), R15   // bit k: hub k+2 is in the frontier or before it
	TZCNTL     R15, CX
	SHLL       $4, CX             // 512, which counts as 0, if there is none
	SHRXQ      CX, DX, DX
	MOVWLZX    DX, DX
	MOVL       (R9)(DX*4), DX     // the parent
	MOVWLZX    10(SI)(AX*1), CX
	TESTL      R15, R15
	CMOVLEQ    (R11)(CX*4), DX
	MOVL       DX, (R11)(CX*4)
	NEGL       R15                // carry if there is one
	SBBQ       R15, R15
	NEGQ       R15                // 1 if there is one
	MOVL       (BX)(R13*4), CX
	MOVL       CX, (R12)(R14*4)
	SHLXQ      CX, R15, DX
	SHRL       $6, CX
	ORQ        DX, (R10)(CX*8)
	MOVWLZX    8(SI)(AX*1), CX
	MOVBLZX    (R8)(CX*1), CX
	XORL       $1, CX
	MOVL       12(SI)(AX*1), AX
	SHRL       $31, AX
	ORL        AX, CX
	ANDNL      CX, R15, CX        // not found and to be examined further
	ADDQ       CX, R14
	INCQ       R13
	CMPQ       R13, count-8(SP)
	JLT        row

	MOVQ a+0(FP), AX
	MOVQ R14, nextArgs_n(AX)
	RET

// TRY tests entry k of the list at DX, or the last one, CX, if it has no entry k. A set bit counts.
#define TRY(k) \
	MOVL    $k, AX          \
	CMPL    CX, AX          \
	CMOVLCS CX, AX          \
	MOVL    (DX)(AX*4), AX  \
	MOVL    AX, R14         \
	SHRL    $6, R14         \
	MOVQ    (R8)(R14*8), R14 \
	XORQ    flip-24(SP), R14 \
	BTQ     AX, R14         \
	CMOVLCS AX, R15

// func tryRowsBMI(a *rowArgs)
//   SI records  DI lists  R8 bitmap  BX open  R13 index in open  R9 row  R10 parent
//   R11 hits  R12 rest
TEXT ·tryRowsBMI(SB), NOSPLIT, $24-8
	MOVQ a+0(FP), AX
	MOVQ rowArgs_records(AX), SI
	MOVQ rowArgs_count(AX), CX
	MOVQ CX, count-8(SP)
	MOVQ rowArgs_after(AX), CX
	MOVQ CX, after-16(SP)
	MOVQ rowArgs_lists(AX), DI
	MOVQ rowArgs_flip(AX), CX
	MOVQ CX, flip-24(SP)
	MOVQ rowArgs_bitmap(AX), R8
	MOVQ rowArgs_open(AX), BX
	MOVQ rowArgs_row(AX), R9
	MOVQ rowArgs_parent(AX), R10
	XORL R13, R13
	XORL R11, R11
	XORL R12, R12

open:
	MOVL       96(BX)(R13*4), AX
	SHLQ       $4, AX
	PREFETCHT0 (SI)(AX*1)
	LEAQ       10(R13), AX
	CMPQ       AX, count-8(SP)
	JGE        ready
	MOVL       40(BX)(R13*4), AX  // its record has been prefetched
	SHLQ       $4, AX
	MOVL       12(SI)(AX*1), AX
	ANDL       $const_listPlace, AX
	PREFETCHT0 (DI)(AX*4)
	PREFETCHT0 64(DI)(AX*4)

ready:
	MOVL    (BX)(R13*4), AX
	SHLQ    $4, AX
	MOVL    12(SI)(AX*1), R14     // flags and place
	MOVL    R14, DX
	ANDL    $const_listPlace, DX
	LEAQ    (DI)(DX*4), DX        // list
	MOVL    (SI)(AX*1), CX        // rows, if there is at most one hub
	BTL     $30, R14
	JCC     counted
	MOVL    (DX), CX
	ADDQ    $8, DX

counted:
	MOVL  $-1, R15                // the row that is found
	SUBL  $1, CX                  // last entry
	JCS   none
	TRY(3)
	TRY(2)
	TRY(1)
	TRY(0)

tested:
	MOVL    (BX)(R13*4), AX
	MOVL    AX, (R9)(R11*4)
	MOVL    R15, (R10)(R11*4)
	XORL    R14, R14
	CMPL    R15, $-1
	SETNE   R14                   // 1 if there is one
	ADDQ    R14, R11
	MOVL    AX, (BX)(R12*4)
	XORL    DX, DX
	CMPL    CX, $3
	SETHI   DX                    // 1 if there are more rows
	SHLQ    $4, AX
	MOVL    12(SI)(AX*1), CX
	SHRL    $29, CX
	ANDL    $1, CX                // 1 if there are more hubs
	ORL     CX, DX
	MOVWLZX 8(SI)(AX*1), AX
	MOVQ    after-16(SP), CX
	MOVBLZX (CX)(AX*1), AX
	XORL    $1, AX
	ORL     AX, DX
	ANDNL   DX, R14, DX
	ADDQ    DX, R12
	INCQ    R13
	CMPQ    R13, count-8(SP)
	JLT     open

	MOVQ a+0(FP), AX
	MOVQ R11, rowArgs_hits(AX)
	MOVQ R12, rowArgs_rest(AX)
	RET

none:
	XORL CX, CX
	JMP  tested

// A list with one further hub, graph.NoHub, which is in no frontier.
DATA noHub<>+0(SB)/8, $0
DATA noHub<>+8(SB)/8, $0xffff0001
GLOBL noHub<>(SB), RODATA|NOPTR, $16

// TRYHUB tests hub k of those at DX, or the last one, CX, if there is no hub k.
#define TRYHUB(k) \
	MOVL    $k, AX               \
	CMPL    CX, AX               \
	CMOVLCS CX, AX               \
	MOVWLZX 2(DX)(AX*2), AX      \
	CMPB    (R8)(AX*1), $0       \
	CMOVLNE AX, R15

// func tryFurtherBMI(a *furtherArgs)
//   SI records  DI lists  R8 before  BX open  R13 index in open  R9 row  R10 parent
//   R11 hits  R12 rest
TEXT ·tryFurtherBMI(SB), NOSPLIT, $16-8
	MOVQ a+0(FP), AX
	MOVQ furtherArgs_records(AX), SI
	MOVQ furtherArgs_count(AX), CX
	MOVQ CX, count-8(SP)
	MOVQ furtherArgs_after(AX), CX
	MOVQ CX, after-16(SP)
	MOVQ furtherArgs_before(AX), R8
	MOVQ furtherArgs_lists(AX), DI
	MOVQ furtherArgs_open(AX), BX
	MOVQ furtherArgs_row(AX), R9
	MOVQ furtherArgs_parent(AX), R10
	XORL R13, R13
	XORL R11, R11
	XORL R12, R12

further:
	MOVL    (BX)(R13*4), AX
	SHLQ    $4, AX
	MOVL    12(SI)(AX*1), R14     // flags and place
	MOVL    R14, DX
	ANDL    $const_listPlace, DX
	LEAQ    (DI)(DX*4), DX        // list
	LEAQ    noHub<>(SB), CX
	TESTL   $const_furtherHubs, R14
	CMOVQEQ CX, DX
	SHRL    $29, R14
	NOTL    R14
	ANDL    $1, R14               // 1 if it has no further hubs
	MOVL    (DX), CX              // rows
	XORL    AX, AX
	CMPL    CX, $4
	SETHI   AX                    // 1 if there are more rows
	ORL     AX, R14
	MOVL    4(DX), AX             // leaves
	ADDQ    CX, AX
	LEAQ    8(DX)(AX*4), DX
	MOVWLZX (DX), CX              // further hubs
	XORL    AX, AX
	CMPL    CX, $8
	SETHI   AX                    // 1 if there are more
	ORL     AX, R14
	DECL    CX                    // last one
	MOVL    $-1, R15              // the hub that is found
	TRYHUB(7)
	TRYHUB(6)
	TRYHUB(5)
	TRYHUB(4)
	TRYHUB(3)
	TRYHUB(2)
	TRYHUB(1)
	TRYHUB(0)
	MOVL    (BX)(R13*4), AX
	MOVL    AX, (R9)(R11*4)
	MOVL    R15, (R10)(R11*4)
	XORL    DX, DX
	CMPL    R15, $-1
	SETNE   DX                    // 1 if there is one
	ADDQ    DX, R11
	MOVL    AX, (BX)(R12*4)
	SHLQ    $4, AX
	MOVWLZX 8(SI)(AX*1), AX
	MOVQ    after-16(SP), CX
	MOVBLZX (CX)(AX*1), AX
	XORL    $1, AX
	ORL     AX, R14
	ANDNL   R14, DX, R14
	ADDQ    R14, R12
	INCQ    R13
	CMPQ    R13, count-8(SP)
	JLT     further

	MOVQ a+0(FP), AX
	MOVQ R11, furtherArgs_hits(AX)
	MOVQ R12, furtherArgs_rest(AX)
	RET

// func hubHits256(a *hitArgs)
//   SI hubs  DI bitmap  BX hits  CX words left
TEXT ·hubHits256(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ hitArgs_hubs(AX), SI
	MOVQ hitArgs_bitmap(AX), DI
	MOVQ hitArgs_hits(AX), BX
	MOVQ hitArgs_words(AX), CX
	MOVL $31, R13
	VMOVD R13, X6
	VPBROADCASTD X6, Y6

word8:
	XORL R8, R8
	MOVL $8, R9

hubs8:
	VPMOVZXWD  (SI), Y0
	VPSRLD     $5, Y0, Y1
	VPCMPEQD   Y2, Y2, Y2
	VPGATHERDD Y2, (DI)(Y1*4), Y3
	VPANDN     Y6, Y0, Y0 // 31 less the number of the bit
	VPSLLVD    Y0, Y3, Y3
	VMOVMSKPS  Y3, DX
	RORQ       $8, R8
	ORQ        DX, R8
	ADDQ       $16, SI
	DECL       R9
	JNZ        hubs8
	RORQ       $8, R8
	MOVQ       R8, (BX)
	ADDQ       $8, BX
	DECQ       CX
	JNZ        word8
	VZEROUPPER
	RET

// func hubHits512(a *hitArgs)
//   SI hubs  DI bitmap  BX hits  CX words left
TEXT ·hubHits512(SB), NOSPLIT, $0-8
	MOVQ a+0(FP), AX
	MOVQ hitArgs_hubs(AX), SI
	MOVQ hitArgs_bitmap(AX), DI
	MOVQ hitArgs_hits(AX), BX
	MOVQ hitArgs_words(AX), CX
	MOVL $31, R13
	VPBROADCASTD R13, Z6
	MOVL $1, R13
	VPBROADCASTD R13, Z5

word16:
	XORL R8, R8
	MOVL $4, R9

hubs16:
	VPMOVZXWD  (SI), Z0
	VPSRLD     $5, Z0, Z1
	KXNORW     K1, K1, K1
	VPXORD     Z3, Z3, Z3
	VPGATHERDD (DI)(Z1*4), K1, Z3
	VPANDD     Z6, Z0, Z0
	VPSLLVD    Z0, Z5, Z0
	VPTESTMD   Z0, Z3, K2
	KMOVW      K2, DX
	RORQ       $16, R8
	ORQ        DX, R8
	ADDQ       $32, SI
	DECL       R9
	JNZ        hubs16
	RORQ       $16, R8
	MOVQ       R8, (BX)
	ADDQ       $8, BX
	DECQ       CX
	JNZ        word16
	VZEROUPPER
	RET

// UNVISITED begins a loop over a list.
//   SI list  R8 bytes of an entry  DI bitmap  BX to  CX entries left  R9 entries written
#define UNVISITED \
	MOVQ a+0(FP), AX                  \
	MOVQ unvisitedArgs_list(AX), SI   \
	MOVQ unvisitedArgs_size(AX), R8   \
	MOVQ unvisitedArgs_count(AX), CX  \
	MOVQ unvisitedArgs_bitmap(AX), DI \
	MOVQ unvisitedArgs_to(AX), BX     \
	MOVL unvisitedArgs_flag(AX), R10  \
	XORL R9, R9

// func unvisited256(a *unvisitedArgs)
//   Y6 31 in each lane  Y7 flag  R12 numbers of the lanes  R13 a one in each byte
TEXT ·unvisited256(SB), NOSPLIT, $0-8
	UNVISITED
	VMOVD R10, X7
	VPBROADCASTD X7, Y7
	MOVL  $31, R10
	VMOVD R10, X6
	VPBROADCASTD X6, Y6
	MOVQ  $0x0706050403020100, R12
	MOVQ  $0x0101010101010101, R13

entries8:
	CMPQ R8, $2
	JEQ  short8
	VMOVDQU (SI), Y0

test8:
	VPSRLD     $5, Y0, Y1
	VPCMPEQD   Y2, Y2, Y2
	VPGATHERDD Y2, (DI)(Y1*4), Y3
	VPANDN     Y6, Y0, Y1  // 31 less the number of the bit
	VPSLLVD    Y1, Y3, Y3
	VMOVMSKPS  Y3, DX
	XORL       $0xff, DX
	POPCNTL    DX, R10
	PDEPQ      R13, DX, DX
	IMUL3Q     $255, DX, DX
	PEXTQ      DX, R12, DX // numbers of the lanes to write
	VMOVQ      DX, X1
	VPMOVZXBD  X1, Y1
	VPOR       Y7, Y0, Y0
	VPERMD     Y0, Y1, Y0
	VMOVDQU    Y0, (BX)(R9*4)
	ADDQ       R10, R9
	LEAQ       (SI)(R8*8), SI
	SUBQ       $8, CX
	JNZ        entries8
	MOVQ       R9, unvisitedArgs_n(AX)
	VZEROUPPER
	RET

short8:
	VPMOVZXWD (SI), Y0
	JMP       test8

// func unvisited512(a *unvisitedArgs)
//   Z6 1 in each lane  Z7 flag
TEXT ·unvisited512(SB), NOSPLIT, $0-8
	UNVISITED
	VPBROADCASTD R10, Z7
	MOVL $1, R10
	VPBROADCASTD R10, Z6
	SHLQ $4, R8

entries16:
	CMPQ R8, $32
	JEQ  short16
	VMOVDQU32 (SI), Z0

test16:
	VPSRLD      $5, Z0, Z1
	KXNORW      K1, K1, K1
	VPXORD      Z3, Z3, Z3
	VPGATHERDD  (DI)(Z1*4), K1, Z3
	VPRORVD     Z0, Z3, Z3
	VPTESTNMD   Z3, Z6, K2
	VPORD       Z7, Z0, Z0
	VPCOMPRESSD Z0, K2, Z0
	VMOVDQU32   Z0, (BX)(R9*4)
	KMOVW       K2, DX
	POPCNTL     DX, DX
	ADDQ        DX, R9
	ADDQ        R8, SI
	SUBQ        $16, CX
	JNZ         entries16
	MOVQ        R9, unvisitedArgs_n(AX)
	VZEROUPPER
	RET

short16:
	VPMOVZXWD (SI), Z0
	JMP       test16
