package cpu

import (
	"context"
	"math"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
)

// pushWorker holds the lists of one worker. They grow as needed and keep their memory
// from search to search.
type pushWorker struct {
	log     []improvement[uint32] // since the last stable state
	taken   int                   // entries of log that this round and the rounds before it have taken
	beyond  []improvement[uint32] // since the last stable state, of distances at the bound or above it
	leaving []improvement[uint32] // of vertices of other ranks
	paused  rowQueue[uint32]
	resumed []pausedRow[uint32] // rows of this round that were paused
	split   []pausedRow[uint32] // rest of long rows, for the next round
	arcs    int64               // pushed

	items   [pushGrain]pushItem
	relaxed []improvement[uint32] // arcs to relax, as the improvements that they would be
	touched uint64                // keeps the compiler from removing loads ahead of their use
	_       [64]byte
}

// pushItem is a vertex whose arcs are pushed.
type pushItem struct {
	pausedRow[uint32]
	row        uint32
	begin, end uint64 // of the row in Arcs
}

func (w *pushWorker) reset() {
	w.log, w.beyond, w.leaving, w.resumed, w.split = w.log[:0], w.beyond[:0], w.leaving[:0], w.resumed[:0], w.split[:0]
	w.taken, w.arcs = 0, 0
	w.paused.reset()
}

const (
	// pushGrain is the number of vertices that a worker takes at a time.
	pushGrain = 64
	// soloBatches is how often a worker goes on alone, so that the search sees the end
	// of its context.
	soloBatches = 4096
)

// raiseBound raises the bound so that at least one paused row of a rank goes on, and moves the
// rows that go on to the lists of the next round. It reports false if none is left.
func (s *bounded) raiseBound(ctx context.Context) (bool, error) {
	own := uint32(engine.UnreachedBits)
	for i := range s.workers {
		own = min(own, s.workers[i].paused.least())
	}
	all := []int64{int64(own)}
	if err := s.world.Min(ctx, all); err != nil || all[0] == engine.UnreachedBits {
		return false, err
	}
	least := uint32(all[0])
	s.bound = math.Float32frombits(max(add(least, s.step), least+1)) // least + step can round to least
	for i := range s.workers {
		w := &s.workers[i]
		w.resumed = w.paused.takeBelow(math.Float32bits(s.bound), w.resumed)
	}
	return true, nil
}

// push relaxes all arcs of all ranks that end below the bound, in rounds, until none changes a
// distance. It sets the parents of the vertices that it has improved, and records the step.
func (s *bounded) push(ctx context.Context) error {
	frontier, before := int64(0), s.pushedArcs()
	for more := true; more; {
		rows, err := s.pushRounds(ctx)
		if err == nil {
			more, err = s.exchangeImprovements(ctx, false, math.Float32bits(s.bound))
		}
		if err != nil {
			return err
		}
		frontier += rows
	}
	improved := s.improved()
	sums := []int64{frontier, s.finishPush(improved), s.pushedArcs() - before, int64(improved)}
	if err := s.world.Sum(ctx, sums); err != nil {
		return err
	}
	s.recordSums(engine.Level{Step: "push", Frontier: sums[0], Found: sums[1], Examined: sums[2]})
	s.adaptStep(sums[3], sums[1])
	s.pushed += sums[2]
	return nil
}

// pushRounds pushes in rounds until none changes a distance. It returns the number of rows
// that it has pushed from.
func (s *bounded) pushRounds(ctx context.Context) (frontier int64, err error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return frontier, err
		}
		items := 0
		for i := range s.workers {
			w := &s.workers[i]
			items += len(w.resumed) + len(w.log) - w.taken
		}
		if items == 0 {
			return frontier, nil
		}
		frontier += int64(items)
		s.round(items)
	}
}

// pushedArcs returns the number of arcs pushed since the search began.
func (s *bounded) pushedArcs() (arcs int64) {
	for i := range s.workers {
		arcs += s.workers[i].arcs
	}
	return arcs
}

// improved returns the number of improvements below the bound since the last stable state.
func (s *bounded) improved() (n int) {
	for i := range s.workers {
		n += len(s.workers[i].log)
	}
	return n
}

const (
	// narrowStep and wideStep are the numbers of improvements for each improved vertex
	// below which a step is too narrow, and above which it is too wide. See docs/notebook.md.
	narrowStep = 1.2
	wideStep   = 1.5
)

