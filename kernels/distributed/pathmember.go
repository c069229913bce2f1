//go:build cuda

package distributed

import (
	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/construct"
)

// pathMember is the part of a search of shortest paths on one device.
type pathMember struct {
	device *device.Device
	graph  *construct.Graph
	state  pathState
	held   *device.Held
	pathKernels

	counts pathCounts // as last read
}

// pathKernels are the kernels of paths.cu on a device.
type pathKernels struct {
	module                                                         *device.Module
	start, open, push, list, pack, take, addDegrees, sample, pulls resident
}

// find looks up the kernels.
func (k *pathKernels) find(d *device.Device) (err error) {
	if k.module, err = d.Load("distributed", images, "paths"); err != nil {
		return err
	}
	for _, x := range []struct {
		to   *resident
		name string
	}{
		{&k.start, "start"}, {&k.open, "open"}, {&k.push, "push"}, {&k.list, "list"}, {&k.pack, "pack"},
		{&k.take, "take"}, {&k.addDegrees, "degrees"}, {&k.sample, "sample"}, {&k.pulls, "pull"},
	} {
		if err := x.to.find(k.module, "paths_"+x.name); err != nil {
			return err
		}
	}
	return nil
}

// group declares the memory of a device with that many rows of a graph of n.
func (w *pathMemory) group(vertices, n, rows uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&w.Pairs, "distances and parents that wait", vertices),
		device.Of(&w.Queues[0], "queue of SSSP", rows),
		device.Of(&w.Queues[1], "next queue of SSSP", rows),
		device.Of(&w.Outgoing, "vertices for other devices", n),
		device.Of(&w.Log, "log of reached vertices", rows),
		device.Of(&w.Changed[0], "bitmap of changed vertices", wordsOf(vertices)),
		device.Of(&w.Changed[1], "next bitmap of changed vertices", wordsOf(vertices)),
		device.Of(&w.Degrees, "degrees by distance", distanceBuckets),
		device.Of(&w.Counts, "results of rounds", 1),
	}}
}

// prepare allocates the memory of the device and tells the kernels of it.
func (m *pathMember) prepare() (err error) {
	if err := m.pathKernels.find(m.device); err != nil {
		return err
	}
	g, st := m.graph, &m.state
	if m.held, err = m.device.Take(st.group(uint64(g.Info.Vertices), uint64(g.Info.Connected), uint64(g.ByWeight.Heads.Len()))); err != nil {
		return err
	}
	st.Vertices, st.FirstLabel, st.EndLabel = uint32(g.Info.Vertices), uint32(g.Labels.First), uint32(g.Labels.End)
	st.SampleStride = max(1, (st.EndLabel-st.FirstLabel)/32/sampleWords)
	st.Index, st.Starts, st.Heads, st.Arcs = g.Index.Based(g.Labels.First/32), g.ByWeight.Starts, g.ByWeight.Heads, g.ByWeight.Arcs
	return m.module.SetConstant("g", *st)
}

// begin reaches the root. It empties the pairs if the last search has not.
func (m *pathMember) begin(root engine.Label, dirty bool) error {
	if dirty {
		if err := m.state.Pairs.Fill(0xFF); err != nil {
			return err
		}
	}
	if err := m.state.Counts.Fill(0); err != nil {
		return err
	}
	return m.start.launch(int(m.state.Vertices), uint64(root))
}

// openRounds begins rounds with what the last ones have left, perhaps those of a new bound.
func (m *pathMember) openRounds(newBound bool) error {
	var flag uint64
	if newBound {
		flag = 1
	}
	return m.open.kernel.Launch(1, 1, 0, flag)
}

// pushQueue relaxes the arcs of the queued vertices that end below a bound. The host does not
// know the number of vertices.
func (m *pathMember) pushQueue(round int, bound uint32) error {
	return m.push.launchAll(0, uint64(round), uint64(bound), 0, uint64(bound))
}

// pushLog relaxes in the first round the arcs of the reached vertices below limit that end at
// from or above, and below to.
func (m *pathMember) pushLog(limit, from, to uint32) error {
	return m.push.launchAll(1, 0, uint64(limit), uint64(from), uint64(to))
}

// listSettled lists the reached vertices below the bound for the other devices.
func (m *pathMember) listSettled(bound uint32) error { return m.list.launchAll(uint64(bound)) }

// packPart writes a part of the list for the others to a span of the buffer.
func (m *pathMember) packPart(first int, to exchange.Span) error {
	return m.pack.launch(to.Count, uint64(first), uint64(to.Count), uint64(to.First))
}

// takeAll takes that many entries of all devices from the buffer, after pushes (0) or after a
// sweep of the tail.
func (m *pathMember) takeAll(count, sweep int) error {
	return m.take.launch(count, uint64(count), uint64(sweep))
}

// sumDegrees adds up the degrees of the reached vertices below the bound by their distances.
func (m *pathMember) sumDegrees(bound, firstBucket uint32) ([]uint64, error) {
	if err := m.state.Degrees.Fill(0); err != nil {
		return nil, err
	}
	if err := m.addDegrees.launchAll(uint64(bound), uint64(firstBucket)); err != nil {
		return nil, err
	}
	degrees := make([]uint64, distanceBuckets)
	return degrees, m.state.Degrees.Read(0, degrees)
}

// sampleRows counts vertices that the pull would decide.
func (m *pathMember) sampleRows(bound uint32) error {
	words := int(m.state.EndLabel-m.state.FirstLabel+31) / 32
	return m.sample.launch(words/int(m.state.SampleStride)+1, uint64(bound))
}

// pullAll pulls all vertices at the bound or above it, from sources at distance least or above.
func (m *pathMember) pullAll(least, bound uint32) error {
	return m.pulls.launch(int(m.state.EndLabel-m.state.FirstLabel), 0, uint64(least), uint64(bound))
}

// pullOpen is a sweep of the tail, from number 1 on: it pulls the open vertices again, from the
// second one on from sources that have changed since the last one.
func (m *pathMember) pullOpen(sweep int, bound uint32) error {
	if err := m.state.Changed[(sweep+1)&1].Fill(0); err != nil {
		return err
	}
	return m.pulls.launch(int(m.counts.Open), uint64(sweep), uint64(bound), uint64(bound))
}

// readCounts waits for the kernels and reads what they counted.
func (m *pathMember) readCounts() error {
	var c [1]pathCounts
	err := m.state.Counts.Read(0, c[:])
	m.counts = c[0]
	return err
}
