package cluster

import "strings"

// abi holds the handles and constants in which the binary interfaces of MPI differ. The
// program avoids statuses, MPI_IN_PLACE and MPI_ANY_SOURCE, which differ too.
type abi struct {
	name                  string
	world, bytes, int64s  uintptr
	operations            [maximum + 1]uintptr
	errorsReturn, threads uintptr // threads is MPI_THREAD_SERIALIZED
}

// mpichABI is the interface of MPICH since 3.1, Intel MPI, MVAPICH and Cray MPICH. A
// handle is an integer (MPICH ABI Compatibility Initiative, mpi.h of MPICH).
func mpichABI() abi {
	return abi{
		name: "MPICH", world: 0x44000000, bytes: 0x4c00010d, int64s: 0x4c00083a,
		operations:   [...]uintptr{sum: 0x58000003, minimum: 0x58000002, maximum: 0x58000001},
		errorsReturn: 0x54000001, threads: 2,
	}
}

// standardABI is the interface of MPI 5.0, appendix A. A handle is a small number in a
// pointer.
func standardABI() abi {
	return abi{
		name: "MPI 5", world: 0x101, bytes: 0x247, int64s: 0x258,
		operations:   [...]uintptr{sum: 0x21, minimum: 0x22, maximum: 0x23},
		errorsReturn: 0x143, threads: 2048,
	}
}

// openMPIABI is the interface of Open MPI 4 and 5. A handle is the address of an object
// that the library exports.
func openMPIABI(symbol func(name string) uintptr) abi {
	return abi{
		name: "Open MPI", world: symbol("ompi_mpi_comm_world"), bytes: symbol("ompi_mpi_byte"), int64s: symbol("ompi_mpi_int64_t"),
		operations: [...]uintptr{
			sum: symbol("ompi_mpi_op_sum"), minimum: symbol("ompi_mpi_op_min"), maximum: symbol("ompi_mpi_op_max"),
		},
		errorsReturn: symbol("ompi_mpi_errors_return"), threads: 2,
	}
}

// abiOf returns the interface of a library. file is its path with links resolved.
func abiOf(file string, symbol func(name string) uintptr) abi {
	switch {
	case strings.Contains(file, "libmpi_abi"):
		return standardABI()
	case symbol("ompi_mpi_comm_world") != 0:
		return openMPIABI(symbol)
	}
	return mpichABI()
}
