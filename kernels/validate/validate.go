//go:build cuda

package validate

import (
	"context"
	"embed"
	"math"
	"unsafe"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
	cores "graph500/validate"
)

//go:embed compiled
var images embed.FS

// modules names the modules of a kernel's validation, for labels of the tuples of 32 or, if wide,
// of 48 bits.
func modules(kernel engine.Kernel, wide bool) []string {
	names := []string{"depths", generate.ModuleOf("tuples", wide)}
	if kernel == engine.SSSP {
		names = append(names, generate.ModuleOf("distances", wide))
	}
	return names
}

// Load loads the modules for a kernel, so that later calls do not load them. distributed devices
// cannot access each other's memory.
func Load(d *device.Device, kernel engine.Kernel, wide, distributed bool) error {
	names := modules(kernel, wide)
	if distributed {
		names = append(names, "join")
	}
	for _, name := range names {
		if _, err := d.Load("validate", images, name); err != nil {
			return err
		}
	}
	return nil
}

// checker validates one search at a time by the rules of package graph500/validate. The calls for a
// parent tree of BFS are begin or beginCount, look for each part of the tuples, findUnjoined unless
// it only counts, readFacts, then verdict. Several checkers can process each part in turn.
// distances.go has the calls for SSSP.
type checker struct {
	device   *device.Device
	vertices int
	number   int // of the checker in its batch
	kernels  *kernels
	*tables
	facts  *device.Array[facts] // by number of the checker
	borrow func(device.Group) error

	// The search between begin and verdict.
	parents   device.Array[engine.Label]
	root      engine.Vertex
	form      tableForm
	hostFacts facts // copy of facts in host memory
}

// tables hold the depths of the vertices. table has one byte per vertex (validate.cuh),
// four per word, or bitmaps for CountEdges. For trees whose depths do not fit in a byte,
// deepTable is used instead; it is allocated at the first such tree. BFS needs the depths
// until verdict, SSSP only in begin, so that its checkers share the tables.
type tables struct {
	table     device.Array[uint32]
	deepTable device.Array[uint64]
	// bitmaps is the number of checkers that share the table.
	bitmaps int
}

// tableForm is the format of the table (validate.cuh).
type tableForm uint8

const (
	hashedBytes tableForm = iota // Bytes<4>
	plainBytes                   // Bytes<7>
	deepEntries                  // Deep
	countedBits                  // one bit per vertex, for CountEdges
)

// maxDepth is the largest depth+1 that fits in a Deep entry, so the largest depth of a tree
// is one less. maxVertices is the largest number of vertices: with this many, only a path
// through all of them is too deep.
const (
	maxDepth    = 1<<31 - 1
	maxVertices = 1 << 31
)

// arrays declares the memory for trees with depths below 127.
func (t *tables) arrays(vertices uint64) []device.Declared {
	return []device.Declared{
		device.Of(&t.table, "table of validation", max((vertices+3)/4, uint64(t.bitmaps)*bitmapWords(vertices))),
	}
}

// bitmapWords returns the length of a bitmap of the vertices.
func bitmapWords(vertices uint64) uint64 { return (vertices + 31) / 32 }

// deep declares the additional memory for a tree of 127 levels or more.
func (t *tables) deep(vertices uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&t.deepTable, "table of validation for deep trees", vertices),
	}}
}

// DeepPlan lists the additional memory for the validation of a tree of 127 levels or
// more.
func DeepPlan(vertices uint64) []engine.Allocation { return new(tables).deep(vertices).Plan() }

// begin checks the rules of BFS that need no tuples, and prepares the pass over the
// tuples. parents has an entry for each vertex and must not change until verdict.
func (c *checker) begin(ctx context.Context, parents device.Array[engine.Label], root engine.Vertex) error {
	if err := c.findDepths(ctx, parents, root); err != nil {
		return err
	}
	if c.form == plainBytes && c.hostFacts.Deepest <= maxHashedDepth {
		c.form = hashedBytes
		return c.kernels.hash.launch(parents.Address(), uint64(c.vertices), c.table.Address())
	}
	return nil
}

