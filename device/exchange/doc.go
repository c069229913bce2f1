// Package exchange copies data between GPUs that cannot access each other's memory: over
// NCCL, or over the memory of the hosts and MPI. It does not know what the data is. Without
// the build tag cuda it is empty.
package exchange
