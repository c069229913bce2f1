//go:build cuda

package distributed

import (
	"context"
	"errors"
	"math"
	"slices"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/construct"
)

// LoadPaths loads the module of Paths, so that NewPaths does not wait for it.
func LoadPaths(d *device.Device) error {
	_, err := d.Load("distributed", images, "paths")
	return err
}

const (
	// stepArcs is the number of arcs of a vertex of mean degree that end in the first step of
	// the bound. Wide steps need few exchanges.
	stepArcs = 0.5
	// evenSteps is the number of steps after which they become longer: the graph is not like a
	// Kronecker graph.
	evenSteps = 8
	// pullShare is the share of the rows that must be reached before the pull.
	pullShare = 0.01
	// nearShare is the number of arcs per row, and nearMost that of all arcs, up to which the
	// nearest vertices are expanded before the pull. Each row is the work of one block.
	nearShare = 0.002
	nearMost  = 1 << 16
	// sampleWords is the number of words of the index, 32 labels each, that decide on the pull
	// on one device.
	sampleWords = 1 << 12
)

// Paths is a search of shortest paths on the devices of a team, which need not access each
// other's memory. Each device has the rows of a range of labels, in the order of the devices,
// and the distances of all vertices, of the others the least that it knows.
//
//  1. push: arcs that end below a bound are relaxed until none changes a distance. The bound
//     rises in steps, each from the next distance to which an arc leads. A device makes some
//     rounds alone, then all exchange the improvements of vertices of other devices.
//  2. pull, once enough vertices are reached: all devices get the distances below the bound,
//     which are final, and the arcs of the nearest vertices are relaxed, so that no arc of them
//     is left. Each device relaxes the arcs of all its other vertices, lightest first. A vertex
//     is open if an arc of it could still improve it.
//  3. tail: the devices exchange all distances, and pull the open vertices again until no
//     distance changes. After each sweep they exchange those that did, and the next one looks
//     at arcs from these only.
//
// On graphs where the pull would decide few vertices, pushes go on to the end.
type Paths struct {
	device.HostLoop
	team     *device.Team
	exchange exchange.Exchange
	members  []*pathMember // on the devices of this process
	ranges   []exchange.Span

	dirty bool // the last search did not end

	// Of all devices.
	bound   uint32 // bits: distances below it are final between rounds
	step    float32
	steps   int
	pullAt  int64     // reached vertices from which on the pull is considered
	sweep   int       // of the tail, from 1 on; 0 before
	sums    pathSums  // of the last rounds
	part    pathTotal // of the current part of the search
	advance func(ctx context.Context) (more bool, err error)
}

// pathSums are counts of all devices.
type pathSums struct {
	queued, reached, open, found int64
	next                         uint32
}

// pathTotal adds up the counts of a part of the search.
type pathTotal struct{ examined, found int64 }

// PathsPlan lists the memory of a device with that many rows of a graph of n, without the
// buffer.
func PathsPlan(vertices, n, rows uint64) []engine.Allocation {
	return new(pathMemory).group(vertices, n, rows).Plan()
}

