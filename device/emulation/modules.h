// Loading of the modules that scripts/emulation.sh compiled.
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
	// load returns the module compiled from the same source as this PTX, or null
	// with a message in error.
	static std::unique_ptr<Module> load(const char *ptx, std::string &error);

	~Module();

	// kernel returns the kernel of that name, or null.
	const Kernel *kernel(const char *name) const;

	// global looks up a variable by its name. It returns false if there is none.
	bool global(const char *name, uintptr_t &at, size_t &bytes) const;

	// holds reports whether a range of addresses lies in the module's image.
	bool holds(uintptr_t at, size_t bytes) const { return at >= image && bytes <= imageEnd - at && at < imageEnd; }

	// shared returns the module's shared memory in the calling OS thread.
	SharedMemory shared() const;

	// line returns the source line of the instruction before a code address, or the
	// address itself without addr2line of binutils.
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