// beginCount prepares the pass over the tuples for CountEdges. parents may change after
// the work queued in the stream.
func (c *checker) beginCount(ctx context.Context, parents device.Array[engine.Label]) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := c.reset(); err != nil {
		return err
	}
	c.root, c.form = 0, countedBits
	return c.kernels.mark.launch(parents.Address(), uint64(c.vertices), c.entries(), c.factsAddress())
}

// look processes a part of the tuples. It queues the work in the stream and returns at
// once: later work in the stream may overwrite the part.
func (c *checker) look(part generate.Part) error {
	if part.Count == 0 {
		return nil
	}
	args := []uint64{part.Address(), uint64(part.Count), part.First}
	if c.form != countedBits {
		args = append(args, c.parents.Address())
	}
	args = append(args, uint64(c.vertices), c.entries(), c.factsAddress())
	if err := c.kernels.tuples[c.form].launch(args...); err != nil {
		return err
	}
	return c.keepBroken(part)
}

// keepBroken stores what the error messages need of the tuples of the part that break a
// rule.
func (c *checker) keepBroken(part generate.Part) error {
	return c.kernels.keep.launch(part.Address(), part.Weights.Address(), uint64(part.Count), part.First, c.factsAddress())
}

// entries returns the address of the table, or of the checker's bitmap.
func (c *checker) entries() uint64 {
	switch {
	case c.form == deepEntries:
		return c.deepTable.Address()
	case c.form == countedBits && c.bitmaps > 1:
		return c.table.Address() + 4*uint64(c.number)*bitmapWords(uint64(c.vertices))
	}
	return c.table.Address()
}

// marks returns the table, which has the marks of the vertices that a tuple joins to their
// parents, as words.
func (c *checker) marks() device.Array[uint32] {
	if c.form == deepEntries {
		return device.As[uint32](c.deepTable)
	}
	return c.table
}

// findUnjoined finds the smallest vertex that no tuple joins to its parent.
func (c *checker) findUnjoined() error {
	unjoined := c.kernels.unjoined
	if c.form == deepEntries {
		unjoined = c.kernels.unjoinedDeep
	}
	return unjoined.launch(c.entries(), uint64(c.vertices), uint64(c.root), c.factsAddress())
}

// verdict returns the facts of the tree, or the error of the first broken rule, once all facts are
// in host memory.
func (c *checker) verdict() (engine.Tree, error) {
	f := &c.hostFacts
	switch {
	case f.Outside != noPlace:
		return engine.Tree{}, c.outsideError()
	case f.Apart != noPlace:
		return engine.Tree{}, c.vertexError(f.Apart, cores.EdgeError)
	case f.Tuple != noPlace:
		return engine.Tree{}, c.levelError()
	}
	return c.tree(), nil
}

// tree returns the facts of the tree.
func (c *checker) tree() engine.Tree {
	f := &c.hostFacts
	return engine.Tree{
		Visited:     int64(f.Visited),
		Edges:       int64(f.Edges),
		SelfLoops:   int64(f.Loops),
		Depth:       int64(f.Deepest) - 1,
		MaxDistance: math.Float32frombits(f.Farthest),
	}
}

// reset initialises the facts for a new tree, in which only the root has a depth.
func (c *checker) reset() error {
	c.hostFacts = facts{
		Entry: noPlace, Path: noPlace, Distance: noPlace, Apart: noPlace, Tuple: noPlace, Outside: noPlace, Weight: noPlace,
		LeastWeight: math.Float32bits(engine.Unreached), Deepest: 1,
	}
	return c.writeFacts()
}

// factsAddress returns the address of the checker's facts.
func (c *checker) factsAddress() uint64 {
	return c.facts.Address() + uint64(c.number)*uint64(unsafe.Sizeof(facts{}))
}

func (c *checker) writeFacts() error {
	return c.facts.Write(c.number, []facts{c.hostFacts})
}

// readFacts copies the facts to hostFacts, after all work launched so far.
func (c *checker) readFacts(ctx context.Context) error {
	var f [1]facts
	err := c.facts.Read(c.number, f[:])
	c.hostFacts = f[0]
	if err != nil {
		return err
	}
	return context.Cause(ctx)
}
