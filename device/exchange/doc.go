// Package exchange copies data between GPUs that cannot access each other's memory: over NCCL, or
// over the memory of the hosts and MPI. It does not know what the data is. Without the build tag
// cuda it is empty.
//
// One operation carries all data: Gather completes an array of which each device has a part. Open
// chooses between NCCL, which is tried with a few bytes, and the hosts. NCCL waits without end for
// a device that has failed, so the end of the run's context aborts it. It needs primary contexts
// (device.Options.Primary).
package exchange
