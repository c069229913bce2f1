//go:build cuda

// NVML, bound at run time instead of link time: the program starts without the library,
// even if all its symbols are bound at once.
#include "library.h"

#include <dlfcn.h>
#include <stddef.h>

const char *graph500_nvml_bind(struct graph500_nvml *table)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return dlerror();
#define ENTRY(result, name, parameters)                                    \
	*(void **)&table->name = dlsym(library, #name);                    \
	if (!table->name)                                                  \
		return dlerror();
#include "entries.h"
#undef ENTRY
	return NULL;
}
