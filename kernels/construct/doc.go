// Package construct is kernel 1 on GPUs: it builds a graph in CSR form from tuples, on one device
// or on several that each get the rows of a range of labels. Build does it and Plan lists its
// memory, both of a Form, which says all that there is to choose. The package does not know what
// searches a graph. Without the build tag cuda it is empty.
//
// The steps up to the degrees are those of every form (count.go, index.go): several devices count
// their shares and add up, or, without access to each other's memory, each counts all tuples. What
// depends on the order of the rows is in bydegree.go and byweight.go; byhubs.go converts rows to
// the form of package hubs. With a Split the first neighbours of each row stay on the device, as
// many as fit, and the others are written to host memory.
package construct
