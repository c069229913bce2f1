//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/generate"
	cores "graph500/validate"
)

// Batch is a batch of searches on the devices of a team, one or more. Every device has the same
// batch, with all parents and distances, and a share of the tuples. All ranks call its methods
// together.
//
// Method: each device computes the depths of all vertices and checks its own share of the tuples
// with them, in which it marks the vertices that a tuple joins to their parents (tables). Then
// the marks of all devices are joined, to find the vertices without one (marks.go).
type Batch struct {
	Team   *device.Team
	Trees  []*Trees           // by index of the device in this process
	Shares []*generate.Tuples // the same

	// For devices that cannot access each other's memory: what copies the marks, through a
	// buffer on each device of this process. The buffers are equally long.
	Exchange exchange.Exchange // nil: they can
	Buffers  []device.Array[byte]
}

// Check checks that the results of each search of the batch are right: for BFS a
// breadth-first tree of exactly the component of its root in the graph of the tuples, for
// SSSP a tree of shortest paths with their distances, for which the tuples need weights.
// It returns the facts of the trees in the order of the batch, on all ranks. A broken rule gives
// the same *validate.Error as validate.Checker: the first broken rule at the smallest vertex
// or tuple that breaks it, together with the facts of the trees before. With any other
// error the facts are meaningless. Check does not change the results. It returns the
// cause of ctx if ctx ends.
func (b Batch) Check(ctx context.Context) ([]engine.Tree, error) {
	return (&examination{Batch: b, ctx: ctx}).examine()
}

// CountEdges returns the facts of the trees without checking any rule. Visited is the
// number of entries other than engine.None; Depth and MaxDistance are 0.
func (b Batch) CountEdges(ctx context.Context) ([]engine.Tree, error) {
	return (&examination{Batch: b, ctx: ctx, counts: true}).examine()
}

// check requires that the batches are the same, and that the tuples have what they need.
func (b Batch) check(weighted bool) error {
	if n := len(b.Team.Devices()); len(b.Trees) != n || len(b.Shares) != n || n == 0 {
		return fmt.Errorf("validate: %d shares of the tuples for %d batches on %d devices; there must be one each", len(b.Shares), len(b.Trees), n)
	}
	for i, k := range b.Trees {
		share := b.Shares[i]
		switch {
		case !slices.Equal(k.roots, b.Trees[0].roots) || k.live.Parents.Len() != b.Trees[0].live.Parents.Len():
			return fmt.Errorf("validate: device %d has another batch than device 0", b.Team.First()+i)
		case share.IsWide() != k.wide:
			return fmt.Errorf("validate: the labels of share %d have another width than the batch is for", b.Team.First()+i)
		case weighted && share.Len() > 0 && !share.Weighted():
			return fmt.Errorf("validate: 0 weights for %d tuples of share %d", share.Len(), b.Team.First()+i)
		}
	}
	return nil
}

// examination is Check or CountEdges of a batch.
type examination struct {
	Batch
	ctx    context.Context
	counts bool         // it is CountEdges
	paths  bool         // it is Check for SSSP
	marks  [][][]uint64 // addresses of tables with marks (findMarks): by table, index of the device and number of the other; else empty
	facts  [][]facts    // by search and number of the device
}

// examine returns the facts of the searches of the batch, up to the first broken rule.
func (e *examination) examine() ([]engine.Tree, error) {
	e.paths = !e.counts && len(e.Trees) > 0 && e.Trees[0].columns != nil
	if err := e.check(e.paths); err != nil {
		return nil, err
	}
	begun, broken, err := e.begin()
	switch {
	case err != nil:
		return nil, err
	case begun == 0: // no pass over the tuples is needed
		return nil, broken
	}
	if err := e.Team.Together(func(i int) error { return e.look(i, begun) }); err != nil {
		return nil, err
	}
	if err := e.joinMarks(begun); err != nil {
		return nil, err
	}
	if err := e.Team.Together(func(i int) error { return e.end(i, begun) }); err != nil {
		return nil, err
	}
	if err := e.gatherFacts(begun); err != nil {
		return nil, err
	}
	var trees []engine.Tree
	for n := range begun {
		tree, err := e.verdict(n)
		if err != nil {
			return trees, err
		}
		trees = append(trees, tree)
	}
	return trees, broken
}

