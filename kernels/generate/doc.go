// Package generate makes the tuples of the official Kronecker graph on a GPU
// (generate.cu), bit-identical with package kronecker, which explains the method.
// It keeps all of them in the device's memory, or makes them again a part at a
// time whenever someone goes through them. It must not know what the tuples are
// for. Without the build tag cuda it is empty.
package generate
