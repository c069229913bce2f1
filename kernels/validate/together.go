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

// CheckTogether is Check of a batch of searches on the devices of a team. Every device has the
// same batch, with all parents and distances, and one share of the tuples; the arguments are
// those of the devices of this process. The result is the same as that of Check with all tuples, on
// all ranks.
//
// Method: each device computes the depths of all vertices, and checks its own share of the
// tuples with them. For the vertices that no tuple joins to their parents, each device
// reads the marks of all devices for a part of the vertices.
func CheckTogether(ctx context.Context, team *device.Team, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	if team.Count() == 1 && len(trees) == 1 && len(shares) == 1 {
		return trees[0].Check(ctx, shares[0])
	}
	if len(trees) > 0 && trees[0].columns != nil {
		return checkPathsTogether(ctx, team, trees, shares)
	}
	return finishTogether(ctx, team, trees, shares, (*Trees).beginCheck)
}

// CountEdgesTogether is CountEdges as CheckTogether is Check.
func CountEdgesTogether(ctx context.Context, team *device.Team, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	if team.Count() == 1 && len(trees) == 1 && len(shares) == 1 {
		return trees[0].CountEdges(ctx, shares[0])
	}
	return finishTogether(ctx, team, trees, shares, (*Trees).beginCount)
}

// together is a batch on several devices.
type together struct {
	ctx    context.Context
	team   *device.Team
	trees  []*Trees           // by index of the device in this process
	shares []*generate.Tuples // the same
	marks  [][][]uint64       // addresses of the tables with marks, by search, index of the device and number of the other
	facts  [][]facts          // by search and number of the device
}

// finishTogether returns the facts of the searches of the batch, up to the first broken
// rule.
func finishTogether(ctx context.Context, team *device.Team, trees []*Trees, shares []*generate.Tuples, do func(k *Trees, ctx context.Context) begin) ([]engine.Tree, error) {
	if err := checkTogether(team, trees, shares); err != nil {
		return nil, err
	}
	t := &together{ctx: ctx, team: team, trees: trees, shares: shares}
	begun, broken := t.begin(do)
	if begun == 0 {
		return nil, broken
	}
	if err := team.Together(func(i int) error { return t.look(i, begun) }); err != nil {
		return nil, err
	}
	if err := t.findMarks(begun); err != nil {
		return nil, err
	}
	if err := team.Together(func(i int) error { return t.end(i, begun) }); err != nil {
		return nil, err
	}
	if err := t.gatherFacts(begun); err != nil {
		return nil, err
	}
	return endAll(begun, broken, t.verdict)
}

// checkTogether requires that the batches are the same.
func checkTogether(team *device.Team, trees []*Trees, shares []*generate.Tuples) error {
	if n := len(team.Devices()); len(trees) != n || len(shares) != n || n == 0 {
		return fmt.Errorf("validate: %d shares of the tuples for %d batches on %d devices; there must be one each", len(shares), len(trees), n)
	}
	for n, k := range trees {
		if !slices.Equal(k.roots, trees[0].roots) || k.live.Parents.Len() != trees[0].live.Parents.Len() {
			return fmt.Errorf("validate: device %d has another batch than device 0", team.First()+n)
		}
	}
	return nil
}

// begin begins with the searches of the batch on all devices, and requires that they find
// the same.
func (t *together) begin(do func(k *Trees, ctx context.Context) begin) (int, error) {
	type beginning struct {
		begun  int64
		broken bool
	}
	own, broken := make([]beginning, len(t.trees)), make([]error, len(t.trees))
	if err := t.team.Together(func(i int) error {
		n, err := t.trees[i].begin(do(t.trees[i], t.ctx))
		own[i], broken[i] = beginning{int64(n), err != nil}, err
		var rule *rules.Error
		if errors.As(err, &rule) {
			return nil
		}
		return err
	}); err != nil {
		return 0, err
	}
	all, err := device.Gather(t.team, own)
	if err != nil {
		return 0, err
	}
	for k := range all {
		if all[k] != all[0] {
			return 0, errors.Join(differ(k), errors.Join(broken...))
		}
	}
	return int(all[0].begun), broken[0]
}

