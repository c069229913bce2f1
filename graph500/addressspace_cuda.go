//go:build cuda

package main

// The Go runtime reserves address space before any code of Go runs, and the C library for
// each thread; without it, both end with a dump of stacks. So a function of C checks the limit
// before they start. addressspace_linux_amd64.s does so in a program without C.

/*
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "addressspace.h"

__attribute__((constructor)) static void checkAddressSpace(void) {
	enum { MiB = 1 << 20 };
	struct rlimit limit;
	cpu_set_t usable;
	unsigned long long needed;
	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY || sched_getaffinity(0, sizeof usable, &usable)) {
		return;
	}
	needed = SPACE_OF_RUNTIME + (unsigned long long)SPACE_OF_THREAD * (CPU_COUNT(&usable) + THREADS_OF_RUNTIME);
	if (limit.rlim_cur / MiB < needed) {
		fprintf(stderr, "graph500: the address space of the process is limited to %llu MiB (ulimit -v): the program and its threads need %llu MiB on %d processors\n",
			(unsigned long long)(limit.rlim_cur / MiB), needed, CPU_COUNT(&usable));
		exit(1);
	}
}
*/
import "C"