// adaptStep doubles the step if few distances became smaller more than once in a push,
// and halves it if many did. Before a pull, narrow steps are right, unless they lead to
// hardly any vertex.
func (s *bounded) adaptStep(improvements, improved int64) {
	switch ratio := float64(improvements) / float64(max(1, improved)); {
	case !s.pullRefused && improved > pushGrain:
	case ratio < narrowStep:
		s.step *= 2
	case ratio > wideStep:
		s.step = max(s.step/2, math.SmallestNonzeroFloat32)
	}
}

// pushPart is what one worker's lists contribute to a round.
type pushPart struct {
	resumed  []pausedRow[uint32]
	improved []improvement[uint32]
	next     atomic.Int64 // first item that no worker has taken
	_        [64]byte
}

// round pushes from the resumed rows and from the vertices that the previous round has
// improved.
func (s *bounded) round(items int) {
	for i := range s.workers {
		w, p := &s.workers[i], &s.parts[i]
		p.resumed, p.improved = w.resumed, w.log[w.taken:]
		p.next.Store(0)
		w.taken = len(w.log)
	}
	if items <= s.limits.serialPush {
		s.pushParts(0)
	} else {
		s.team.Run(s.pushParts)
	}
	for i := range s.workers {
		w := &s.workers[i]
		w.resumed, w.split = w.split, w.resumed[:0]
	}
}

// pushParts takes items of the round until none is left: first those of this worker, whose vertices
// and neighbours are in its cache, then those of others. It then goes on with the vertices that
// this worker has improved, while they are few: this saves rounds.
func (s *bounded) pushParts(worker int) {
	w := &s.workers[worker]
	for i := range s.parts {
		p := &s.parts[(worker+i)%len(s.parts)]
		for n := s.takePart(w, p); n >= 0; n = s.takePart(w, p) {
			s.pushTaken(w, n)
		}
	}
	for range soloBatches {
		own := w.log[w.taken:]
		if len(own) == 0 || len(own) > s.limits.soloPush {
			break
		}
		own = own[:min(len(own), pushGrain)]
		w.taken += len(own)
		s.pushTaken(w, s.takeImproved(w, 0, own))
	}
}

// pushTaken pushes from the first n items. They go through each stage together, so that
// the cache misses of a stage overlap.
func (s *bounded) pushTaken(w *pushWorker, n int) {
	limit := s.pushLimit()
	s.pushRows(w, s.pushHeads(w, n, limit), limit)
	s.relax(w, math.Float32bits(s.bound))
}

// pushLimit returns the bits of the distance below which an arc that is pushed must end. Before
// a pull it is the bound: most arcs above it are never needed. Once the pull is refused, all arcs
// are, and a vertex pushes its whole row at once instead of a part in each step of the bound.
func (s *bounded) pushLimit() uint32 {
	bound := math.Float32bits(s.bound)
	if s.pullRefused {
		return max(bound, engine.InfiniteBits) // the bound is above infinity when infinite sums are left
	}
	return bound
}

// takePart copies the next items of a part. It returns the number of those whose distance is still
// the same, or -1 if no item was left.
func (s *bounded) takePart(w *pushWorker, p *pushPart) int {
	resumed, items := len(p.resumed), len(p.resumed)+len(p.improved)
	lo := int(p.next.Add(pushGrain)) - pushGrain
	if lo >= items {
		return -1
	}
	hi, n := min(lo+pushGrain, items), 0
	for _, r := range p.resumed[min(lo, resumed):min(hi, resumed)] {
		n = s.take(w, n, r)
	}
	return s.takeImproved(w, n, p.improved[max(lo-resumed, 0):max(hi-resumed, 0)])
}

// takeImproved copies improved vertices behind the first n items.
func (s *bounded) takeImproved(w *pushWorker, n int, improved []improvement[uint32]) int {
	for _, v := range improved {
		n = s.take(w, n, pausedRow[uint32]{vertex: v.vertex, distance: v.distance})
	}
	return n
}

// take copies a row behind the first n items if the distance of its vertex is still the
// same. It returns the number of items.
func (s *bounded) take(w *pushWorker, n int, x pausedRow[uint32]) int {
	w.items[n] = pushItem{pausedRow: x, row: s.g.Row(x.vertex - s.first)}
	if atomic.LoadUint32(&s.distances[x.vertex]) == x.distance {
		n++
	}
	return n
}

