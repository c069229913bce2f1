//go:build cuda

package validate

import (
	"math"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/kernels/generate"
)

// joinMarks joins the marks of all devices, which mark vertices by their own tuples: the
// exchange adds those of the others to the tables of each device. Without an exchange, each
// device will read the tables of all for a part of the vertices.
func (e *examination) joinMarks(begun int) error {
	if e.counts || e.Team.Count() == 1 {
		return nil
	}
	tables, err := e.tables(begun)
	if err != nil {
		return err
	}
	for _, table := range tables {
		if e.Exchange != nil {
			err = e.joinTables(table)
		} else {
			err = e.findMarks(table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tables returns the tables with the marks of the first begun searches, each by index of the
// device: of BFS one for each search, which must have the same form on all devices, of SSSP one
// for all searches.
func (e *examination) tables(begun int) (tables [][]device.Array[uint32], err error) {
	if e.paths {
		table := make([]device.Array[uint32], len(e.Trees))
		for i, k := range e.Trees {
			table[i] = device.As[uint32](k.columns.joined)
		}
		return append(tables, table), nil
	}
	for n := range begun {
		table, forms := make([]device.Array[uint32], len(e.Trees)), make([]tableForm, len(e.Trees))
		for i, k := range e.Trees {
			table[i], forms[i] = k.checkers[n].marks(), k.checkers[n].form
		}
		all, err := device.Gather(e.Team, forms)
		if err != nil {
			return nil, err
		}
		for k, form := range all {
			if form != all[0] {
				return nil, differ(k)
			}
		}
		tables = append(tables, table)
	}
	return tables, nil
}

// findMarks adds the addresses of a table of all devices to the marks.
func (e *examination) findMarks(table []device.Array[uint32]) error {
	seen, err := device.Reach(e.Team, table)
	if err != nil {
		return err
	}
	addresses := make([][]uint64, len(seen))
	for i, arrays := range seen {
		for _, a := range arrays {
			addresses[i] = append(addresses[i], a.Address())
		}
	}
	e.marks = append(e.marks, addresses)
	return nil
}

// joinTables adds to a table of each device the marks of those of all devices.
func (e *examination) joinTables(table []device.Array[uint32]) error {
	words := table[0].Len()
	most := e.Buffers[0].Len() / 4 / e.Team.Count()
	for first := 0; first < words; first += most {
		if err := e.joinWords(table, first, min(most, words-first)); err != nil {
			return err
		}
	}
	return nil
}

// joinWords joins count words of the tables from one on.
func (e *examination) joinWords(table []device.Array[uint32], first, count int) error {
	buffers, spans := make([]device.Array[uint32], len(e.Buffers)), make([]exchange.Span, e.Team.Count())
	for k := range spans {
		spans[k] = exchange.Span{First: k * count, Count: count}
	}
	for i, b := range e.Buffers {
		buffers[i] = device.As[uint32](b)
		if err := buffers[i].CopyPart(spans[e.Team.First()+i].First, table[i], first, count); err != nil {
			return err
		}
	}
	if err := exchange.Gather(e.Exchange, buffers, spans); err != nil {
		return err
	}
	for i, k := range e.Trees {
		at, err := table[i].AddressOf(first, count)
		if err != nil {
			return err
		}
		m, err := k.device.Load("validate", images, "join")
		if err != nil {
			return err
		}
		join, err := m.Kernel("validate_join")
		if err != nil {
			return err
		}
		if err := join.Launch((count+vertexThreads-1)/vertexThreads, vertexThreads, 0, at, buffers[i].Address(), uint64(count), uint64(len(spans))); err != nil {
			return err
		}
	}
	return nil
}

// findUnmarked finds the smallest vertex of search n without a mark on a device: of all vertices
// if its table has all marks, else of its part of them, in the tables of all devices.
func (e *examination) findUnmarked(i, n int) error {
	k := e.Trees[i]
	c := k.checkers[n]
	part := func(entries uint64) (first, end uint64) {
		first, count := generate.ShareOf(entries, e.Team.Count(), e.Team.First()+i)
		return first, first + count
	}
	switch {
	case e.counts:
		return nil
	case e.paths && e.marks == nil:
		return k.findApart(n)
	case e.paths:
		first, end := part(uint64(c.vertices))
		return c.kernels.apartTogether.launch(withTables(e.marks[0][i], first, end, uint64(k.columns.width), uint64(n), c.factsAddress())...)
	case e.marks == nil:
		return c.findUnjoined()
	}
	kernel, entries := c.kernels.together, (uint64(c.vertices)+3)/4
	if c.form == deepEntries {
		kernel, entries = c.kernels.togetherDeep, uint64(c.vertices)
	}
	first, end := part(entries)
	return kernel.launch(withTables(e.marks[n][i], first, end, uint64(c.root), c.factsAddress())...)
}

// withTables adds the number and the addresses of the tables of all devices to the arguments
// of a kernel.
func withTables(tables []uint64, args ...uint64) []uint64 {
	args = append(append(args, uint64(len(tables))), tables...)
	return append(args, make([]uint64, device.MostTogether-len(tables))...)
}

// leastWeight returns the least weight of the tuples of all shares that join vertex Apart of
// search n to its parent, engine.Unreached if none does. The first checker has the joined facts.
func (e *examination) leastWeight(n int) (float32, error) {
	joined := e.Trees[0].checkers[n].hostFacts
	own := make([]float32, len(e.Trees))
	if err := e.Team.Together(func(i int) (err error) {
		e.Trees[i].checkers[n].hostFacts.Apart = joined.Apart
		own[i], err = e.Trees[i].leastWeight(e.ctx, n, e.Shares[i])
		return err
	}); err != nil {
		return 0, err
	}
	e.Trees[0].checkers[n].hostFacts = joined
	all, err := device.Gather(e.Team, own)
	least := all[0]
	for _, weight := range all {
		// The bits of engine.Unreached are above those of all weights.
		least = math.Float32frombits(min(math.Float32bits(least), math.Float32bits(weight)))
	}
	return least, err
}
