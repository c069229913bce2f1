// struct graph500_nvml is the table of the entry points in entries.h.
struct graph500_nvml {
#define ENTRY(result, name, parameters) result(*name) parameters;
#include "entries.h"
#undef ENTRY
};

// graph500_nvml_bind loads libnvidia-ml.so.1 and fills the table. It returns NULL, or the
// error message of the dynamic loader.
const char *graph500_nvml_bind(struct graph500_nvml *table);
