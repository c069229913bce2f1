package validate

import (
	"fmt"

	"graph500/engine"
)

// Rule is a rule of a valid search result. The rules of a kernel are checked in the
// order of the constants.
type Rule uint8

const (
	// Both kernels.
	Size  Rule = iota // one entry per vertex
	Root              // the root is its own parent
	Entry             // entries are vertices or None, and there is no second root
	Path              // parents lead to the root

	// BFS.
	Edge  // every parent is a neighbour
	Level // tuples join vertices of equal or adjacent levels

	// SSSP.
	Distance // distances are numbers of 0 or more, Unreached outside the tree
	Tight    // the distance of a vertex is that of its parent plus the weight between them
	Relaxed  // no tuple leads out of the tree or shortens a distance
)

var rules = [...]struct{ name, sentence string }{
	Size:  {"size", "parents, and distances if the kernel has them, have one entry for each vertex"},
	Root:  {"root", "the root is a vertex of the graph and its own parent"},
	Entry: {"entry", "every parent is a vertex of the graph or none, and only the root is its own parent"},
	Path:  {"path", "parents lead from every vertex in the tree to the root"},
	Edge:  {"edge", "every vertex in the tree but the root is joined to its parent by an input tuple"},
	Level: {"level", "the ends of an input tuple are in the tree and at most one level apart, or both outside it"},

	Distance: {"distance", "the root has distance 0, the other vertices in the tree have finite distances of 0 or more, and those outside it have -1"},
	Tight:    {"tight", "every vertex in the tree but the root is joined to its parent by an input tuple whose weight, added to the parent's distance in float32 or in whole numbers, gives exactly its own"},
	Relaxed:  {"relaxed", "the ends of an input tuple are in the tree and neither distance is larger than the other plus the weight, in float32 or in whole numbers, or both outside it"},
}

// String returns the short name of the rule.
func (r Rule) String() string { return rules[r].name }

// Sentence returns the rule as a sentence.
func (r Rule) Sentence() string { return rules[r].sentence }

// Error describes where a tree breaks a rule.
type Error struct {
	Rule   Rule
	Root   engine.Vertex
	Vertex int64       // vertex that breaks the rule; -1 for Size, Level and Relaxed
	Tuple  int64       // index of the tuple that breaks rule Level or Relaxed; else -1
	Ends   engine.Edge // ends of this tuple
	detail string
}

// Error returns one line that names rule, place and root.
func (e *Error) Error() string {
	return fmt.Sprintf("the tree of root %d breaks rule %q: %s (%s)", e.Root, e.Rule, e.detail, e.Rule.Sentence())
}

func vertexError(rule Rule, root engine.Vertex, v int64, format string, args ...any) *Error {
	return &Error{Rule: rule, Root: root, Vertex: v, Tuple: -1, detail: fmt.Sprintf(format, args...)}
}

// The following functions return the errors of the rules. All checkers use them,
// so that all report errors in the same form.

// SizeError is the error of rule Size: an array of the wrong length. what names its
// entries: parents or distances.
func SizeError(root engine.Vertex, what string, entries, vertices int) *Error {
	return vertexError(Size, root, -1, "%d %s for %d vertices", entries, what, vertices)
}

// RootError is the error of rule Root: a root that does not exist, or that has the
// given parent.
func RootError(root engine.Vertex, parent engine.Label, vertices int) *Error {
	switch {
	case uint64(root) >= uint64(vertices):
		return vertexError(Root, root, int64(root), "vertex %d does not exist, the graph has %d vertices", root, vertices)
	case parent == engine.None:
		return vertexError(Root, root, int64(root), "vertex %d has no parent", root)
	case parent == engine.Beyond:
		return vertexError(Root, root, int64(root), "vertex %d has a parent of more than 32 bits", root)
	}
	return vertexError(Root, root, int64(root), "vertex %d has parent %d", root, parent)
}

// EntryError is the error of rule Entry: v has the given invalid parent.
func EntryError(root, v engine.Vertex, parent engine.Label, vertices int) *Error {
	if engine.Vertex(parent) == v {
		return vertexError(Entry, root, int64(v), "vertex %d is its own parent", v)
	}
	if parent == engine.Beyond {
		return vertexError(Entry, root, int64(v), "vertex %d has a parent of more than 32 bits, the graph has %d vertices", v, vertices)
	}
	return vertexError(Entry, root, int64(v), "vertex %d has parent %d, the graph has %d vertices", v, parent, vertices)
}

// PathError is the error of rule Path: the parents of v do not lead to the root.
// It follows the parents, which must satisfy rule Entry, to describe their end.
func PathError(root, v engine.Vertex, parents []engine.Label) *Error {
	u := engine.Label(v)
	for range parents {
		if parents[u] == engine.None {
			return pathError(root, v, u, false)
		}
		u = parents[u]
	}
	return pathError(root, v, u, true)
}

