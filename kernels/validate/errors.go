//go:build cuda

package validate

import (
	"graph500/engine"
	"graph500/memory"
	cores "graph500/validate"
)

// vertexError returns the error of a rule that is broken at a vertex. It reads the
// vertex's parent for the message.
func (c *checker) vertexError(at uint64, of func(root, at engine.Vertex, parent engine.Label) *cores.Error) error {
	var parent [1]engine.Label
	if err := c.parents.Read(int(at), parent[:]); err != nil {
		return err
	}
	return of(c.root, engine.Vertex(at), parent[0])
}

// outsideError returns the error of a tuple with a label out of range.
func (c *checker) outsideError() error {
	return cores.OutsideError(int64(c.hostFacts.Outside), edge(c.hostFacts.OutsideEnds), c.vertices)
}

// pathError returns the error of rule Path. It copies all parents to the host, where
// cores.PathError follows them.
func (c *checker) pathError() error {
	parents, err := memory.Alloc[engine.Label](c.vertices)
	if err != nil {
		return err
	}
	if err = c.parents.Read(0, parents); err == nil {
		err = cores.PathError(c.root, engine.Vertex(c.hostFacts.Path), parents)
	}
	if e := memory.Free(parents); e != nil {
		return e
	}
	return err
}

// levelError returns the error of rule Level.
func (c *checker) levelError() error {
	ends := edge(c.hostFacts.TupleEnds)
	var levels [2]int64
	for i, at := range []engine.Label{ends.U, ends.V} {
		var err error
		if levels[i], err = c.level(at); err != nil {
			return err
		}
	}
	return cores.LevelError(c.root, int64(c.hostFacts.Tuple), ends, levels)
}

// level returns the depth of a vertex from the table, or -1 outside the tree.
func (c *checker) level(at engine.Label) (int64, error) {
	if c.form == deepEntries {
		var entry [1]uint64
		err := c.deepTable.Read(int(at), entry[:])
		return int64(entry[0]&(1<<31-1)) - 1, err
	}
	var word [1]uint32
	err := c.table.Read(int(at/4), word[:])
	mask := uint32(1<<7 - 1)
	if c.form == hashedBytes {
		mask = 1<<4 - 1
	}
	return int64(word[0]>>(at%4*8)&mask) - 1, err
}

// edge returns the tuple of two endpoints.
func edge(ends [2]engine.Label) engine.Edge { return engine.Edge{U: ends[0], V: ends[1]} }
