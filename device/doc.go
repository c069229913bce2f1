// Package device operates one GPU: context, memory, compiled modules and kernels,
// events, launches, and the level loop of searches that the host drives. Package
// device/driver binds the CUDA driver.
//
// Each array, kernel and event belongs to one device, and every driver call sets
// that device's context on its thread. Any goroutine may call, and several devices
// may be in use. The methods of one device must not run concurrently.
//
// All arrays are allocated from one arena, which Reserve allocates from the driver.
// The owner of an array declares it once in a Group, with name, length and lifetime.
// The memory plan, the allocation and the kernel arguments all derive from this
// declaration.
//
// The package is independent of graphs and of what the kernels compute. Without the
// build tag cuda it is empty.
package device
