//go:build cuda

package validate

import (
	"context"
	"embed"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
	rules "graph500/validate"
)

//go:embed compiled
var images embed.FS

// Load loads the modules, so that later calls do not load them.
func Load(d *device.Device) error {
	for _, name := range []string{"depths", "tuples"} {
		if _, err := d.Load("validate", images, name); err != nil {
			return err
		}
	}
	return nil
}

// checker validates one parent tree at a time by the rules of package
// graph500/validate. The calls for a tree are begin or beginCount, look for each part of
// the tuples, then end. Several checkers can process each part in turn.
type checker struct {
	device   *device.Device
	vertices int
	kernels  *kernels

	// table has one byte per vertex (validate.cuh), four per word, or one bit per
	// vertex for CountEdges. For trees whose depths do not fit in a byte, wide is used
	// instead; it is allocated at the first such tree.
	table  device.Array[uint32]
	facts  device.Array[facts]
	wide   device.Array[uint64]
	borrow func(device.Group) error

	// The tree between begin and end.
	parents   device.Array[engine.Local]
	root      engine.Vertex
	form      tableForm
	hostFacts facts // copy of facts in host memory
}

// tableForm is the format of the table (validate.cuh).
type tableForm uint8

const (
	hashedBytes tableForm = iota // Bytes<4>
	plainBytes                   // Bytes<7>
	wideEntries                  // Wide
	countedBits                  // one bit per vertex, for CountEdges
)

// maxVertices is the largest number of vertices whose depths fit in a wide entry.
const maxVertices = 1<<31 - 1

// arrays declares the memory for trees with depths below 127.
func (c *checker) arrays(vertices uint64) []device.Declared {
	return []device.Declared{
		device.Of(&c.table, "table of validation", (vertices+3)/4),
		device.Of(&c.facts, "facts of validation", 1),
	}
}

// deep declares the additional memory for a tree of 127 levels or more.
func (c *checker) deep(vertices uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&c.wide, "table of validation for deep trees", vertices),
	}}
}

// DeepPlan lists the additional memory for the validation of a tree of 127 levels or
// more.
func DeepPlan(vertices uint64) []engine.Allocation { return new(checker).deep(vertices).Plan() }

// begin checks the rules that need no tuples, and prepares the pass over the tuples.
// parents has an entry for each vertex and must not change until end.
func (c *checker) begin(ctx context.Context, parents device.Array[engine.Local], root engine.Vertex) error {
	if uint64(root) >= uint64(c.vertices) {
		return rules.RootError(root, engine.None, c.vertices)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c.parents, c.root = parents, root
	return c.findDepths(ctx)
}

// beginCount prepares the pass over the tuples for CountEdges.
func (c *checker) beginCount(ctx context.Context, parents device.Array[engine.Local]) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := c.reset(); err != nil {
		return err
	}
	c.parents, c.root, c.form = parents, 0, countedBits
	return c.kernels.mark.launch(parents.Address(), uint64(c.vertices), c.table.Address(), c.facts.Address())
}

// look processes a part of the tuples. It queues the work in the stream and returns at
// once: later work in the stream may overwrite the part.
func (c *checker) look(part generate.Part) error {
	if part.Count == 0 {
		return nil
	}
	args := []uint64{part.Edges.Address(), uint64(part.Count), part.First}
	if c.form != countedBits {
		args = append(args, c.parents.Address())
	}
	args = append(args, uint64(c.vertices), c.entries(), c.facts.Address())
	if err := c.kernels.tuples[c.form].launch(args...); err != nil {
		return err
	}
	// The error messages need the endpoints of the tuples that break a rule.
	return c.kernels.keep.launch(part.Edges.Address(), uint64(part.Count), part.First, c.facts.Address())
}

// entries returns the address of the table.
func (c *checker) entries() uint64 {
	if c.form == wideEntries {
		return c.wide.Address()
	}
	return c.table.Address()
}

// end returns the facts of the tree, or the error of the first broken rule.
func (c *checker) end(ctx context.Context) (engine.Tree, error) {
	if c.form != countedBits {
		unjoined := c.kernels.unjoined
		if c.form == wideEntries {
			unjoined = c.kernels.unjoinedWide
		}
		if err := unjoined.launch(c.entries(), uint64(c.vertices), uint64(c.root), c.facts.Address()); err != nil {
			return engine.Tree{}, err
		}
	}
	if err := c.readFacts(ctx); err != nil {
		return engine.Tree{}, err
	}
	f := &c.hostFacts
	switch {
	case f.Outside != noPlace:
		return engine.Tree{}, rules.OutsideError(int64(f.Outside), edge(f.OutsideEnds), c.vertices)
	case f.Edge != noPlace:
		return engine.Tree{}, c.vertexError(f.Edge, rules.EdgeError)
	case f.Level != noPlace:
		return engine.Tree{}, c.levelError()
	}
	return engine.Tree{Visited: int64(f.Visited), Edges: int64(f.Edges), SelfLoops: int64(f.Loops), Depth: int64(f.Deepest) - 1}, nil
}

// reset initialises the facts for a new tree, in which only the root has a depth.
func (c *checker) reset() error {
	c.hostFacts = facts{Entry: noPlace, Path: noPlace, Edge: noPlace, Level: noPlace, Outside: noPlace, Deepest: 1}
	return c.writeFacts()
}

func (c *checker) writeFacts() error {
	return c.facts.Write(0, []facts{c.hostFacts})
}

// readFacts copies the facts to hostFacts, after all work launched so far.
func (c *checker) readFacts(ctx context.Context) error {
	var f [1]facts
	err := c.facts.Read(0, f[:])
	c.hostFacts = f[0]
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}
