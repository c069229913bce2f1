// Package validate checks parent trees on a GPU by the rules of the package of the
// same name for the host, with the same errors and facts (depths.cu, tuples.cu). It
// sees tuples, parents and a root, and must not know the graph that was searched: a
// fault in construction must not hide itself. Without the build tag cuda it is
// empty.
package validate
