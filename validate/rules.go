package validate

import (
	"fmt"

	"graph500/engine"
)

// Rule is one of the rules that a parent tree has to keep. They are checked
// in the order of the constants.
type Rule uint8

const (
	Size  Rule = iota // an entry for each vertex
	Root              // the root is its own parent
	Entry             // entries are vertices or none, no second root
	Path              // parents lead to the root
	Edge              // parents are neighbours
	Level             // tuples join equal or adjacent levels
)

var rules = [...]struct{ name, sentence string }{
	Size:  {"size", "the parent array has one entry for each vertex"},
	Root:  {"root", "the root is a vertex of the graph and its own parent"},
	Entry: {"entry", "every parent is a vertex of the graph or none, and only the root is its own parent"},
	Path:  {"path", "parents lead from every vertex in the tree to the root"},
	Edge:  {"edge", "every vertex in the tree but the root is joined to its parent by an input tuple"},
	Level: {"level", "the ends of an input tuple are in the tree and at most one level apart, or both outside it"},
}

// String returns the short name of the rule.
func (r Rule) String() string { return rules[r].name }

// Sentence says what the rule demands.
func (r Rule) Sentence() string { return rules[r].sentence }

// Error tells which rule a tree breaks and where.
type Error struct {
	Rule   Rule
	Root   engine.Vertex
	Vertex int64       // where, for rules Root, Entry, Path and Edge; else -1
	Tuple  int64       // index of the tuple, for rule Level; else -1
	Ends   engine.Edge // its ends, for rule Level
	detail string
}

// Error returns one line that names rule, place and root.
func (e *Error) Error() string {
	return fmt.Sprintf("the tree of root %d breaks rule %q: %s (%s)", e.Root, e.Rule, e.detail, e.Rule.Sentence())
}

func vertexError(rule Rule, root engine.Vertex, v int64, format string, args ...any) *Error {
	return &Error{Rule: rule, Root: root, Vertex: v, Tuple: -1, detail: fmt.Sprintf(format, args...)}
}

// The functions that follow make the errors of the rules from the facts at the
// place that breaks them, so that every checker reports in the same words.

// SizeError breaks rule Size: a parent array of the wrong length.
func SizeError(root engine.Vertex, parents, vertices int) *Error {
	return vertexError(Size, root, -1, "%d parents for %d vertices", parents, vertices)
}

// RootError breaks rule Root: a root that does not exist, or has the given
// parent.
func RootError(root engine.Vertex, parent engine.Local, vertices int) *Error {
	switch {
	case uint64(root) >= uint64(vertices):
		return vertexError(Root, root, int64(root), "vertex %d does not exist, the graph has %d vertices", root, vertices)
	case parent == engine.None:
		return vertexError(Root, root, int64(root), "vertex %d has no parent", root)
	}
	return vertexError(Root, root, int64(root), "vertex %d has parent %d", root, parent)
}

// EntryError breaks rule Entry: v with the given parent.
func EntryError(root, v engine.Vertex, parent engine.Local, vertices int) *Error {
	if engine.Vertex(parent) == v {
		return vertexError(Entry, root, int64(v), "vertex %d is its own parent", v)
	}
	return vertexError(Entry, root, int64(v), "vertex %d has parent %d, the graph has %d vertices", v, parent, vertices)
}

// PathError breaks rule Path: v, whose parents do not lead to the root. It
// follows them, which must keep rule Entry, to say how they end.
func PathError(root, v engine.Vertex, parents []engine.Local) *Error {
	u := engine.Local(v)
	for range parents {
		if parents[u] == engine.None {
			return vertexError(Path, root, int64(v), "the parents of vertex %d end at vertex %d, which is outside the tree", v, u)
		}
		u = parents[u]
	}
	return vertexError(Path, root, int64(v), "the parents of vertex %d run into a cycle through vertex %d", v, u)
}

// EdgeError breaks rule Edge: v with the given parent, not joined to it.
func EdgeError(root, v engine.Vertex, parent engine.Local) *Error {
	return vertexError(Edge, root, int64(v), "vertex %d has parent %d, but no input tuple joins them", v, parent)
}

// LevelError breaks rule Level: the tuple with that index and those ends, whose
// levels of U and V are given, -1 for outside the tree.
func LevelError(root engine.Vertex, index int64, ends engine.Edge, levels [2]int64) *Error {
	e := &Error{Rule: Level, Root: root, Vertex: -1, Tuple: index, Ends: ends}
	place := fmt.Sprintf("tuple %d joins vertices %d and %d", index, ends.U, ends.V)
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

// OutsideError is no fault of the tree, but of the input: the tuple with that
// index names no vertex.
func OutsideError(index int64, ends engine.Edge, vertices int) error {
	return fmt.Errorf("validate: tuple %d joins %d and %d, but the graph has %d vertices", index, ends.U, ends.V, vertices)
}
