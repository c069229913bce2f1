package cpu

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/vector"
)

// A byHubs is the default search, by depths of hubs. Top-down levels go on until the hubs of the
// frontier have a large part of all arcs. Then the hubs of the next level are found first: all hubs
// are in the frontier or before, found now, or unvisited. One dense pass over all rows settles the
// two large levels: the parent of nearly every row is its first hub, one level behind it, so that
// the pass is a copy of the first neighbours with exceptions. What it cannot settle is left for late
// levels, which examine it twice and then go top-down again.
//
// Hubs have bits and bytes of their own, rows a bitmap by row number. The queue lists all own
// vertices that were found one by one, level after level; leaves are in no list.
//
// Each rank has the rows of its own vertices, and of every hub those neighbours that are its own, so
// that it expands all hubs of a frontier without asking. Only what its own rows reach on other ranks
// goes there (hubRanks). The dense pass needs no exchange.
type byHubs struct {
	hubRanks
	g       *graph.ByHubs
	team    *parallel.Team
	parents []engine.Label // by own label; nil with results of 64 bits
	wide    []int64        // results of 64 bits, by own label; nil with those of 32
	rule    hubRule
	root    engine.Label

	visited    []uint64       // bitmap of the rows of all ranks found top-down, see rowBits
	unvisited  []uint64       // bitmap of the rows of all ranks that are unvisited before a late level
	ownVisited []uint64       // own rows of visited
	found      []uint64       // bitmap of own rows found in the first level of the dense pass; at first not by their first hub
	left       []uint64       // bitmap of own rows that are unvisited after a late level
	rowParents []engine.Label // by own row found top-down
	rowLeaves  []uint8        // by own row: its leaves, or manyLeaves if there are as many or more
	hubLeaves  []uint8        // the same by own hub
	hubParents []engine.Label // by own hub: its parent if it is visited, else its first neighbour
	firstOfHub []engine.Label // by own hub: its first neighbour
	hubFirsts  []uint16       // by own hub: its first hub
	hubNexts   []uint64       // by own hub: the second to fifth hub, see graph.Record
	hubLabels  []engine.Label
	hubDegrees []uint32
	hubArcs    []uint32 // by hub: own neighbours
	queue      []uint32 // own vertices found one by one, a row or graph.HubBit and a hub
	remaining  []uint32 // own rows left by the dense pass
	leftHubs   []uint32 // hubs left by the hub pass

	rows         []uint32 // own rows of the frontier, in queue
	ownHubsFound []uint32 // own hubs found in the last level, in queue
	hubs         []uint32 // hubs of the frontier of all ranks
	rowsOfAll    int64    // rows of the frontier of all ranks
	first        int      // vertices of queue with which the search begins
	fromLeaf     bool     // the root is a leaf

	hubsBefore, hubsAfter [hubWords]uint64 // bitmaps of visited hubs, before the dense pass and after; of all hubs where there is none
	before, after         hubBytes         // the same of the dense pass as bytes
	lateHubs              [hubWords]uint64 // bitmap of the own hubs found in a late level
	ownHubs               [hubWords]uint64 // bitmap of the hubs that are own vertices

	tail     int // length of queue
	arcs     int64
	steps    []hubStep
	more     int64 // levels after the recorded ones
	examined int64 // in these levels
	clock    time.Time
	dense    int // index in steps of the first level of the dense pass, -1 without one
	profile  *engine.Profile

	form     vector.Form
	workers  []*hubWorker
	segments []hubSegment
	next     atomic.Int64
	reserved atomic.Int64 // length of the list that workers append to
}

const (
	hubWords = (graph.MostHubs + 63) / 64
	// hubChunk is the largest number of labels in a chunk of the graph.
	hubChunk = 1 << 16
)

// listPlace is graph.ListPlace, under a name that the assembly knows.
const listPlace = graph.ListPlace

// hubBytes has a byte 1 for each hub that is in a set. That of graph.NoHub is 0. It is padded,
// because vector forms read words.
type hubBytes [1<<16 + 64]uint8

// A hubRule has the thresholds of the search. The dense pass begins when the arcs of the frontier's
// hubs exceed the unexplored arcs divided by alpha, and arcs. One worker searches graphs with fewer
// arcs than few.
type hubRule struct{ alpha, arcs, few uint64 }

