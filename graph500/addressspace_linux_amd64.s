//go:build !cuda

#include "textflag.h"
#include "addressspace.h"

// graph500_entry is where the process starts if the program is linked with -E=graph500_entry, as
// scripts/build.sh does. It checks the limit on the address space as addressspace_cuda.go does, of
// which the Go runtime takes much before any code of Go runs, and goes on to the entry of the runtime.
// Registers: BX the stack pointer at the start, R8 the limit in bytes, R9 threads, then bytes.
TEXT graph500_entry(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, BX
	SUBQ $1024, SP

	MOVQ $97, AX // getrlimit
	MOVQ $9, DI  // RLIMIT_AS
	MOVQ SP, SI
	SYSCALL
	TESTQ AX, AX
	JNE  start
	MOVQ 0(SP), R8 // all bits set: no limit

	MOVQ $204, AX // sched_getaffinity of this thread
	XORL DI, DI
	MOVQ $1024, SI
	MOVQ SP, DX
	SYSCALL
	CMPQ AX, $8
	JLT  start
	SHRQ $3, AX // words of the set of processors
	MOVQ $THREADS_OF_RUNTIME, R9

count:
	POPCNTQ -8(SP)(AX*8), CX
	ADDQ CX, R9
	DECQ AX
	JNE  count

	IMULQ $SPACE_OF_THREAD, R9
	ADDQ $SPACE_OF_RUNTIME, R9
	SHLQ $20, R9
	CMPQ R8, R9
	JCC  start

	MOVQ $1, AX // write
	MOVQ $2, DI
	MOVQ ·tooLittleSpace+0(SB), SI
	MOVQ ·tooLittleSpace+8(SB), DX
	SYSCALL
	MOVQ $231, AX // exit_group
	MOVQ $1, DI
	SYSCALL

start:
	MOVQ BX, SP
	JMP  _rt0_amd64_linux(SB)
