//go:build cuda

// The CUDA driver, bound at run time instead of link time.
//
// Each entry point in entries.h becomes a hidden function that jumps through one
// slot of a table. Until load.go fills a slot from libcuda.so.1, it returns
// CUDA_ERROR_STUB_LIBRARY. A program with CUDA support therefore starts on a machine
// without a driver and can report the missing driver.
#include "driver.h"

#include <stddef.h>

enum { success = 0, stub_library = 34 };

static int missing(void) { return stub_library; }

#define ENTRY(name) SLOT_##name,
enum {
#include "entries.h"
	SLOTS
};
#undef ENTRY

#define ENTRY(name) (void *)missing,
__attribute__((used, visibility("hidden"))) const void *graph500_driver_slot[SLOTS] = {
#include "entries.h"
};
#undef ENTRY

#define ENTRY(name) #name,
static const char *const names[SLOTS] = {
#include "entries.h"
};
#undef ENTRY

#if defined(__x86_64__)
#define JUMP "jmp *graph500_driver_slot+8*%c0(%%rip)"
#elif defined(__aarch64__)
#define JUMP                                                                       \
	"adrp x16, graph500_driver_slot+8*%c0\n\t"                                 \
	"ldr x16, [x16, :lo12:graph500_driver_slot+8*%c0]\n\t"                     \
	"br x16"
#else
#error "no trampoline for this processor: build without the tag cuda"
#endif

// A trampoline must not change any argument register, so it is written as top-level
// assembly. The function around it only passes the slot number to the assembler.
#define ENTRY(name)                                                                \
	__attribute__((used)) static void define_##name(void)                      \
	{                                                                          \
		__asm__ volatile(".pushsection .text\n\t"                          \
				 ".globl " #name "\n\t"                             \
				 ".hidden " #name "\n\t"                            \
				 ".type " #name ", %%function\n\t"                  \
				 ".balign 16\n" #name ":\n\t" JUMP "\n\t"           \
				 ".size " #name ", .-" #name "\n\t"                 \
				 ".popsection" ::"i"(SLOT_##name));                 \
	}
#include "entries.h"
#undef ENTRY

// gorgonia.org/cu calls cuInit during Go package initialisation and ends the process
// if it fails. Load makes the real call.
__attribute__((visibility("hidden"))) int cuInit(unsigned int flags)
{
	(void)flags;
	return success;
}

const char *graph500_driver_name(int slot) { return slot < SLOTS ? names[slot] : NULL; }

void graph500_driver_fill(int slot, uintptr_t entry) { graph500_driver_slot[slot] = (const void *)entry; }
