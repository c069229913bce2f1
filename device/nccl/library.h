#include <stddef.h>

// struct graph500_nccl_id is ncclUniqueId.
struct graph500_nccl_id {
	char bytes[128];
};

// struct graph500_nccl is the table of the entry points in entries.h.
struct graph500_nccl {
#define ENTRY(result, name, parameters) result(*name) parameters;
#include "entries.h"
#undef ENTRY
};

// graph500_nccl_bind loads a library and fills the table. It returns NULL, or the error
// message of the dynamic loader.
const char *graph500_nccl_bind(struct graph500_nccl *table, const char *library);
