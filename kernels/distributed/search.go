//go:build cuda

package distributed

import (
	"context"
	"embed"
	"errors"
	"slices"

	"graph500/device"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// Load loads the module, so that New does not wait for it.
func Load(d *device.Device) error {
	_, err := d.Load("distributed", images, "levels")
	return err
}

const (
	// leastArcs is the number of arcs of a frontier below which a level is searched top-down
	// in any case: it takes the time of the launches and exchanges.
	leastArcs = 1 << 14
)

// Search is a breadth-first search on the devices of a team, which need not access each
// other's memory. Each device has the rows of a range of labels, in the order of the devices.
type Search struct {
	device.HostLoop
	team     *device.Team
	exchange exchange.Exchange
	members  []*member // on the devices of this process
	slices   []exchange.Span

	// Of all devices.
	root       engine.Label
	frontier   int64  // vertices
	arcs       uint64 // of the frontier
	unvisited  int64
	unexplored uint64 // arcs of the unvisited vertices
	side       int    // of the bitmap of visited vertices
	inQueues   bool   // the queues have the frontier
}

// member is the part of a search on one device.
type member struct {
	device  *device.Device
	graph   *construct.Graph
	parents device.Array[engine.Label]
	buffer  device.Array[Pair] // for lists of all devices
	words   exchange.Span      // of the bitmaps, of the device's labels
	held    *device.Held
	working
	kernels

	counts counts // of the last level
}

// working is the memory of a device.
type working struct {
	visited [2]device.Array[uint32] // bitmaps of all labels: before and after a bottom-up level
	found   device.Array[Pair]      // top-down, at most each row of the graph once
	queue   device.Array[engine.Label]
	totals  device.Array[counts]
}

// group declares the memory of a device with that many rows of a graph of n.
func (w *working) group(vertices, n, rows uint64) device.Group {
	words := wordsOf(vertices)
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&w.visited[0], "bitmap of visited vertices", words),
		device.Of(&w.visited[1], "bitmap after a level", words),
		device.Of(&w.found, "vertices found top-down, with parents", n),
		device.Of(&w.queue, "queue", rows),
		device.Of(&w.totals, "results of a level", 1),
	}}
}

// wordsOf returns the words of the bitmap of the first labels, padded as an index is.
func wordsOf(labels uint64) uint64 { return (labels + 1023) / 1024 * 32 }

// Plan lists the memory of a device with that many rows of a graph of n, without the buffer.
func Plan(vertices, n, rows uint64) []engine.Allocation {
	return new(working).group(vertices, n, rows).Plan()
}