// begin begins with the searches of the batch on all devices, and requires that they find
// the same. It returns the number of those that broke no rule so far, and the error of the next
// one.
func (e *examination) begin() (begun int, broken, err error) {
	type beginning struct {
		begun  int64
		broken bool
	}
	own, rule := make([]beginning, len(e.Trees)), make([]error, len(e.Trees))
	if err := e.Team.Together(func(i int) error {
		n, err := e.beginOn(i)
		own[i], rule[i] = beginning{int64(n), err != nil}, err
		if broken := (*cores.Error)(nil); errors.As(err, &broken) {
			return nil
		}
		return err
	}); err != nil {
		return 0, nil, err
	}
	all, err := device.Gather(e.Team, own)
	if err != nil {
		return 0, nil, err
	}
	for k := range all {
		if all[k] != all[0] {
			return 0, nil, errors.Join(differ(k), errors.Join(rule...))
		}
	}
	return int(all[0].begun), rule[0], nil
}

// beginOn begins with the searches of the batch on a device, in order. It returns the number of
// those begun, and the error of the next one, if any.
func (e *examination) beginOn(i int) (begun int, err error) {
	k := e.Trees[i]
	for ; begun < len(k.roots); begun++ {
		results, err := k.Results(begun)
		switch c := k.checkers[begun]; {
		case err != nil:
		case e.counts:
			err = c.beginCount(e.ctx, results.Parents)
		case e.paths:
			err = k.beginPaths(e.ctx, begun, results)
		default:
			err = c.begin(e.ctx, results.Parents, k.roots[begun])
		}
		if err != nil {
			return begun, err
		}
	}
	return begun, nil
}

// differ returns the error of a device whose results are not those of device 0.
func differ(k int) error {
	return fmt.Errorf("validate: device %d has other results of a search than device 0", k)
}

// look processes the share of a device for the first begun searches.
func (e *examination) look(i, begun int) error {
	k := e.Trees[i]
	if err := k.each(e.ctx, e.Shares[i], func(part generate.Part) error {
		if e.paths {
			return k.relax(begun, part)
		}
		return k.lookInTurn(begun, part)
	}); err != nil || e.Team.Count() == 1 {
		return err
	}
	return k.device.Synchronize() // other devices read the tables
}

// end finds the vertices without a mark on a device, and reads its facts.
func (e *examination) end(i, begun int) error {
	for n := range begun {
		if err := e.findUnmarked(i, n); err != nil {
			return err
		}
	}
	for _, c := range e.Trees[i].checkers[:begun] {
		if err := c.readFacts(e.ctx); err != nil {
			return err
		}
	}
	return nil
}

// gatherFacts gathers the facts of the first begun searches of all devices.
func (e *examination) gatherFacts(begun int) error {
	if e.Exchange != nil {
		if err := e.Exchange.State(); err != nil {
			return err
		}
	}
	for n := range begun {
		own := make([]facts, len(e.Trees))
		for i, k := range e.Trees {
			own[i] = k.checkers[n].hostFacts
		}
		all, err := device.Gather(e.Team, own)
		if err != nil {
			return err
		}
		e.facts = append(e.facts, all)
	}
	return nil
}

// verdict joins the facts of search n of all devices in the first checker, and returns those of
// the tree, or the error of the first broken rule.
func (e *examination) verdict(n int) (engine.Tree, error) {
	k := e.Trees[0]
	c := k.checkers[n]
	c.hostFacts = e.facts[n][0]
	for other, facts := range e.facts[n][1:] {
		if err := c.hostFacts.join(facts); err != nil {
			return engine.Tree{}, fmt.Errorf("%w: %w", differ(other+1), err)
		}
	}
	if e.paths {
		return k.pathsVerdict(n, func() (float32, error) { return e.leastWeight(n) })
	}
	return c.verdict()
}

// join adds the facts of another device with other tuples.
func (f *facts) join(other facts) error {
	if f.Visited != other.Visited || f.Deepest != other.Deepest {
		return fmt.Errorf("%d vertices in %d levels, not %d in %d", other.Visited, other.Deepest, f.Visited, f.Deepest)
	}
	f.Edges += other.Edges
	f.Loops += other.Loops
	f.Apart = min(f.Apart, other.Apart)
	if other.Tuple < f.Tuple {
		f.Tuple, f.TupleEnds, f.TupleWeight = other.Tuple, other.TupleEnds, other.TupleWeight
	}
	if other.Outside < f.Outside {
		f.Outside, f.OutsideEnds = other.Outside, other.OutsideEnds
	}
	if other.Weight < f.Weight {
		f.Weight, f.InvalidWeight = other.Weight, other.InvalidWeight
	}
	return nil
}
