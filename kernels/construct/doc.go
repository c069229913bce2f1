// Package construct is kernel 1 on a GPU: it builds a graph in CSR form from tuples
// (index.cu, rows.cu, sort.cu), on one device, or on several that each get the rows of a
// range of labels (together.go). It is independent of the searches. Without the build
// tag cuda it is empty.
package construct
