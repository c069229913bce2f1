#include <stdint.h>

// graph500_driver_name returns the name of the entry point of a slot of the table, NULL for
// the number of slots.
const char *graph500_driver_name(int slot);

// graph500_driver_fill lets the calls of a slot's entry point go to an address.
void graph500_driver_fill(int slot, uintptr_t entry);
