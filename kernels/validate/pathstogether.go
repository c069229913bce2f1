//go:build cuda

package validate

import (
	"context"
	"fmt"
	"math"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// checkPathsTogether is CheckTogether for SSSP. Each device has a table with the marks of its
// own tuples; for the vertices without a mark, it reads the marks of all devices for a part of
// the vertices.
func checkPathsTogether(ctx context.Context, team *device.Team, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	t := &together{ctx: ctx, team: team, trees: trees, shares: shares}
	begun, broken, err := t.relaxAll()
	if err != nil {
		return nil, err
	}
	if begun == 0 {
		return nil, broken
	}
	marks, err := reach(t, func(i int) device.Array[uint8] { return t.trees[i].columns.joined })
	if err != nil {
		return nil, err
	}
	if err := team.Together(func(i int) error { return t.endPaths(i, begun, marks[i]) }); err != nil {
		return nil, err
	}
	if err := t.gatherFacts(begun); err != nil {
		return nil, err
	}
	return endAll(begun, broken, t.pathsVerdict)
}

// relaxAll begins with the searches of the batch, and processes the shares for them. It returns
// the number of searches that broke no rule so far, and the error of the next one.
func (t *together) relaxAll() (begun int, broken, err error) {
	if err := checkTogether(t.team, t.trees, t.shares); err != nil {
		return 0, nil, err
	}
	for i, share := range t.shares {
		if share.Len() > 0 && !share.Weighted() {
			return 0, nil, fmt.Errorf("validate: 0 weights for %d tuples of share %d", share.Len(), t.team.First()+i)
		}
	}
	begun, broken = t.begin(func(k *Trees, ctx context.Context) begin {
		return func(i int, results Results) error { return k.beginPaths(ctx, i, results) }
	})
	if begun == 0 {
		return 0, broken, nil
	}
	return begun, broken, t.team.Together(func(i int) error { return t.relax(i, begun) })
}

// relax processes the share of a device for the first begun searches.
func (t *together) relax(i, begun int) error {
	trees := t.trees[i]
	if err := trees.each(t.ctx, t.shares[i], func(part generate.Part) error { return trees.relax(begun, part) }); err != nil {
		return err
	}
	return trees.device.Synchronize() // other devices read the marks
}

// endPaths finds the vertices without a mark in the part of a device, and reads its facts.
// marks are the addresses of the tables of all devices.
func (t *together) endPaths(i, begun int, marks []uint64) error {
	trees := t.trees[i]
	first, count := generate.ShareOf(uint64(trees.columns.vertices()), t.team.Count(), t.team.First()+i)
	for n, c := range trees.checkers[:begun] {
		if err := c.kernels.apartTogether.launch(withTables(marks, first, first+count, uint64(trees.columns.width), uint64(n), c.factsAddress())...); err != nil {
			return err
		}
	}
	for _, c := range trees.checkers[:begun] {
		if err := c.readFacts(t.ctx); err != nil {
			return err
		}
	}
	return nil
}

// pathsVerdict is verdict for SSSP.
func (t *together) pathsVerdict(n int) (engine.Tree, error) {
	if err := t.joinFacts(n); err != nil {
		return engine.Tree{}, err
	}
	return t.trees[0].pathsVerdict(n, func() (float32, error) { return t.leastWeight(n) })
}

// leastWeight returns the least weight of the tuples of all shares that join vertex Apart of
// search n to its parent, engine.Unreached if none does.
func (t *together) leastWeight(n int) (float32, error) {
	joined := t.trees[0].checkers[n].hostFacts
	own := make([]float32, len(t.trees))
	if err := t.team.Together(func(i int) (err error) {
		t.trees[i].checkers[n].hostFacts.Apart = joined.Apart
		own[i], err = t.trees[i].leastWeight(t.ctx, n, t.shares[i])
		return err
	}); err != nil {
		return 0, err
	}
	t.trees[0].checkers[n].hostFacts = joined
	all, err := device.Gather(t.team, own)
	least := all[0]
	for _, weight := range all {
		// The bits of engine.Unreached are above those of all weights.
		least = math.Float32frombits(min(math.Float32bits(least), math.Float32bits(weight)))
	}
	return least, err
}
