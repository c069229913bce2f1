// Package device operates one GPU, and teams of GPUs: context, memory, compiled modules and
// kernels, events, launches, and the level loop of searches that the host drives. Package
// device/driver binds the CUDA driver.
//
// Each array, kernel and event belongs to one device, and every driver call sets that device's
// context on its thread. Any goroutine may call, and several devices may be in use. The methods of
// one device must not run concurrently.
//
// All arrays are allocated from one arena, which Reserve allocates from the driver. The owner of an
// array declares it once in a Group, with name, length and lifetime. The memory plan, the
// allocation and the kernel arguments all derive from this declaration. Memory of the host that
// devices read is page-locked piece by piece (Locked), so that the end of the context or a lack of
// memory stops it; a copy must not cross two pieces, and Upload divides it.
//
// A Team is the devices of one search: those of this process, and those of other ranks, if there
// are any. Several devices have an OS thread each, on which they are launched, too; one device has
// that of the caller. Gather collects values of all devices, Reach their arrays, as each device
// accesses them; over ranks that is CUDA IPC, for host memory Share. In one process they return
// what they were given, so that the code is the same with ranks and without. A rank does not free
// its arena, because others may still have it open. If a rank fails, the hosts of the others set
// Stop, on which a kernel that waits for all devices gives up.
//
// The package is independent of graphs and of what the kernels compute. Without the build tag cuda
// it is empty.
package device