// hubStep is a level of the search.
type hubStep struct {
	direction engine.Direction
	end       int   // of its vertices in queue
	examined  int64 // by this rank
	seconds   float64
}

// A hubWorker is the state of one worker.
type hubWorker struct {
	ids      []uint32       // found or left, not yet in a list of the search
	hubs     []uint32       // found top-down
	outgoing [][]uint64     // by rank: what was found of its vertices, see hubRanks
	parents  []engine.Label // of a chunk, with results of 64 bits
	examined int64
	own      atomic.Int64 // chunks of the own part that are taken
	lists    denseLists
	_        [64]byte
}

// fewArcs is the number of arcs of a graph up to which one worker searches faster than two (scale 14:
// 0.073 and 0.1 ms on two cores, 15: 0.14 and 0.17, 16: 0.32 and 0.29).
const fewArcs = 1 << 20

func newByHubs() method { return &byHubs{rule: hubRule{alpha: 20, arcs: serialArcs, few: fewArcs}} }

func (s *byHubs) arrays(z size) memory.Group {
	const lists, bitmaps = "lists of vertices", "bitmaps of rows"
	rows, ofAll := z.rowNumbers()
	vertices := rows + min(z.rows, graph.MostHubs) + 2*longRow
	g := memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of(&s.queue, lists, vertices), memory.Of(&s.remaining, lists, vertices),
		memory.Of(&s.rowParents, "parents of rows", rows+1), memory.Of(&s.rowLeaves, "numbers of leaves", rows),
		memory.Of(&s.visited, bitmaps, ofAll/64+1), memory.Of(&s.unvisited, bitmaps, ofAll/64+1),
		memory.Of(&s.found, bitmaps, rows/64+1), memory.Of(&s.left, bitmaps, rows/64+1),
	}}
	if z.ranks() > 1 {
		g.Arrays = append(g.Arrays, memory.Of(&s.ownRowBits, bitmaps, rows/64), memory.Of(&s.rowLists, bitmaps, ofAll/32))
	}
	return g
}

// start creates the arrays of hubs and the states of the workers.
func (s *byHubs) start(ctx context.Context, in *input) error {
	s.g, s.team, s.form = in.byHubs, in.team, vector.Chosen()
	if uint64(s.g.Info.Arcs) < s.rule.few {
		s.team = parallel.NewTeam(1)
	}
	if s.wide = in.wide; s.wide == nil {
		s.parents = in.parents
	}
	s.ownVisited = s.visited[s.g.FirstRow>>6:]
	s.hubParents, s.firstOfHub = make([]engine.Label, 1<<16), make([]engine.Label, 1<<16)
	s.hubLabels, s.hubDegrees, s.hubArcs = make([]engine.Label, 1<<16), make([]uint32, 1<<16), make([]uint32, 1<<16)
	s.hubFirsts, s.hubNexts, s.hubLeaves = make([]uint16, 1<<16), make([]uint64, 1<<16), make([]uint8, 1<<16)
	const grain = 1 << 10 // a multiple of 64, of a word of hubsAfter
	if err := s.team.For(ctx, len(s.g.Hubs), grain, func(_, lo, hi int) {
		for h := lo; h < hi; h++ {
			hub := &s.g.Hubs[h]
			s.hubLabels[h], s.hubDegrees[h], s.hubArcs[h] = hub.Label, hub.Degree, uint32(hub.OwnArcs())
			s.firstOfHub[h], s.hubFirsts[h], s.hubNexts[h], s.hubLeaves[h] = hub.First, hub.Hub, hub.Next, uint8(min(hub.AllLeaves, manyLeaves))
			s.hubsAfter[h>>6] |= 1 << (h & 63)
			s.after[h] = 1
		}
	}); err != nil {
		return err
	}
	for _, h := range s.g.ChunkHubs {
		s.ownHubs[h.Hub>>6] |= 1 << (h.Hub & 63)
	}
	for range s.team.Size() {
		w := &hubWorker{ids: make([]uint32, 0, 2*longRow+lanes), hubs: make([]uint32, 0, len(s.g.Hubs)+lanes), outgoing: make([][]uint64, in.world.Size())}
		if s.wide != nil {
			w.parents = make([]engine.Label, 1<<s.g.ChunkBits)
		}
		s.workers = append(s.workers, w)
	}
	s.join(in, s.g, s.workers)
	s.countLeaves()
	return nil
}

