// Package generate generates the tuples of the official Kronecker graph on a GPU, with
// their weights if they are asked for (generate.cu), bit-identical with package
// kronecker, which explains the method, and holds lists of tuples, generated or loaded from the
// host (Config). All are in the device's memory, or one part at a time in each pass over them.
// Several devices can each have a share of a list (shares.go). It is independent of the use of the tuples. Without
// the build tag cuda it is empty.
package generate
