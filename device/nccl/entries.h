/* The entry points of NCCL that the program calls, with result and parameters. Return codes
   are int, communicators and streams are pointers, data types are int. One per line, in any
   order. */
ENTRY(int, ncclGetVersion, (int *))
ENTRY(int, ncclGetUniqueId, (struct graph500_nccl_id *))
ENTRY(const char *, ncclGetErrorString, (int))
ENTRY(int, ncclCommInitRank, (void **, int, struct graph500_nccl_id, int))
ENTRY(int, ncclCommAbort, (void *))
ENTRY(int, ncclCommGetAsyncError, (void *, int *))
ENTRY(int, ncclAllGather, (const void *, void *, size_t, int, void *, void *))
ENTRY(int, ncclSend, (const void *, size_t, int, int, void *, void *))
ENTRY(int, ncclRecv, (void *, size_t, int, int, void *, void *))
ENTRY(int, ncclGroupStart, (void))
ENTRY(int, ncclGroupEnd, (void))
