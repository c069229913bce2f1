// Package graph turns a list of input tuples into a graph ready to search
// (kernel 1 of the Graph500 specification) and reads and writes the files
// that hold tuples and parents. It knows nothing of searches or engines.
package graph
