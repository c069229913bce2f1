// How the grid of one launch runs.
//
// Each place for a block on a multiprocessor is a thread of the system, whose
// thread_local variables are the block's shared memory, and each thread of a
// block is a fiber there. Only one of all runs at a time. It goes on to another
// one at barriers and in the midst of reads and writes, to which one is drawn,
// so a seed gives the same order again as long as the host takes no part.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace emulation {

class Memory;

// dynamicRoom is the largest number of bytes of dynamic shared memory, all that
// a block may have.
constexpr size_t dynamicRoom = 227 << 10;

// SharedMemory is that of one block.
struct SharedMemory {
	uintptr_t at, dynamic; // dynamic is 0 where a module declares none
	size_t bytes;          // from at on, dynamic ones included
};

// Launch is a kernel and what it is launched with.
struct Launch {
	const char *name;
	void (*call)(void **arguments);
	void **arguments;
	unsigned grid, block;
	size_t dynamicBytes;
	SharedMemory (*shared)(const void *module); // that of the calling thread
	const void *module;
	uintptr_t image, imageEnd; // addresses of the module's constants
	std::string (*line)(const void *module, uintptr_t at); // of the source, for an address of the program
	const Memory *memory;
	const void *owner; // of what it may touch there
};

// Fault is how a kernel ended: a return code of the driver, 0 if nothing was
// wrong, and a sentence that says where.
struct Fault {
	int code = 0;
	std::string what;
};

// run runs a launch to its end on a device with that many places.
Fault run(const Launch &launch, unsigned places, uint64_t seed);

} // namespace emulation