// pathError is PathError for parents that end at vertex end, outside the tree or in a
// cycle.
func pathError(root, v engine.Vertex, end engine.Label, cycle bool) *Error {
	if cycle {
		return vertexError(Path, root, int64(v), "the parents of vertex %d run into a cycle through vertex %d", v, end)
	}
	return vertexError(Path, root, int64(v), "the parents of vertex %d end at vertex %d, which is outside the tree", v, end)
}

// EdgeError is the error of rule Edge: no tuple joins v to the given parent.
func EdgeError(root, v engine.Vertex, parent engine.Label) *Error {
	return vertexError(Edge, root, int64(v), "vertex %d has parent %d, but no input tuple joins them", v, parent)
}

// LevelError is the error of rule Level: the tuple with the given index and ends.
// levels holds the levels of U and V, -1 outside the tree.
func LevelError(root engine.Vertex, index int64, ends engine.Edge, levels [2]int64) *Error {
	e := &Error{Rule: Level, Root: root, Vertex: -1, Tuple: index, Ends: ends}
	place := placeOf(index, ends)
	switch a, b := levels[0], levels[1]; {
	case a < 0:
		e.detail = fmt.Sprintf("%s, but %d is outside the tree and %d at level %d", place, ends.U, ends.V, b)
	case b < 0:
		e.detail = fmt.Sprintf("%s, but %d is at level %d and %d outside the tree", place, ends.U, a, ends.V)
	default:
		e.detail = fmt.Sprintf("%s at levels %d and %d", place, a, b)
	}
	return e
}

// placeOf begins the message about a tuple.
func placeOf(index int64, ends engine.Edge) string {
	return fmt.Sprintf("tuple %d joins vertices %d and %d", index, ends.U, ends.V)
}

// A Number is the type of distances: float32, or uint64 with engine.Job.Integers.
type Number interface{ float32 | uint64 }

// unreachedOf returns the distance of an unvisited vertex, engine.Unreached or engine.UnreachedExact.
func unreachedOf[L Number]() L {
	var zero L
	return zero - 1
}

// DistanceError is the error of rule Distance: v has the given parent and distance.
func DistanceError[L Number](root, v engine.Vertex, parent engine.Label, distance L) *Error {
	switch {
	case v == root:
		return vertexError(Distance, root, int64(v), "the root %d has distance %v", v, distance)
	case parent == engine.None:
		return vertexError(Distance, root, int64(v), "vertex %d has no parent, but distance %v", v, distance)
	}
	return vertexError(Distance, root, int64(v), "vertex %d has parent %d and distance %v", v, parent, distance)
}

// TightError is the error of rule Tight: no tuple that joins v to the given parent
// has a weight that fits their distances. least is the least weight of such a tuple,
// that of an unvisited vertex if there is none.
func TightError[L Number](root, v engine.Vertex, parent engine.Label, distance, ofParent, least L) *Error {
	const place = "vertex %d at distance %v has parent %d at distance %v, but "
	if least == unreachedOf[L]() {
		return vertexError(Tight, root, int64(v), place+"no input tuple joins them", v, distance, parent, ofParent)
	}
	return vertexError(Tight, root, int64(v), place+"no weight between them fits: the least is %v and leads to %v",
		v, distance, parent, ofParent, least, ofParent+least)
}

// RelaxedError is the error of rule Relaxed: the tuple with the given index, ends
// and weight. distances holds the distances of U and V.
func RelaxedError[L Number](root engine.Vertex, index int64, ends engine.Edge, weight L, distances [2]L) *Error {
	e := &Error{Rule: Relaxed, Root: root, Vertex: -1, Tuple: index, Ends: ends}
	place := placeOf(index, ends)
	switch a, b := distances[0], distances[1]; {
	case a == unreachedOf[L]():
		e.detail = fmt.Sprintf("%s, but %d is outside the tree and %d at distance %v", place, ends.U, ends.V, b)
	case b == unreachedOf[L]():
		e.detail = fmt.Sprintf("%s, but %d is at distance %v and %d outside the tree", place, ends.U, a, ends.V)
	default:
		e.detail = fmt.Sprintf("%s at distances %v and %v with weight %v, which shortens the larger one to %v", place, a, b, weight, min(a, b)+weight)
	}
	return e
}

// OutsideError is the error of a tuple with an end out of range. It is an error of
// the input, not of a tree.
func OutsideError(index int64, ends engine.Edge, vertices int) error {
	return fmt.Errorf("validate: tuple %d joins %d and %d, but the graph has %d vertices", index, ends.U, ends.V, vertices)
}

// WeightError is the error of a tuple whose weight is not a finite number of 0 or
// more. It is an error of the input, not of a tree.
func WeightError(index int64, weight float32) error {
	return fmt.Errorf("validate: tuple %d has weight %v, which is not a finite number of 0 or more", index, weight)
}
