// Settings of the emulated GPU in the environment.
//
//   EMULATION_SEED    seed of the thread order; by default from the clock
//   EMULATION_SMS     number of multiprocessors, with one resident block each (3)
//   EMULATION_MEMORY  device memory in MiB (512)
#pragma once
#include <cstdint>

namespace emulation {

// setting returns the number in the environment variable of that name, or
// defaultValue if it is unset. Any value but a positive number ends the process.
uint64_t setting(const char *name, uint64_t defaultValue);

} // namespace emulation
