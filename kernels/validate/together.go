//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
	rules "graph500/validate"
)

// CheckTogether is Check of a batch of searches of BFS on several devices, which must be
// able to read each other's memory. Every device has the same batch, with all parents, and
// one share of the tuples. The result is the same as that of Check with all tuples.
//
// Method: each device computes the depths of all vertices, and checks its own share of the
// tuples with them. For the vertices that no tuple joins to their parents, each device
// reads the marks of all devices for a part of the vertices.
func CheckTogether(ctx context.Context, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	if len(trees) == 1 && len(shares) == 1 {
		return trees[0].Check(ctx, shares[0])
	}
	return finishTogether(ctx, trees, shares, (*Trees).beginCheck)
}

// CountEdgesTogether is CountEdges as CheckTogether is Check.
func CountEdgesTogether(ctx context.Context, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	if len(trees) == 1 && len(shares) == 1 {
		return trees[0].CountEdges(ctx, shares[0])
	}
	return finishTogether(ctx, trees, shares, (*Trees).beginCount)
}

// together is a batch on several devices.
type together struct {
	ctx     context.Context
	devices []*device.Device
	trees   []*Trees           // by device
	shares  []*generate.Tuples // by device
}

// finishTogether returns the facts of the searches of the batch, up to the first broken
// rule.
func finishTogether(ctx context.Context, trees []*Trees, shares []*generate.Tuples, do func(k *Trees, ctx context.Context) begin) ([]engine.Tree, error) {
	if err := checkTogether(trees, shares); err != nil {
		return nil, err
	}
	t := &together{ctx: ctx, trees: trees, shares: shares}
	for _, k := range trees {
		t.devices = append(t.devices, k.device)
	}
	begun, broken := t.begin(do)
	if begun == 0 {
		return nil, broken
	}
	for _, step := range []func(k, begun int) error{t.look, t.end} {
		if err := device.Together(t.devices, func(k int) error { return step(k, begun) }); err != nil {
			return nil, err
		}
	}
	return endAll(begun, broken, t.verdict)
}

// checkTogether requires that the batches are the same, of BFS.
func checkTogether(trees []*Trees, shares []*generate.Tuples) error {
	if len(trees) != len(shares) || len(trees) == 0 || len(trees) > device.MostTogether {
		return fmt.Errorf("validate: %d shares of the tuples for batches on %d devices; there must be one each, and at most %d", len(shares), len(trees), device.MostTogether)
	}
	for n, k := range trees {
		if k.columns != nil {
			return errors.New("validate: searches of SSSP can only be checked on one device")
		}
		if !slices.Equal(k.roots, trees[0].roots) || k.live.Parents.Len() != trees[0].live.Parents.Len() {
			return fmt.Errorf("validate: device %d has another batch than device 0", n)
		}
	}
	return nil
}

// begin begins with the searches of the batch on all devices, and requires that they find
// the same.
func (t *together) begin(do func(k *Trees, ctx context.Context) begin) (int, error) {
	begun, broken := make([]int, len(t.trees)), make([]error, len(t.trees))
	if err := device.Together(t.devices, func(k int) error {
		begun[k], broken[k] = t.trees[k].begin(do(t.trees[k], t.ctx))
		var rule *rules.Error
		if errors.As(broken[k], &rule) {
			return nil
		}
		return broken[k]
	}); err != nil {
		return 0, err
	}
	for k := range t.trees {
		if begun[k] != begun[0] || (broken[k] == nil) != (broken[0] == nil) {
			return 0, errors.Join(differ(k), broken[k], broken[0])
		}
	}
	return begun[0], broken[0]
}

// differ returns the error of a device whose results are not those of device 0.
func differ(k int) error {
	return fmt.Errorf("validate: device %d has other results of a search than device 0", k)
}

// look processes the share of device k for the first begun searches.
func (t *together) look(k, begun int) error {
	trees := t.trees[k]
	if err := trees.each(t.ctx, t.shares[k], func(part generate.Part) error { return trees.lookInTurn(begun, part) }); err != nil {
		return err
	}
	return trees.device.Synchronize() // other devices read the tables
}

// end finds the unjoined vertices of the part of device k, and reads its facts.
func (t *together) end(k, begun int) error {
	for i := range begun {
		if err := t.findUnjoined(k, i); err != nil {
			return err
		}
	}
	for _, c := range t.trees[k].checkers[:begun] {
		if err := c.readFacts(t.ctx); err != nil {
			return err
		}
	}
	return nil
}

// findUnjoined finds the unjoined vertices of search i in the part of device k.
func (t *together) findUnjoined(k, i int) error {
	c := t.trees[k].checkers[i]
	kernel, entries := c.kernels.together, (uint64(c.vertices)+3)/4
	switch c.form {
	case countedBits:
		return nil
	case wideEntries:
		kernel, entries = c.kernels.togetherWide, uint64(c.vertices)
	}
	first, count := generate.ShareOf(entries, len(t.trees), k)
	args := []uint64{first, first + count, uint64(c.root), c.factsAddress(), uint64(len(t.trees))}
	for n, other := range t.trees {
		if other.checkers[i].form != c.form {
			return differ(n)
		}
		args = append(args, other.checkers[i].entries())
	}
	args = append(args, make([]uint64, device.MostTogether-len(t.trees))...)
	return kernel.launch(args...)
}

// verdict joins the facts of search i of all devices on device 0, and returns those of the
// tree, or the error of the first broken rule.
func (t *together) verdict(i int) (engine.Tree, error) {
	c := t.trees[0].checkers[i]
	for k, other := range t.trees[1:] {
		if err := c.hostFacts.join(other.checkers[i].hostFacts); err != nil {
			return engine.Tree{}, fmt.Errorf("%w: %w", differ(k+1), err)
		}
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
		f.Tuple, f.TupleEnds = other.Tuple, other.TupleEnds
	}
	if other.Outside < f.Outside {
		f.Outside, f.OutsideEnds = other.Outside, other.OutsideEnds
	}
	return nil
}
