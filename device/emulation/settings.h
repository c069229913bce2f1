// What can be set from outside.
//
//   EMULATION_SEED    of the order in which threads run; without it, one from the clock
//   EMULATION_SMS     multiprocessors of the device, each of which holds one block (3)
//   EMULATION_MEMORY  of the device, in MiB (512)
#pragma once
#include <cstdint>

namespace emulation {

// setting returns the number in the environment under that name, or the
// default; a value that is no number, or 0, ends the process.
uint64_t setting(const char *name, uint64_t otherwise);

} // namespace emulation
