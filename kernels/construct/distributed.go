//go:build cuda

package construct

import (
	"context"
	"errors"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// ConstructDistributed is ConstructTogether on devices that cannot access each other's
// memory: each device of this process has a view of all tuples of the graph. The graphs have
// no hubs, and must be closed in reverse order.
//
// Method: each device counts all tuples, and builds the rows of its own range. The passes
// over all tuples need no exchange of counts or arcs.
func ConstructDistributed(ctx context.Context, team *device.Team, vertices uint64, tuples []*generate.Tuples, groups int) ([]*Graph, error) {
	ranges := Ranges(vertices, team.Count())
	var parts []*construction
	var graphs []*Graph
	for i, d := range team.Devices() {
		if err := checkScale(vertices, tuples[i]); err != nil {
			return nil, err
		}
		c := newConstruction(ctx, d, vertices, ranges[team.First()+i], tuples[i], groups, 0)
		parts, graphs = append(parts, c), append(graphs, c.g)
	}
	err := team.Together(func(i int) error { return errors.Join(parts[i].build(), team.Devices()[i].Synchronize()) })
	if err == nil {
		err = joinInfos(team, func(i int) *engine.Graph { return &graphs[i].Info })
	}
	if err != nil {
		for _, g := range slices.Backward(graphs) {
			err = errors.Join(err, g.Close())
		}
		return nil, err
	}
	return graphs, nil
}
