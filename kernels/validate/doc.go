// Package validate checks the results of searches on a GPU by the rules of package
// graph500/validate, with the same errors and facts (depths.cu; tuples.cu for BFS;
// distances.cu for SSSP), on one device or on several that each have a share of the tuples
// (Batch). It uses only the tuples, the results and the root, not the
// constructed graph, so that an error in construction cannot hide itself. Without the
// build tag cuda it is empty.
package validate
