// Package hubs is breadth-first search by depths of hubs: the graph in the form that the
// search reads, and the search, one persistent kernel.
//
// Nearly every vertex has a hub as its neighbour of highest degree, and nearly every parent
// is that neighbour. So the search first finds the depths of all hubs, which are few. Then
// one dense pass settles two large levels at once: a vertex whose first neighbour is in the
// frontier is found by the level, one whose hubs are found by the level itself is found by
// the next one, and both have their first neighbour as their parent. Most vertices have a hub as
// their first neighbour, of which two bytes tell; the first neighbours of the others are in lists.
//
// Several devices that access each other's memory have the parts of a graph by ranges of labels, and
// make the same search together. If a device has no room for all lists, some pieces lie in host memory
// (pieces.cuh): of the rows next to a row those behind a prefix, the same for all rows; of each other
// kind of list those of the last rows or hubs. Such split rows are searched by images of their own
// (split.cu, splitpeers.cu; with 2^32 pieces of the lists of rows or more splitmany.cu, splitpeersmany.cu), so that whole rows
// need no comparison for each piece. What is read of host memory is counted in the counted form only (../hostreads.cuh).
//
// The package must not know the engine, or how a graph is built.
package hubs
