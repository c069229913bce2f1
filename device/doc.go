// Package device is one GPU: its context, its memory, compiled modules and
// kernels, events, launches, and the loop of searches that the host takes from
// level to level. Package device/driver below it finds the CUDA driver.
//
// A call names its device: an array, a kernel or an event belongs to one, and
// every call of the driver makes that one's context current on its thread
// first. So any goroutine may call, and several devices may be in use; the
// methods of one device are called one at a time.
//
// All arrays come out of one arena, which Reserve takes from the driver. What
// owns arrays declares each of them once, with name, length and lifetime, in a
// Group: the memory plan, the taking and giving back, and what kernels are told
// follow from that.
//
// The package knows nothing of graphs and of what the kernels do. Without the
// build tag cuda it is empty.
package device
