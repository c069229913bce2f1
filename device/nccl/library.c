//go:build cuda

// NCCL, bound at run time instead of link time: the program starts without the library,
// even if all its symbols are bound at once.
#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>

const char *graph500_nccl_bind(struct graph500_nccl *table, const char *name)
{
	// Multicast objects of NVLink can put GPUs that others use too out of service.
	setenv("NCCL_NVLS_ENABLE", "0", 1);
	setenv("NCCL_RUNTIME_CONNECT", "0", 1); // all connections are made when the devices join
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
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
