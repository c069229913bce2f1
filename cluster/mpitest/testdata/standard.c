// A library with the binary interface of MPI 5 on top of Open MPI, for tests: it
// translates the handles. Link: gcc -shared -fPIC -o libmpi_abi.so.0 standard.c -ldl
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word;
typedef int (*function)();

static void *library(void) {
	static void *handle;
	if (!handle) handle = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
	if (!handle) abort();
	return handle;
}

static word find(const char *name) {
	word address = (word)dlsym(library(), name);
	if (!address) abort();
	return address;
}

// handle translates a predefined handle of MPI 5. Others are those of Open MPI.
static word handle(word h) {
	switch (h) {
	case 0x101: return find("ompi_mpi_comm_world");
	case 0x247: return find("ompi_mpi_byte");
	case 0x258: return find("ompi_mpi_int64_t");
	case 0x21: return find("ompi_mpi_op_sum");
	case 0x22: return find("ompi_mpi_op_min");
	case 0x23: return find("ompi_mpi_op_max");
	case 0x143: return find("ompi_mpi_errors_return");
	}
	return h;
}

#define CALL(name, ...) return ((function)find("MPI_" #name))(__VA_ARGS__)

int MPI_Init_thread(word argc, word argv, int level, int *provided) {
	int code = ((function)find("MPI_Init_thread"))(argc, argv, level / 1024, provided);
	*provided *= 1024;
	return code;
}
int MPI_Finalize(void) { CALL(Finalize); }
int MPI_Abort(word comm, int status) { CALL(Abort, handle(comm), status); }
int MPI_Comm_rank(word comm, int *rank) { CALL(Comm_rank, handle(comm), rank); }
int MPI_Comm_size(word comm, int *size) { CALL(Comm_size, handle(comm), size); }
int MPI_Comm_dup(word comm, word *copy) { CALL(Comm_dup, handle(comm), copy); }
int MPI_Comm_set_errhandler(word comm, word handler) { CALL(Comm_set_errhandler, handle(comm), handle(handler)); }
int MPI_Error_string(int code, char *text, int *length) { CALL(Error_string, code, text, length); }
int MPI_Get_library_version(char *text, int *length) {
	strcpy(text, "MPI 5 interface for tests");
	*length = strlen(text);
	return 0;
}
int MPI_Test(word *request, int *flag, void *status) { CALL(Test, request, flag, status); }
int MPI_Isend(void *data, int n, word type, int to, int tag, word comm, word *request) {
	CALL(Isend, data, n, handle(type), to, tag, handle(comm), request);
}
int MPI_Iprobe(int from, int tag, word comm, int *flag, void *status) { CALL(Iprobe, from, tag, handle(comm), flag, status); }
int MPI_Recv(void *data, int n, word type, int from, int tag, word comm, void *status) {
	CALL(Recv, data, n, handle(type), from, tag, handle(comm), status);
}
int MPI_Iallreduce(void *in, void *out, int n, word type, word op, word comm, word *request) {
	CALL(Iallreduce, in, out, n, handle(type), handle(op), handle(comm), request);
}
int MPI_Iallgather(void *in, int n, word type, void *out, int m, word to, word comm, word *request) {
	CALL(Iallgather, in, n, handle(type), out, m, handle(to), handle(comm), request);
}
int MPI_Iallgatherv(void *in, int n, word type, void *out, int *m, int *at, word to, word comm, word *request) {
	CALL(Iallgatherv, in, n, handle(type), out, m, at, handle(to), handle(comm), request);
}
int MPI_Ialltoall(void *in, int n, word type, void *out, int m, word to, word comm, word *request) {
	CALL(Ialltoall, in, n, handle(type), out, m, handle(to), handle(comm), request);
}
int MPI_Ialltoallv(void *in, int *n, int *at, word type, void *out, int *m, int *to, word as, word comm, word *request) {
	CALL(Ialltoallv, in, n, at, handle(type), out, m, to, handle(as), handle(comm), request);
}