func (s *byHubs) close() error { return nil }

func (s *byHubs) search(ctx context.Context, root engine.Label) error {
	s.reset()
	s.root = root
	connected, err := s.begin(ctx, root)
	if err != nil || !connected {
		return err
	}
	dense, err := s.topDown(ctx)
	if err != nil {
		return err
	}
	steps := []func(context.Context) error{s.writeFound}
	if dense {
		steps = []func(context.Context) error{s.shareVisited, s.hubPass, s.densePass, s.late}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.setParent(root, root)
	return context.Cause(ctx)
}

// setParent sets the parent of a vertex, if it is an own one.
func (s *byHubs) setParent(v, parent engine.Label) {
	v -= s.g.FirstLabel
	switch {
	case uint64(v) >= uint64(len(s.g.First)):
	case s.wide == nil:
		s.parents[v] = parent
	case parent == engine.None:
		s.wide[v] = -1
	default:
		s.wide[v] = int64(parent)
	}
}

// reset makes all vertices unvisited.
func (s *byHubs) reset() {
	const serialWords = 1 << 14 // one worker is faster up to this size
	part := func(worker, workers int) {
		lo, hi := parallel.Split(len(s.visited), workers, worker)
		clear(s.visited[lo:hi])
		lo, hi = parallel.Split(len(s.g.Hubs), workers, worker)
		copy(s.hubParents[lo:hi], s.firstOfHub[lo:hi])
	}
	if len(s.visited) <= serialWords {
		part(0, 1)
	} else {
		s.team.Run(func(worker int) { part(worker, s.team.Size()) })
	}
	s.hubsBefore = [hubWords]uint64{}
	for _, w := range s.workers {
		w.ids, w.hubs, w.examined = w.ids[:0], w.hubs[:0], 0
	}
	s.steps, s.tail, s.first, s.more, s.examined, s.dense, s.profile = s.steps[:0], 0, 0, 0, 0, -1, nil
	s.arcs = s.g.Info.Arcs
	s.clock = time.Now()
}

// begin makes the root the frontier, or if it is a leaf, its neighbour, after a level of its own.
// It returns false if the root has no neighbour.
func (s *byHubs) begin(ctx context.Context, root engine.Label) (connected bool, err error) {
	s.setParent(root, root)
	start, fromLeaf, connected, err := s.startOf(ctx, root)
	if err != nil || !connected {
		return connected, err
	}
	place, known := s.g.Find(start)
	s.rows, s.hubs, s.rowsOfAll, s.fromLeaf = nil, nil, 0, fromLeaf
	own := known
	switch {
	case place&graph.HubBit != 0:
		h := place &^ graph.HubBit
		own = s.isOwnHub(h)
		s.hubsBefore[h>>6] |= 1 << (h & 63)
		s.hubParents[h] = root
		s.hubs = []uint32{place}
	case known:
		s.ownVisited[place>>6] |= 1 << (place & 63)
		s.rowParents[place] = root
		s.rows = s.queue[:1]
		fallthrough
	default:
		s.rowsOfAll = 1
	}
	if own {
		s.queue[0] = place
		s.first, s.tail = 1, 1
	}
	if fromLeaf {
		s.record(engine.TopDown, int64(s.first))
	}
	return true, nil
}

// record adds a level whose vertices end at the tail of the queue.
func (s *byHubs) record(d engine.Direction, examined int64) {
	now := time.Now()
	seconds := now.Sub(s.clock).Seconds()
	s.clock = now
	if len(s.steps) <= engine.MaxLevels {
		s.steps = append(s.steps, hubStep{d, s.tail, examined, seconds})
		return
	}
	s.more++
	s.examined += examined
}

// flush appends the ids of a worker to a list of the search.
func (s *byHubs) flush(w *hubWorker, to []uint32) {
	if n := len(w.ids); n > 0 {
		end := int(s.reserved.Add(int64(n)))
		copy(to[end-n:end], w.ids)
		w.ids = w.ids[:0]
	}
}

// labelOf returns the label of an own row or a hub.
func (s *byHubs) labelOf(id uint32) engine.Label {
	if id&graph.HubBit != 0 {
		return s.hubLabels[id&^graph.HubBit]
	}
	return s.g.LabelOf(id)
}

// labelOfAny returns the label of a row of any rank or of a hub.
func (s *byHubs) labelOfAny(id uint32) engine.Label {
	if id&graph.HubBit != 0 {
		return s.hubLabels[id&^graph.HubBit]
	}
	return s.g.LabelOfAny(id)
}

// prefetchLabel begins to load what labelOfAny reads.
func (s *byHubs) prefetchLabel(id uint32) {
	switch {
	case id&graph.HubBit != 0:
		prefetch(unsafe.Pointer(&s.hubLabels[id&^graph.HubBit]))
	case s.g.RowLabels != nil:
		prefetch(unsafe.Pointer(&s.g.RowLabels[id]))
	default:
		prefetch(unsafe.Pointer(&s.g.Records[id]))
	}
}

// leavesOf returns the leaves of an own row, or the own leaves of a hub.
func (s *byHubs) leavesOf(id uint32) []uint32 {
	if id&graph.HubBit != 0 {
		return s.g.LeavesOf(&s.g.Hubs[id&^graph.HubBit])
	}
	if s.g.Records[id].List&graph.HasLeaves == 0 {
		return nil
	}
	return s.g.ListOf(id).Leaves
}

// writeFound writes the parents of a search without a dense pass.
func (s *byHubs) writeFound(ctx context.Context) error {
	s.parallelFor(s.tail, func(w *hubWorker, lo, hi int) {
		for _, id := range s.queue[lo:hi] {
			label := s.labelOf(id)
			if id&graph.HubBit != 0 {
				s.setParent(label, s.hubParents[id&^graph.HubBit])
				continue
			}
			s.setParent(label, s.rowParents[id])
			s.setLeaves(w, id, label)
		}
	})
	s.parallelFor(len(s.g.Hubs), func(w *hubWorker, lo, hi int) {
		for h := lo; h < hi; h++ {
			if s.hubsBefore[h>>6]>>(h&63)&1 != 0 {
				s.setLeaves(w, graph.HubBit|uint32(h), s.hubLabels[h])
			}
		}
	})
	return s.exchangeParents(ctx)
}

// setLeaves sets the parent of the leaves of an own row, or of the own leaves of a hub.
func (s *byHubs) setLeaves(w *hubWorker, id uint32, parent engine.Label) {
	for _, leaf := range s.leavesOf(id) {
		if !s.sendLeaf(w, leaf, parent) {
			s.setParent(leaf, parent)
		}
	}
}

// parallelFor calls f for the items 0..n-1, in parts. One worker is faster for a few.
func (s *byHubs) parallelFor(n int, f func(w *hubWorker, lo, hi int)) {
	const few = 256
	if n <= few {
		f(s.workers[0], 0, n)
		return
	}
	grain := min(max(n/(8*len(s.workers)), 16), 256)
	s.next.Store(0)
	s.team.Run(func(worker int) {
		for {
			lo := int(s.next.Add(int64(grain))) - grain
			if lo >= n {
				return
			}
			f(s.workers[worker], lo, min(lo+grain, n))
		}
	})
}

// resetParts must be called before the workers call eachPart.
func (s *byHubs) resetParts() {
	for _, w := range s.workers {
		w.own.Store(0)
	}
}

// eachPart calls f for parts of 0..n-1, which are in the order of the chunks: first for those of the worker's own share,
// which may be in its caches, then for those that are left of the others'. All workers call it.
func (s *byHubs) eachPart(worker, n, grain int, f func(lo, hi int)) {
	workers := len(s.workers)
	for k := range workers {
		owner := (worker + k) % workers
		lo, hi := parallel.Split(n, workers, owner)
		for {
			from := lo + int(s.workers[owner].own.Add(int64(grain))) - grain
			if from >= hi {
				break
			}
			f(from, min(from+grain, hi))
		}
	}
}

func rowBit(words []uint64, row uint32) bool { return words[row>>6]>>(row&63)&1 != 0 }
