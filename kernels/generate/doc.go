// Package generate generates the tuples of the official Kronecker graph on a GPU, with their
// weights if they are asked for (generate.cu), bit-identical with package kronecker, which explains
// the method, and holds lists of tuples, generated or loaded from the host. It is independent of
// the use of the tuples. Without the build tag cuda it is empty.
//
// A Config says which tuples a device has, how many of them at a time, with labels of which width;
// its Plan lists the memory that New takes. Tuples has three forms with one interface, Each: all
// tuples on the device, parts that the generator makes again in each pass, and parts of loaded
// tuples that are copied from the host (host.go), while kernels use the part before if the memory
// is page-locked. Shares finds the shares of several devices, Join views them as one list
// (shares.go).
package generate
