// Package construct is kernel 1 on GPUs: it builds a graph in CSR form from tuples, on one
// device or on several that each get the rows of a range of labels. Build does it and Plan
// lists its memory, both of a Form, which says all that there is to choose. The steps up to
// the degrees are those of every form (count.go, index.go); what depends on the order of the
// rows is in bydegree.go and byweight.go; byhubs.go converts rows to the form of package hubs. The package does not know what searches a graph.
// Without the build tag cuda it is empty.
package construct
