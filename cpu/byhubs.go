package cpu

import (
	"context"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/vector"
)

// A byHubs is the default search of one rank, by depths of hubs. Top-down levels go on until the
// hubs of the frontier have a large part of all arcs. Then the hubs of the next level are found
// first: all hubs are in the frontier or before, found now, or unvisited. One dense pass over all
// rows settles the two large levels: the parent of nearly every row is its first hub, one level
// behind it, so that the pass is a copy of the first neighbours with exceptions. What it cannot
// settle is left for late levels, which examine it twice and then go top-down again.
//
// Hubs have bits and bytes of their own, rows a bitmap by row number. The queue lists all
// vertices that were found one by one, level after level; leaves are in no list.
type byHubs struct {
	g       *graph.ByHubs
	team    *parallel.Team
	parents []engine.Label // by label
	rule    denseRule
	root    engine.Label

	visited    []uint64       // bitmap of rows found top-down
	found      []uint64       // bitmap of rows whose parent in the dense pass is not their first hub
	left       []uint64       // bitmap of rows that are unvisited after the dense pass
	rowParents []engine.Label // by row found top-down
	hubParents []engine.Label // by visited hub
	hubLabels  []engine.Label
	queue      []uint32 // vertices found one by one, a row or graph.HubBit and a hub
	remaining  []uint32 // vertices left by the dense pass

	hubsBefore, hubsAfter [hubWords]uint64 // bitmaps of visited hubs, before the dense pass and after
	before, after         hubBytes         // the same of the dense pass as bytes

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

// A denseRule says when the dense pass begins: when the arcs of the frontier's hubs exceed the
// unexplored arcs divided by alpha, and arcs.
type denseRule struct{ alpha, arcs uint64 }

// hubStep is a level of the search.
type hubStep struct {
	direction engine.Direction
	end       int // of its vertices in queue
	examined  int64
	seconds   float64
}

// A hubWorker is the state of one worker.
type hubWorker struct {
	ids      []uint32 // found or left, not yet in a list of the search
	hubs     []uint32 // found top-down
	examined int64
	own      atomic.Int64 // chunks of the own part that are taken
	lists    denseLists
	_        [64]byte
}

func newByHubs() method { return &byHubs{rule: denseRule{alpha: 20, arcs: serialArcs}} }

func (s *byHubs) arrays(z size) memory.Group {
	const lists, bitmaps = "lists of vertices", "bitmaps of rows"
	rows := z.rowNumbers()
	vertices := rows + min(z.rows, graph.MostHubs) + 2*longRow
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of(&s.queue, lists, vertices), memory.Of(&s.remaining, lists, vertices),
		memory.Of(&s.rowParents, "parents of rows", rows+1),
		memory.Of(&s.visited, bitmaps, rows/64+1), memory.Of(&s.found, bitmaps, rows/64+1), memory.Of(&s.left, bitmaps, rows/64+1),
	}}
}

// start creates the arrays of hubs and the states of the workers.
func (s *byHubs) start(_ context.Context, in *input) error {
	s.g, s.team, s.parents, s.form = in.byHubs, in.team, in.parents, vector.Chosen()
	s.hubParents = make([]engine.Label, 1<<16)
	s.hubLabels = make([]engine.Label, 1<<16)
	for h := range s.g.Hubs {
		s.hubLabels[h] = s.g.Hubs[h].Label
	}
	for range in.team.Size() {
		s.workers = append(s.workers, &hubWorker{ids: make([]uint32, 0, 2*longRow), hubs: make([]uint32, 0, len(s.g.Hubs)+1)})
	}
	return nil
}

func (s *byHubs) close() error { return nil }

func (s *byHubs) search(ctx context.Context, root engine.Label) error {
	s.reset()
	s.root = root
	s.parents[root] = root
	if !s.g.Has(root) {
		return nil
	}
	s.begin(root)
	start, err := s.topDown(ctx)
	if err != nil {
		return err
	}
	if start == s.tail {
		s.writeFound()
	} else {
		s.hubPass()
		s.densePass(ctx)
		if err := context.Cause(ctx); err != nil {
			return err
		}
		s.late(ctx)
	}
	s.parents[root] = root
	return context.Cause(ctx)
}

// reset makes all vertices unvisited.
func (s *byHubs) reset() {
	const serialWords = 1 << 14 // one worker is faster up to this size
	if len(s.visited) <= serialWords {
		clear(s.visited)
	} else {
		s.team.Run(func(worker int) {
			lo, hi := parallel.Split(len(s.visited), s.team.Size(), worker)
			clear(s.visited[lo:hi])
		})
	}
	s.hubsBefore = [hubWords]uint64{}
	for _, w := range s.workers {
		w.ids, w.hubs, w.examined = w.ids[:0], w.hubs[:0], 0
	}
	s.steps, s.tail, s.more, s.examined, s.dense, s.profile = s.steps[:0], 0, 0, 0, -1, nil
	s.arcs = s.g.Info.Arcs
	s.clock = time.Now()
}

// begin makes the root the frontier. The root that is a leaf has a level of its own.
func (s *byHubs) begin(root engine.Label) {
	place, leaf := s.g.Find(root)
	s.queue[0] = place
	s.tail = 1
	if place&graph.HubBit != 0 {
		h := place &^ graph.HubBit
		s.hubsBefore[h>>6] |= 1 << (h & 63)
		s.hubParents[h] = root
	} else {
		s.visited[place>>6] |= 1 << (place & 63)
		s.rowParents[place] = root
	}
	if leaf {
		s.record(engine.TopDown, 1)
	}
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

// labelOf returns the label of a row or a hub.
func (s *byHubs) labelOf(id uint32) engine.Label {
	if id&graph.HubBit != 0 {
		return s.hubLabels[id&^graph.HubBit]
	}
	return s.g.LabelOf(id)
}

// leavesOf returns the leaves of a row or a hub.
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
func (s *byHubs) writeFound() {
	s.parallelFor(s.tail, func(_ *hubWorker, lo, hi int) {
		for _, id := range s.queue[lo:hi] {
			label := s.labelOf(id)
			if id&graph.HubBit != 0 {
				s.parents[label] = s.hubParents[id&^graph.HubBit]
			} else {
				s.parents[label] = s.rowParents[id]
			}
			for _, leaf := range s.leavesOf(id) {
				s.parents[leaf] = label
			}
		}
	})
}

// parallelFor calls f for the items 0..n-1, in parts. One worker is faster for a few.
func (s *byHubs) parallelFor(n int, f func(w *hubWorker, lo, hi int)) {
	const few, grain = 1024, 256
	if n <= few {
		f(s.workers[0], 0, n)
		return
	}
	s.next.Store(0)
	s.team.Run(func(worker int) {
		for {
			lo := int(s.next.Add(grain)) - grain
			if lo >= n {
				return
			}
			f(s.workers[worker], lo, min(lo+grain, n))
		}
	})
}

func rowBit(words []uint64, row uint32) bool { return words[row>>6]>>(row&63)&1 != 0 }
