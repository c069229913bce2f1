// Marks of several devices that cannot access each other's memory.
#include "validate.cuh"

using namespace validate;

// validate_join adds the marks of other tables of the same tree to count words of a table.
// parts has those words of each table, one table after the other.
extern "C" __global__ void validate_join(u32 *table, const u32 *parts, u64 count, u32 tables) {
	for (u64 i = firstThread(); i < count; i += allThreads()) {
		u32 word = table[i];
		for (u32 k = 0; k < tables; k++) word |= parts[k * count + i];
		table[i] = word;
	}
}
