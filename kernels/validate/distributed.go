//go:build cuda

package validate

import (
	"context"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/generate"
)

// LoadDistributed loads the module of CheckDistributed, in addition to those of Load.
func LoadDistributed(d *device.Device) error {
	_, err := d.Load("validate", images, "join")
	return err
}

// CheckDistributed is CheckTogether on devices that cannot access each other's memory. The
// exchange copies the marks of the tables through the buffers, one on each device of this
// process, equally long.
func CheckDistributed(ctx context.Context, team *device.Team, x exchange.Exchange, buffers []device.Array[byte], trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	t := &distributed{together{ctx: ctx, team: team, trees: trees, shares: shares}, x, buffers}
	if len(trees) > 0 && trees[0].columns != nil {
		return t.checkPaths()
	}
	return t.finish((*Trees).beginCheck)
}

// CountEdgesDistributed is CountEdges as CheckDistributed is Check.
func CountEdgesDistributed(ctx context.Context, team *device.Team, x exchange.Exchange, buffers []device.Array[byte], trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	return (&distributed{together{ctx: ctx, team: team, trees: trees, shares: shares}, x, buffers}).finish((*Trees).beginCount)
}

// distributed is a batch on devices that cannot access each other's memory.
type distributed struct {
	together
	exchange exchange.Exchange
	buffers  []device.Array[byte] // by index of the device
}

// finish is finishTogether.
func (t *distributed) finish(do func(k *Trees, ctx context.Context) begin) ([]engine.Tree, error) {
	if err := checkTogether(t.team, t.trees, t.shares); err != nil {
		return nil, err
	}
	begun, broken := t.begin(do)
	if begun == 0 {
		return nil, broken
	}
	if err := t.team.Together(func(i int) error { return t.look(i, begun) }); err != nil {
		return nil, err
	}
	for n := range begun {
		if err := t.joinMarks(n); err != nil {
			return nil, err
		}
	}
	if err := t.team.Together(func(i int) error { return t.end(i, begun) }); err != nil {
		return nil, err
	}
	if err := t.exchange.State(); err != nil {
		return nil, err
	}
	if err := t.gatherFacts(begun); err != nil {
		return nil, err
	}
	return endAll(begun, broken, t.verdict)
}

// joinMarks adds to the tables of search n the marks of the tables of all devices, which
// must have the same form.
func (t *distributed) joinMarks(n int) error {
	own := make([]tableForm, len(t.trees))
	for i, trees := range t.trees {
		own[i] = trees.checkers[n].form
	}
	all, err := device.Gather(t.team, own)
	if err != nil {
		return err
	}
	for k, form := range all {
		if form != all[0] {
			return differ(k)
		}
	}
	if all[0] == countedBits {
		return nil
	}
	return t.joinTables(func(i int) device.Array[uint32] { return t.words(i, n) })
}

// words returns the table of search n on device i, as words of 4 bytes.
func (t *distributed) words(i, n int) device.Array[uint32] {
	if c := t.trees[i].checkers[n]; c.form == wideEntries {
		return device.As[uint32](c.wide)
	}
	return t.trees[i].checkers[n].table
}

// joinTables adds to a table of each device the marks of those of all devices. table returns that
// of device i.
func (t *distributed) joinTables(table func(i int) device.Array[uint32]) error {
	words := table(0).Len()
	most := t.buffers[0].Len() / 4 / t.team.Count()
	for first := 0; first < words; first += most {
		if err := t.joinWords(table, first, min(most, words-first)); err != nil {
			return err
		}
	}
	return nil
}

// joinWords joins count words of the tables from one on.
func (t *distributed) joinWords(table func(i int) device.Array[uint32], first, count int) error {
	buffers, spans := make([]device.Array[uint32], len(t.buffers)), make([]exchange.Span, t.team.Count())
	for k := range spans {
		spans[k] = exchange.Span{First: k * count, Count: count}
	}
	for i, b := range t.buffers {
		buffers[i] = device.As[uint32](b)
		if err := buffers[i].CopyPart(spans[t.team.First()+i].First, table(i), first, count); err != nil {
			return err
		}
	}
	if err := exchange.Gather(t.exchange, buffers, spans); err != nil {
		return err
	}
	for i, trees := range t.trees {
		at, err := table(i).AddressOf(first, count)
		if err != nil {
			return err
		}
		m, err := trees.device.Load("validate", images, "join")
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

// end finds the unjoined vertices on a device, and reads its facts.
func (t *distributed) end(i, begun int) error {
	for _, c := range t.trees[i].checkers[:begun] {
		if err := c.findUnjoined(); err != nil {
			return err
		}
		if err := c.readFacts(t.ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkPaths is checkPathsTogether. The marks of all searches are joined together.
func (t *distributed) checkPaths() ([]engine.Tree, error) {
	begun, broken, err := t.relaxAll()
	if err != nil {
		return nil, err
	}
	if begun == 0 {
		return nil, broken
	}
	if err := t.joinTables(func(i int) device.Array[uint32] { return device.As[uint32](t.trees[i].columns.joined) }); err != nil {
		return nil, err
	}
	if err := t.team.Together(func(i int) error { return t.endPaths(i, begun) }); err != nil {
		return nil, err
	}
	if err := t.exchange.State(); err != nil {
		return nil, err
	}
	if err := t.gatherFacts(begun); err != nil {
		return nil, err
	}
	return endAll(begun, broken, t.pathsVerdict)
}

// endPaths finds the vertices without a mark on a device, and reads its facts.
func (t *distributed) endPaths(i, begun int) error {
	trees := t.trees[i]
	for n, c := range trees.checkers[:begun] {
		if err := trees.findApart(n); err != nil {
			return err
		}
		if err := c.readFacts(t.ctx); err != nil {
			return err
		}
	}
	return nil
}