// NewPaths returns a search of the graphs, which are the ranges of one graph that has a row.
// Each device has arrays of N parents and distances, of which the search writes the device's
// range and uses the other distances, and a buffer through which it exchanges lists, of at least
// 12 bytes for each device. The arguments are those of the devices of this process.
func NewPaths(ctx context.Context, team *device.Team, x exchange.Exchange, graphs []*construct.Graph, parents []device.Array[engine.Label], distances []device.Array[float32], buffers []device.Array[byte]) (*Paths, error) {
	s := &Paths{team: team, exchange: x, dirty: true}
	for i, d := range team.Devices() {
		if err := context.Cause(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		m := &pathMember{device: d, graph: graphs[i]}
		m.state.Parents, m.state.Distances, m.state.Buffer = parents[i], distances[i], device.As[improvement](buffers[i])
		s.members = append(s.members, m)
		if err := m.prepare(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	for _, r := range graphs[0].Ranges {
		s.ranges = append(s.ranges, exchange.Span{First: int(r.First), Count: int(r.End - r.First)})
	}
	if err := s.Open(team.Devices()[0], "distributed", images, "paths", false); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Search writes the parents and distances of every vertex reachable from root, each on the
// device of the vertex. root must have a row; all parents must be engine.None and all distances
// engine.Unreached before.
func (s *Paths) Search(ctx context.Context, root engine.Label) error {
	if err := s.Run(ctx, func() error { return s.begin(root) }, func() (bool, error) { return s.advance(ctx) }); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

func (s *Paths) begin(root engine.Label) error {
	g := s.members[0].graph
	for _, m := range s.members {
		if err := m.begin(root, s.dirty); err != nil {
			return err
		}
	}
	s.dirty = true
	s.bound, s.steps, s.sweep, s.step = 0, 0, 0, firstStep(g.ByWeight.MeanWeight, g.Info)
	s.pullAt = int64(pullShare * float64(g.Info.Connected))
	s.sums, s.part, s.advance = pathSums{reached: 1}, pathTotal{}, s.push
	return nil
}

// firstStep returns by how much the bound rises at first. Weights are taken as uniform between
// 0 and twice their mean. If all of the sample were 0, it says nothing of the others: steps
// become longer, so that any will do.
func firstStep(mean float32, info engine.Graph) float32 {
	if mean == 0 {
		mean = 0.5
	}
	return 2 * mean * stepArcs * float32(info.Connected) / float32(info.Arcs)
}

// push raises the bound and relaxes the arcs that end below it until none changes a distance.
func (s *Paths) push(ctx context.Context) (more bool, err error) {
	from, before := s.bound, s.sums.reached
	s.raise(max(s.bound, s.sums.next))
	if err := s.rounds(ctx, func(m *pathMember) error {
		return errors.Join(m.openRounds(true), m.pushLog(s.bound, from, s.bound))
	}); err != nil {
		return false, err
	}
	s.record(engine.Level{Step: "push", Frontier: before, Found: s.sums.reached - before})
	if s.sums.next >= engine.InfiniteBits {
		return false, nil // no arc ends at the bound or above it
	}
	if s.sums.reached >= s.pullAt {
		s.advance = s.preparePull
	}
	return true, nil
}

// raise raises the bound by a step above a distance, or to the next one.
func (s *Paths) raise(distance uint32) {
	if s.steps++; s.steps > evenSteps {
		s.step *= 2
	}
	to := math.Float32bits(math.Float32frombits(distance) + s.step)
	s.bound = min(max(to, distance+1), engine.InfiniteBits)
}

// rounds relaxes arcs that end below the bound, first those of start, until none changes a
// distance.
func (s *Paths) rounds(ctx context.Context, start func(m *pathMember) error) error {
	for first := true; ; first = false {
		for _, m := range s.members {
			if err := s.localRounds(m, first, start); err != nil {
				return err
			}
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		more, err := s.exchangeOutgoing()
		if err != nil || !more && s.sums.queued == 0 {
			return err
		}
	}
}

// localRounds makes the rounds of a device between two exchanges, the first of them start.
func (s *Paths) localRounds(m *pathMember, first bool, start func(m *pathMember) error) error {
	round := 0
	if first {
		if err := start(m); err != nil {
			return err
		}
		round = 1
	} else if err := m.openRounds(false); err != nil {
		return err
	}
	for ; round < localRounds; round++ {
		if err := m.pushQueue(round, s.bound); err != nil {
			return err
		}
	}
	return nil
}

// preparePull gives all devices the distances below the bound, and decides whether the pull
// follows, or more pushes.
func (s *Paths) preparePull(ctx context.Context) (more bool, err error) {
	least, err := s.leastLeft()
	if err != nil {
		return false, err
	}
	next, before := s.sums.next, s.sums.reached
	if err := s.rounds(ctx, func(m *pathMember) error {
		return errors.Join(m.openRounds(false), m.pushLog(least, s.bound, engine.InfiniteBits), m.listSettled(s.bound))
	}); err != nil {
		return false, err
	}
	s.sums.next = next // of the arcs that end at the bound or above it, as before
	s.record(engine.Level{Step: "near", Frontier: before, Found: s.sums.reached - before})
	pays, err := s.pullPays()
	if err != nil {
		return false, err
	}
	s.pullAt, s.advance = 2*s.sums.reached, s.push
	if pays {
		s.advance = func(context.Context) (bool, error) { return s.pull(least) }
	}
	return true, nil
}

// leastLeft returns a distance such that the vertices below it have few arcs.
func (s *Paths) leastLeft() (uint32, error) {
	firstBucket := s.bound>>bucketShift - min(s.bound>>bucketShift, distanceBuckets-1)
	degrees := make([]int64, distanceBuckets)
	for _, m := range s.members {
		own, err := m.sumDegrees(s.bound, firstBucket)
		if err != nil {
			return 0, err
		}
		for i, n := range own {
			degrees[i] += int64(n)
		}
	}
	if err := s.team.Sum(degrees); err != nil {
		return 0, err
	}
	left := int64(min(nearShare*float64(s.members[0].graph.Info.Connected), nearMost))
	for i, n := range degrees {
		if left -= n; left >= 0 {
			continue
		}
		if i == 0 {
			return 0, nil // the first range begins at 0
		}
		return (firstBucket + uint32(i)) << bucketShift, nil
	}
	return s.bound, nil
}

// pullPays returns whether at least half of the vertices at the bound or above it have a final
// source at their first two arcs, from a sample.
func (s *Paths) pullPays() (bool, error) {
	for _, m := range s.members {
		if err := m.sampleRows(s.bound); err != nil {
			return false, err
		}
	}
	sample := make([]int64, 2)
	for _, m := range s.members {
		if err := m.readCounts(); err != nil {
			return false, err
		}
		sample[0] += int64(m.counts.Asked)
		sample[1] += int64(m.counts.Decided)
	}
	err := s.team.Sum(sample)
	return 2*sample[1] >= sample[0], err
}

// pull pulls all vertices that are not settled, from sources at distance least or above.
func (s *Paths) pull(least uint32) (more bool, err error) {
	distances := make([]device.Array[float32], len(s.members))
	for i, m := range s.members {
		if err := errors.Join(m.openRounds(false), m.pullAll(least, s.bound)); err != nil {
			return false, err
		}
		distances[i] = m.state.Distances
	}
	if _, err := s.exchangeOutgoing(); err != nil { // none: it adds up the counts
		return false, err
	}
	s.record(engine.Level{Step: "pull", Frontier: s.sums.open, Found: s.sums.found})
	s.advance = s.tail
	return true, exchange.Gather(s.exchange, distances, s.ranges)
}

// tail pulls the open vertices until no distance changes.
func (s *Paths) tail(ctx context.Context) (more bool, err error) {
	more = true
	for s.sweep = 1; more; s.sweep++ {
		if err := context.Cause(ctx); err != nil {
			return false, err
		}
		for _, m := range s.members {
			if err := errors.Join(m.openRounds(false), m.pullOpen(s.sweep, s.bound)); err != nil {
				return false, err
			}
		}
		if more, err = s.exchangeOutgoing(); err != nil {
			return false, err
		}
		s.part.found += s.sums.found
	}
	s.record(engine.Level{Step: "tail", Frontier: s.sums.open, Found: s.part.found})
	return false, nil
}

// record records a part of the search, with the arcs that were examined in it.
func (s *Paths) record(l engine.Level) {
	l.Examined = s.part.examined
	s.part = pathTotal{}
	s.AddLevel(l)
}

// exchangeOutgoing adds up the counts of all devices, and lets each take the vertices that the
// others have listed for it. It returns whether there were any.
func (s *Paths) exchangeOutgoing() (more bool, err error) {
	own := make([]pathCounts, len(s.members))
	for i, m := range s.members {
		if err := m.readCounts(); err != nil {
			return false, err
		}
		own[i] = m.counts
	}
	if err := s.exchange.State(); err != nil {
		return false, err
	}
	all, err := device.Gather(s.team, own)
	if err != nil {
		return false, err
	}
	lengths := make([]int, len(all))
	s.sums = pathSums{next: engine.InfiniteBits}
	for k, c := range all {
		lengths[k] = int(c.Outgoing)
		s.part.examined += int64(c.Examined)
		s.sums.queued += int64(c.Queued[localRounds])
		s.sums.reached += int64(c.Logged)
		s.sums.open += int64(c.Open)
		s.sums.found += int64(c.Found)
		s.sums.next = min(s.sums.next, c.Next)
	}
	return slices.Max(lengths) > 0, s.exchangeLists(lengths)
}

// exchangeLists lets each device take the entries of the lists of all devices, which have the
// given lengths.
func (s *Paths) exchangeLists(lengths []int) error {
	buffers := make([]device.Array[improvement], len(s.members))
	for i, m := range s.members {
		buffers[i] = m.state.Buffer
	}
	return exchangeLists(s.exchange, s.team.First(), buffers, lengths,
		func(i, at int, to exchange.Span) error { return s.members[i].packPart(at, to) },
		func(i, count int) error { return s.members[i].takeAll(count, s.sweep) })
}

// Close frees the memory of the search. Close of nil does nothing.
func (s *Paths) Close() error {
	if s == nil {
		return nil
	}
	errs := []error{s.HostLoop.Close()}
	for _, m := range slices.Backward(s.members) {
		errs = append(errs, m.held.Free())
	}
	s.members = nil
	return errors.Join(errs...)
}
