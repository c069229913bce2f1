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
	Vertex engine.Vertex // where, for rules Root, Entry, Path and Edge; else engine.None
	Tuple  int64         // index of the tuple, for rule Level; else -1
	Ends   engine.Edge   // its ends, for rule Level
	detail string
}

// Error returns one line that names rule, place and root.
func (e *Error) Error() string {
	return fmt.Sprintf("the tree of root %d breaks rule %q: %s (%s)", e.Root, e.Rule, e.detail, e.Rule.Sentence())
}

func vertexError(rule Rule, root, v engine.Vertex, format string, args ...any) *Error {
	return &Error{Rule: rule, Root: root, Vertex: v, Tuple: -1, detail: fmt.Sprintf(format, args...)}
}

func (c *Checker) sizeError(parents []engine.Vertex, root engine.Vertex) error {
	return vertexError(Size, root, engine.None, "%d parents for %d vertices", len(parents), len(c.depth))
}

func (c *Checker) checkRoot(parents []engine.Vertex, root engine.Vertex) error {
	switch {
	case len(parents) != len(c.depth):
		return c.sizeError(parents, root)
	case uint64(root) >= uint64(len(parents)):
		return vertexError(Root, root, root, "vertex %d does not exist, the graph has %d vertices", root, len(parents))
	case parents[root] == engine.None:
		return vertexError(Root, root, root, "vertex %d has no parent", root)
	case parents[root] != root:
		return vertexError(Root, root, root, "vertex %d has parent %d", root, parents[root])
	}
	return nil
}

func entryError(parents []engine.Vertex, root, v engine.Vertex) error {
	if parents[v] == v {
		return vertexError(Entry, root, v, "vertex %d is its own parent", v)
	}
	return vertexError(Entry, root, v, "vertex %d has parent %d, the graph has %d vertices", v, parents[v], len(parents))
}

// pathError follows the parents of v, which is lost, to say how they end.
func (c *Checker) pathError(parents []engine.Vertex, root, v engine.Vertex) error {
	u := v
	for range parents {
		if parents[u] == engine.None {
			return vertexError(Path, root, v, "the parents of vertex %d end at vertex %d, which is outside the tree", v, u)
		}
		u = parents[u]
	}
	return vertexError(Path, root, v, "the parents of vertex %d run into a cycle through vertex %d", v, u)
}

func edgeError(parents []engine.Vertex, root, v engine.Vertex) error {
	return vertexError(Edge, root, v, "vertex %d has parent %d, but no input tuple joins them", v, parents[v])
}

func levelError(tuples []engine.Edge, parents []engine.Vertex, root engine.Vertex, index int64) error {
	e := &Error{Rule: Level, Root: root, Vertex: engine.None, Tuple: index, Ends: tuples[index]}
	place := fmt.Sprintf("tuple %d joins vertices %d and %d", index, e.Ends.U, e.Ends.V)
	a, b := level(parents, e.Ends.U), level(parents, e.Ends.V)
	switch {
	case a < 0:
		e.detail = fmt.Sprintf("%s, but %d is outside the tree and %d at level %d", place, e.Ends.U, e.Ends.V, b)
	case b < 0:
		e.detail = fmt.Sprintf("%s, but %d is at level %d and %d outside the tree", place, e.Ends.U, a, e.Ends.V)
	default:
		e.detail = fmt.Sprintf("%s at levels %d and %d", place, a, b)
	}
	return e
}

// level returns the distance of v from the root along parents that keep rule
// Path, or -1 outside the tree.
func level(parents []engine.Vertex, v engine.Vertex) int64 {
	if parents[v] == engine.None {
		return -1
	}
	steps := int64(0)
	for ; parents[v] != v; v = parents[v] {
		steps++
	}
	return steps
}

// outsideError is no fault of the tree, but of the input.
func outsideError(tuples []engine.Edge, index int64, vertices int) error {
	return fmt.Errorf("validate: tuple %d joins %d and %d, but the graph has %d vertices", index, tuples[index].U, tuples[index].V, vertices)
}
