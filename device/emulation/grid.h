// Execution of the grid of one launch.
//
// The device has one slot per multiprocessor, each for one resident block. A slot is
// an OS thread, whose thread_local variables are the block's shared memory. Each
// thread of a block is a fiber in that OS thread. Only one fiber of all devices runs at
// a time. It switches to a randomly chosen fiber at barriers and between memory
// accesses. The same seed therefore gives the same order, unless the kernel
// communicates with the host.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace emulation {

class Memory;

// dynamicLimit is the largest dynamic shared memory of a block in bytes.
constexpr size_t dynamicLimit = 227 << 10;

// SharedMemory is the address range of the shared memory of one block.
struct SharedMemory {
	uintptr_t at, dynamic; // begin; begin of dynamic shared memory, 0 if the module declares none
	size_t bytes;          // from at, including dynamic shared memory
};

// Launch is a kernel with its launch parameters.
struct Launch {
	const char *name;
	void (*call)(void **arguments);
	void **arguments;
	unsigned grid, block;
	size_t dynamicBytes;
	SharedMemory (*shared)(const void *module); // of the calling OS thread
	const void *module;
	uintptr_t image, imageEnd; // addresses of the module's constants
	std::string (*line)(const void *module, uintptr_t at); // source line of a code address
	unsigned device;
	const Memory *memory;
	const void *owner; // of the arrays that the kernel may access
};

// Fault is the result of a kernel: a return code of the driver, 0 for success, and a
// description of the error with its location.
struct Fault {
	int code = 0;
	std::string what;
};

// run executes a launch on its device, which has that many slots, and waits for its end.
// Other devices may execute launches at the same time.
Fault run(const Launch &launch, unsigned slotCount, uint64_t seed);

} // namespace emulation