// pushHeads lists the arcs in the heads of the first n items that end below the limit.
// It moves the items that go on in their rows to the front and returns their number.
func (s *bounded) pushHeads(w *pushWorker, n int, limit uint32) (deep int) {
	touched := uint64(0)
	for i := range w.items[:n] {
		touched += s.g.Heads[w.items[i].row].Begin
	}
	for i := range w.items[:n] {
		x := &w.items[i]
		head := &s.g.Heads[x.row]
		x.begin, x.end = head.Begin, head.End
		degree := uint32(x.end - x.begin)
		for ; x.position < graph.HeadArcs; x.position++ {
			arc := head.Arcs[x.position]
			t := add(x.distance, arc.Weight)
			if t >= limit {
				break
			}
			w.relaxed = append(w.relaxed, improvement[uint32]{arc.To, x.vertex, t})
		}
		switch {
		case x.position >= degree:
		case x.position < graph.HeadArcs:
			x.next = add(x.distance, head.Arcs[x.position].Weight)
			w.paused.push(x.pausedRow)
		default:
			touched += uint64(s.g.Arcs[x.begin+uint64(x.position)].To)
			w.items[deep] = *x
			deep++
		}
	}
	w.touched += touched
	return deep
}

// pushRows lists the arcs of the first n items, from their positions on, that end below
// the limit. A long row goes on in the next round.
func (s *bounded) pushRows(w *pushWorker, n int, limit uint32) {
	for i := range w.items[:n] {
		x := &w.items[i]
		row := s.g.Arcs[x.begin:x.end]
		end := min(uint32(len(row)), x.position+s.limits.longPush)
		for ; x.position < end; x.position++ {
			arc := row[x.position]
			t := add(x.distance, arc.Weight)
			if t >= limit {
				x.next = t
				w.paused.push(x.pausedRow)
				break
			}
			w.relaxed = append(w.relaxed, improvement[uint32]{arc.To, x.vertex, t})
		}
		if x.position == end && int(end) < len(row) {
			w.split = append(w.split, x.pausedRow)
		}
	}
}

// relax lowers the distances of the listed arcs' ends and logs the improvements: those of
// vertices of other ranks as leaving, those at the bound or above it as beyond.
func (s *bounded) relax(w *pushWorker, bound uint32) {
	w.arcs += int64(len(w.relaxed))
	n := 0
	for _, x := range w.relaxed { // without branches, so that the loads overlap
		w.relaxed[n] = x
		kept := 0
		if x.distance < atomic.LoadUint32(&s.distances[x.vertex]) {
			kept = 1
		}
		n += kept
	}
	for _, x := range w.relaxed[:n] {
		switch {
		case !lower(s.distances, x):
		case uint64(x.vertex-s.first) < uint64(len(s.parents)):
			w.record(x, bound)
		default:
			w.leaving = append(w.leaving, x)
		}
	}
	w.relaxed = w.relaxed[:0]
}

// record logs an improvement of an own vertex.
func (w *pushWorker) record(x improvement[uint32], bound uint32) {
	if x.distance < bound {
		w.log = append(w.log, x)
	} else {
		w.beyond = append(w.beyond, x)
	}
}

// finishPush sets the parents of the improved vertices, pauses those beyond the bound, empties
// the logs and returns the number of the others.
func (s *bounded) finishPush(total int) int64 {
	var found atomic.Int64
	finish := func(worker int) {
		w := &s.workers[worker]
		n := int64(0)
		for _, x := range w.log {
			if s.settle(x) {
				n++
			}
		}
		for _, x := range w.beyond {
			if s.settle(x) {
				w.paused.push(pausedRow[uint32]{next: x.distance, distance: x.distance, vertex: x.vertex})
			}
		}
		w.log, w.beyond, w.taken = w.log[:0], w.beyond[:0], 0
		found.Add(n)
	}
	if total <= s.limits.serialPush {
		for i := range s.workers {
			finish(i)
		}
	} else {
		s.team.Run(finish)
	}
	return found.Load()
}

// settle sets the parent of an improved vertex, unless its distance has become still smaller.
func (s *bounded) settle(x improvement[uint32]) bool {
	last := s.distances[x.vertex] == x.distance
	if last {
		s.parents[x.vertex-s.first] = x.parent
	}
	return last
}
