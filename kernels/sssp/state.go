//go:build cuda

package sssp

import (
	"errors"
	"math"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

const (
	// stepArcs * n^stepPower is the number of arcs of a vertex of mean degree that end in the
	// first step of the bound, but at most mostStepArcs, if the policy's step is 1. At scales 20 to 24,
	// the fastest were 0.6, 0.45 and 0.35.
	stepArcs     = 10.95
	stepPower    = -0.217
	mostStepArcs = 0.6
	// nearShare is the number of arcs per row that the near step may expand.
	nearShare = 0.002
)

// fill fills in what the kernels need of a graph, or of the part of one with that many rows,
// and of the working memory. The pull and the tail have that many blocks.
func (st *state) fill(g *construct.Graph, rows uint64, blocks int, p policy) {
	all, r := float64(g.Info.Connected), &g.ByWeight
	st.Vertices, st.RowCount = uint32(g.Info.Vertices), uint32(rows)
	st.LogCapacity = uint32(st.Log.Len())
	st.KeptCapacity = uint32(st.Kept.Len() / (blocks * threads / 32))
	st.NearArcs = uint32(nearShare * all)
	const sample = 1 << 12 // rows
	st.SampleStride = max(1, st.RowCount/sample)
	st.PullAt = uint64(p.pullShare * all)
	st.LeastPushed = p.leastPushed
	if p.looksTwo {
		st.LooksTwo = 1
	}
	st.LightWidth = p.step * firstStep(r.MeanWeight, g.Info)
	st.Step = st.LightWidth * (1 - 1./(1<<10)) // so that the rounding of the bound does not matter
	st.LaterStep = p.laterStep * st.Step
	if r.MeanWeight > 0 {
		st.ArcScale = 1 / (2 * r.MeanWeight)
	}
	st.Rows, st.Labels, st.Arcs = r.Rows, r.Labels, r.Arcs
	st.Index, st.Heads, st.HeadLabels, st.Thirds, st.Order = g.Index, r.Heads, r.HeadLabels, r.Thirds, r.Order
}

// firstStep returns by how much the bound rises at first. Weights are taken as uniform between
// 0 and twice their mean. If all of the sample were 0, it says nothing of the others: steps
// soon double, so that any will do.
func firstStep(mean float32, info engine.Graph) float32 {
	if mean == 0 {
		mean = 0.5
	}
	rows := float64(info.Connected)
	arcs := min(stepArcs*math.Pow(rows, stepPower), mostStepArcs)
	return 2 * mean * float32(arcs) * float32(rows) / float32(info.Arcs)
}

// copyLight copies the light arcs of all rows, by a module that describe gives the constants,
// unless they are too many for their arrays, as in a graph with many equal weights.
func copyLight(d *device.Device, module string, st *state, rows uint64, describe func(*device.Module) error) error {
	m, err := d.Load("sssp", images, module)
	if err != nil {
		return err
	}
	if err := errors.Join(describe(m), st.Any.Fill(0)); err != nil {
		return err
	}
	launch := func(name string, blocks, threads int, args ...uint64) {
		k, kernelErr := m.Kernel(name)
		if kernelErr == nil {
			kernelErr = k.Launch(blocks, threads, 0, args...)
		}
		err = errors.Join(err, kernelErr)
	}
	capacity, blocks := uint64(st.Light.Len()), blocksFor(rows)
	counts := st.Seen.Address() // two numbers for each warp; not yet in use
	launch("light_counts", blocks, threads, counts, capacity)
	launch("light_starts", 1, 1024, counts, uint64(blocks*threads/32), capacity, st.Any.Address())
	var total [2]uint32
	if err = errors.Join(err, st.Any.Read(0, total[:])); err != nil || uint64(total[0]) > capacity {
		return err
	}
	launch("light_arcs", blocks, threads, counts, capacity)
	st.SegmentCount = total[1]
	return err
}