// New returns a search of the graphs, which are the ranges of one graph that has a row. Each
// device has an array of N parents, of which the search writes the device's range, and a
// buffer through which it exchanges lists, of at least 8 bytes for each device. The
// arguments are those of the devices of this process.
func New(ctx context.Context, team *device.Team, x exchange.Exchange, graphs []*construct.Graph, parents []device.Array[engine.Label], buffers []device.Array[byte]) (*Search, error) {
	s := &Search{team: team, exchange: x}
	for i, d := range team.Devices() {
		if err := context.Cause(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		m := &member{device: d, graph: graphs[i], parents: parents[i], buffer: device.As[Pair](buffers[i])}
		s.members = append(s.members, m)
		if err := m.prepare(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	for _, r := range graphs[0].Ranges {
		s.slices = append(s.slices, spanOf(r))
	}
	if err := s.Open(team.Devices()[0], "distributed", images, "levels", false); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// spanOf returns the words of the bitmaps of a range of labels.
func spanOf(r construct.Range) exchange.Span {
	first := wordsOf(r.First)
	return exchange.Span{First: int(first), Count: int(wordsOf(r.End) - first)}
}

// prepare allocates the memory of the device.
func (m *member) prepare() (err error) {
	g := m.graph
	m.words = spanOf(g.Labels)
	if err := m.kernels.find(m.device); err != nil {
		return err
	}
	m.held, err = m.device.Take(m.group(uint64(g.Info.Vertices), uint64(g.Info.Connected), uint64(g.ByDegree.Rows.Len())))
	return err
}

// Search writes the parents of every vertex reachable from root, each on the device of the
// vertex. root must have a row, and the parents of the device's range must be engine.None
// before.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	s.root = root
	return s.Run(ctx, s.begin, s.level)
}

func (s *Search) begin() error {
	info := s.members[0].graph.Info
	for _, m := range s.members {
		if err := m.start(s.root); err != nil {
			return err
		}
	}
	sums, err := s.sumCounts()
	s.frontier, s.arcs, s.inQueues, s.side = 1, uint64(sums.Arcs), true, 0
	s.unvisited, s.unexplored = info.Connected-1, uint64(info.Arcs)-s.arcs
	return err
}

// level executes a level.
func (s *Search) level() (more bool, err error) {
	l := engine.Level{Direction: engine.TopDown, Frontier: s.frontier, Examined: int64(s.arcs)}
	var sums sums
	if s.arcs > leastArcs && s.arcs > s.unexplored/engine.Alpha {
		l.Direction = engine.BottomUp
		sums, err = s.bottomUp()
		l.Found, l.Examined = sums.Found, sums.Examined
	} else {
		sums, err = s.topDown()
		l.Found = sums.Queued
	}
	if err != nil {
		return false, err
	}
	s.frontier, s.arcs, s.inQueues = l.Found, uint64(sums.Arcs), l.Direction == engine.TopDown
	s.unvisited -= l.Found
	s.unexplored -= s.arcs
	s.AddLevel(l)
	return s.frontier > 0 && s.unvisited > 0, nil
}

// bottomUp finds the next frontier bottom-up, and gathers the bitmap.
func (s *Search) bottomUp() (sums, error) {
	next := make([]device.Array[uint32], len(s.members))
	for i, m := range s.members {
		if err := m.bottomUp(s.side); err != nil {
			return sums{}, err
		}
		next[i] = m.visited[s.side^1]
	}
	if err := exchange.Gather(s.exchange, next, s.slices); err != nil {
		return sums{}, err
	}
	s.side ^= 1
	return s.sumCounts()
}

// topDown finds the next frontier top-down, and makes it the queues.
func (s *Search) topDown() (sums, error) {
	if !s.inQueues {
		if err := s.makeQueues(); err != nil {
			return sums{}, err
		}
	}
	for _, m := range s.members {
		if err := m.expand(s.side); err != nil {
			return sums{}, err
		}
	}
	lengths := make([]int, len(s.members))
	for i, m := range s.members {
		if err := m.readCounts(); err != nil {
			return sums{}, err
		}
		lengths[i] = int(m.counts.Found)
	}
	all, err := device.Gather(s.team, lengths)
	if err != nil {
		return sums{}, err
	}
	if err := s.exchangeFound(all); err != nil {
		return sums{}, err
	}
	return s.sumCounts()
}

// makeQueues makes the queues of what a bottom-up level has found.
func (s *Search) makeQueues() error {
	for _, m := range s.members {
		if err := m.makeQueue(s.side); err != nil {
			return err
		}
	}
	for _, m := range s.members {
		if err := m.readCounts(); err != nil {
			return err
		}
	}
	return nil
}

// exchangeFound lets each device take what it needs of the lists of all devices, which have
// the given lengths.
func (s *Search) exchangeFound(lengths []int) error {
	buffers := make([]device.Array[Pair], len(s.members))
	for i, m := range s.members {
		buffers[i] = m.buffer
	}
	return exchangeLists(s.exchange, s.team.First(), buffers, lengths,
		func(i, at int, to exchange.Span) error {
			m := s.members[i]
			return m.buffer.CopyPart(to.First, m.found, at, to.Count)
		},
		func(i, count int) error { return s.members[i].take(count, s.side) })
}

// sums are counts of all devices.
type sums struct{ Found, Queued, Arcs, Examined int64 }

// sumCounts adds up the counts of all devices.
func (s *Search) sumCounts() (sums, error) {
	all := make([]int64, 4)
	for _, m := range s.members {
		if err := m.readCounts(); err != nil {
			return sums{}, err
		}
		c := m.counts
		for i, n := range []int64{int64(c.Found), int64(c.Queued), int64(c.Arcs), int64(c.Examined)} {
			all[i] += n
		}
	}
	if err := s.exchange.State(); err != nil {
		return sums{}, err
	}
	err := s.team.Sum(all)
	return sums{all[0], all[1], all[2], all[3]}, err
}

// Close frees the memory of the search. Close of nil does nothing.
func (s *Search) Close() error {
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
