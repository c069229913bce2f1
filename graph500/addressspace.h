/* The address space that a process needs, in MiB, before it takes memory for a graph: bounds. On 2
   processors 1500 MiB were too little at times, and 1904 MiB enough in ten of ten runs. */
#define SPACE_OF_RUNTIME 1024 /* reserved by the Go runtime */
#define SPACE_OF_THREAD 88    /* stack, and memory of the C library for a thread */
#define THREADS_OF_RUNTIME 8  /* besides one for each processor */
