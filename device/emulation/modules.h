// The modules that scripts/emulation.sh compiled, and how one of them is loaded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "grid.h"
#include "module.h"

namespace emulation {

class Module {
public:
	// load returns the module that was made of the source that this PTX was made
	// of, or null with a sentence in why.
	static std::unique_ptr<Module> load(const char *ptx, std::string &why);

	~Module();

	// kernel returns a kernel by its name, or null.
	const Kernel *kernel(const char *name) const;

	// global finds a variable by its name and says whether there is one.
	bool global(const char *name, uintptr_t &at, size_t &bytes) const;

	// holds says whether an address is of the module's variables.
	bool holds(uintptr_t at, size_t bytes) const { return at >= image && bytes <= imageEnd - at && at < imageEnd; }

	// shared returns the module's shared memory of the calling thread.
	SharedMemory shared() const;

	// line returns the line of the source that the instruction before an address
	// is of, or the address where addr2line of binutils is not there.
	std::string line(uintptr_t at) const;

	uintptr_t image, imageEnd;

private:
	Module() = default;

	std::string path;
	int file = -1;
	void *library = nullptr;
	const Kernel *kernels;
};

} // namespace emulation
