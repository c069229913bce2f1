//go:build !cuda

package main

// tooLittleSpace is what graph500_entry says.
//
//lint:ignore U1000 The assembly uses it.
var tooLittleSpace = "graph500: the address space of the process is limited too much (ulimit -v): the program and its threads need 1728 MiB, and 88 MiB for each processor\n"
