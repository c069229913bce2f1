//go:build cuda

package validate

import (
	"context"
	"embed"
	"fmt"

	"graph500/device"
	"graph500/engine"
	rules "graph500/validate"
)

//go:embed compiled
var images embed.FS

// Load loads the modules. What is made afterwards does not wait for them.
func Load(d *device.Device) error {
	for _, name := range []string{"depths", "tuples"} {
		if _, err := d.Load("validate", images, name); err != nil {
			return err
		}
	}
	return nil
}

// checker checks one parent tree at a time by the rules of package validate, with
// the same errors and facts, from the tuples and the parents alone.
//
// Checkers of several trees take turns over each part of the tuples: begin or
// beginCount, look at each part, end.
type checker struct {
	device   *device.Device
	vertices int
	kernels  *kernels

	// table holds the bytes of validate.cuh, four a word, and while edges are
	// counted a bit a vertex. wide takes its place for trees deeper than a byte can
	// say; it is borrowed when the first of them comes.
	table  device.Array[uint32]
	facts  device.Array[facts]
	wide   device.Array[uint64]
	borrow func(device.Group) error

	// The tree between begin and end.
	parents device.Array[engine.Local]
	root    engine.Vertex
	form    tableForm
	found   facts
}

// tableForm says which form of validate.cuh the table has.
type tableForm uint8

const (
	hashedBytes tableForm = iota // Bytes<4>
	plainBytes                   // Bytes<7>
	wideEntries                  // Wide
	countedBits                  // a bit for each vertex of a tree that is not checked
)

// mostVertices is the largest graph whose depths a wide entry holds.
const mostVertices = 1<<31 - 1

// arrays declares the memory of a tree of any depth below 127.
func (c *checker) arrays(vertices uint64) []device.Declared {
	return []device.Declared{
		device.Of(&c.table, "table of validation", (vertices+3)/4),
		device.Of(&c.facts, "facts of validation", 1),
	}
}

// deep declares what a tree of 127 levels or more takes in addition.
func (c *checker) deep(vertices uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&c.wide, "table of validation for deep trees", vertices),
	}}
}

// DeepPlan lists what the validation of a tree of 127 levels or more takes beyond
// that of others.
func DeepPlan(vertices uint64) []engine.Allocation { return new(checker).deep(vertices).Plan() }

// begin checks the rules that need no tuples, and prepares the look at them.
// The parents must stay as they are until end.
func (c *checker) begin(ctx context.Context, parents device.Array[engine.Local], root engine.Vertex) error {
	switch n := c.vertices; {
	case parents.Len() != n:
		return rules.SizeError(root, parents.Len(), n)
	case uint64(root) >= uint64(n):
		return rules.RootError(root, engine.None, n)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c.parents, c.root = parents, root
	return c.findDepths(ctx)
}

// beginCount prepares the look at the tuples where nothing is checked.
func (c *checker) beginCount(ctx context.Context, parents device.Array[engine.Local]) error {
	if parents.Len() != c.vertices {
		return rules.SizeError(0, parents.Len(), c.vertices)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := c.reset(); err != nil {
		return err
	}
	c.parents, c.root, c.form = parents, 0, countedBits
	return c.kernels.mark.launch(parents.Address(), uint64(c.vertices), c.table.Address(), c.facts.Address())
}

// look looks at the first count tuples of the array, of which the first has
// the given index in the list of all tuples. It returns when the work is
// queued: the array may be filled anew by what is launched after it.
func (c *checker) look(tuples device.Array[engine.Edge], count int, index uint64) error {
	if count < 0 || count > tuples.Len() {
		return fmt.Errorf("validate: %d tuples of an array of %d", count, tuples.Len())
	}
	if count == 0 {
		return nil
	}
	args := []uint64{tuples.Address(), uint64(count), index}
	if c.form != countedBits {
		args = append(args, c.parents.Address())
	}
	args = append(args, uint64(c.vertices), c.entries(), c.facts.Address())
	if err := c.kernels.tuples[c.form].launch(args...); err != nil {
		return err
	}
	// The ends of tuples that break a rule are for the error message.
	return c.kernels.keep.launch(tuples.Address(), uint64(count), index, c.facts.Address())
}

// entries is the address of the table.
func (c *checker) entries() uint64 {
	if c.form == wideEntries {
		return c.wide.Address()
	}
	return c.table.Address()
}

// end returns the facts of the tree, or the first broken rule.
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
	f := &c.found
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

// reset forgets what was found, but that the root has a depth.
func (c *checker) reset() error {
	c.found = facts{Entry: noPlace, Path: noPlace, Edge: noPlace, Level: noPlace, Outside: noPlace, Deepest: 1}
	return c.writeFacts()
}

func (c *checker) writeFacts() error {
	return c.facts.Write(0, []facts{c.found})
}

// readFacts waits for everything launched so far.
func (c *checker) readFacts(ctx context.Context) error {
	var f [1]facts
	err := c.facts.Read(0, f[:])
	c.found = f[0]
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}
