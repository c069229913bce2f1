// Package stream goes over whole arrays of a GPU at the speed of its memory: it
// fills them, and measures what a copy reaches. It must not know what is in them.
// Without the build tag cuda it is empty.
package stream
