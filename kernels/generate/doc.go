// Package generate generates the tuples of the official Kronecker graph on a GPU, with
// their weights if they are asked for (generate.cu), bit-identical with package
// kronecker, which explains the method. It stores all tuples in the device's memory, or
// regenerates them part by part in each pass over them. Several devices can each have a
// share of the tuples (shares.go). It is independent of the use of the tuples. Without
// the build tag cuda it is empty.
package generate