// differ returns the error of a device whose results are not those of device 0.
func differ(k int) error {
	return fmt.Errorf("validate: device %d has other results of a search than device 0", k)
}

// look processes the share of a device for the first begun searches.
func (t *together) look(i, begun int) error {
	trees := t.trees[i]
	if err := trees.each(t.ctx, t.shares[i], func(part generate.Part) error { return trees.lookInTurn(begun, part) }); err != nil {
		return err
	}
	return trees.device.Synchronize() // other devices read the tables
}

// findMarks finds the tables of all devices for the first begun searches, which must have
// the same form on all.
func (t *together) findMarks(begun int) error {
	for n := range begun {
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
		marks, err := t.marksOf(n)
		if err != nil {
			return err
		}
		t.marks = append(t.marks, marks)
	}
	return nil
}

// marksOf returns the addresses of the tables of search n by index of the device and number
// of the other.
func (t *together) marksOf(n int) ([][]uint64, error) {
	if t.trees[0].checkers[n].form == wideEntries {
		return reach(t, func(i int) device.Array[uint64] { return t.trees[i].checkers[n].wide })
	}
	return reach(t, func(i int) device.Array[uint32] { return t.trees[i].checkers[n].table })
}

func reach[T any](t *together, table func(i int) device.Array[T]) (addresses [][]uint64, err error) {
	own := make([]device.Array[T], len(t.trees))
	for i := range own {
		own[i] = table(i)
	}
	seen, err := device.Reach(t.team, own)
	if err != nil {
		return nil, err
	}
	for _, arrays := range seen {
		var of []uint64
		for _, a := range arrays {
			of = append(of, a.Address())
		}
		addresses = append(addresses, of)
	}
	return addresses, nil
}

// end finds the unjoined vertices of the part of a device, and reads its facts.
func (t *together) end(i, begun int) error {
	for n := range begun {
		if err := t.findUnjoined(i, n); err != nil {
			return err
		}
	}
	for _, c := range t.trees[i].checkers[:begun] {
		if err := c.readFacts(t.ctx); err != nil {
			return err
		}
	}
	return nil
}

// findUnjoined finds the unjoined vertices of search n in the part of a device.
func (t *together) findUnjoined(i, n int) error {
	c := t.trees[i].checkers[n]
	kernel, entries := c.kernels.together, (uint64(c.vertices)+3)/4
	switch c.form {
	case countedBits:
		return nil
	case wideEntries:
		kernel, entries = c.kernels.togetherWide, uint64(c.vertices)
	}
	count := t.team.Count()
	first, part := generate.ShareOf(entries, count, t.team.First()+i)
	return kernel.launch(withTables(t.marks[n][i], first, first+part, uint64(c.root), c.factsAddress())...)
}

// withTables adds the number and the addresses of the tables of all devices to the arguments
// of a kernel.
func withTables(tables []uint64, args ...uint64) []uint64 {
	args = append(append(args, uint64(len(tables))), tables...)
	return append(args, make([]uint64, device.MostTogether-len(tables))...)
}

// gatherFacts gathers the facts of the first begun searches of all devices.
func (t *together) gatherFacts(begun int) error {
	for n := range begun {
		own := make([]facts, len(t.trees))
		for i, trees := range t.trees {
			own[i] = trees.checkers[n].hostFacts
		}
		all, err := device.Gather(t.team, own)
		if err != nil {
			return err
		}
		t.facts = append(t.facts, all)
	}
	return nil
}

// verdict joins the facts of search n of all devices, and returns those of the tree, or the
// error of the first broken rule.
func (t *together) verdict(n int) (engine.Tree, error) {
	c := t.trees[0].checkers[n]
	if err := t.joinFacts(n); err != nil {
		return engine.Tree{}, err
	}
	return c.verdict()
}

// joinFacts joins the facts of search n of all devices in the first checker.
func (t *together) joinFacts(n int) error {
	c := t.trees[0].checkers[n]
	c.hostFacts = t.facts[n][0]
	for k, other := range t.facts[n][1:] {
		if err := c.hostFacts.join(other); err != nil {
			return fmt.Errorf("%w: %w", differ(k+1), err)
		}
	}
	return nil
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
