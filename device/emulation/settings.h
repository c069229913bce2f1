// Settings of the emulated GPUs in the environment.
//
//   EMULATION_SEED    seed of the thread order; by default from the clock
//   EMULATION_SMS     number of multiprocessors, with one resident block each (3)
//   EMULATION_MEMORY  memory of a device in MiB (512)
//   EMULATION_DEVICES number of devices (1)
//   EMULATION_NO_PEER set: no device can access the memory of another
//   CUDA_VISIBLE_DEVICES as for real GPUs: indices of the devices that the program sees
#pragma once
#include <cstdint>
#include <vector>

namespace emulation {

// setting returns the number in the environment variable of that name, or
// defaultValue if it is unset. Any value but a positive number ends the process.
uint64_t setting(const char *name, uint64_t defaultValue);

// visibleDevices returns which of count devices the program sees, in its order: those that
// CUDA_VISIBLE_DEVICES lists before the first that is no such index or there twice; all if
// it is unset.
std::vector<unsigned> visibleDevices(unsigned count);

} // namespace emulation
