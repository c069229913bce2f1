// Settings of the emulated GPUs in the environment.
//
//   EMULATION_SEED    seed of the thread order; by default from the clock
//   EMULATION_SMS     number of multiprocessors, with one resident block each (3)
//   EMULATION_MEMORY  memory of a device in MiB (512)
//   EMULATION_DEVICES number of devices (1)
//   EMULATION_NO_PEER set: no device can access the memory of another
#pragma once
#include <cstdint>

namespace emulation {

// setting returns the number in the environment variable of that name, or
// defaultValue if it is unset. Any value but a positive number ends the process.
uint64_t setting(const char *name, uint64_t defaultValue);

} // namespace emulation
