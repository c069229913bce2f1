package cpu

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
)

// integerPaths finds shortest paths whose weights are whole numbers, with distances of 64 bits
// (engine.Job.Integers). It settles one bucket of distances after the other, as Meyer and Sanders
// (2003) do, but relaxes all arcs of a vertex together, as in the near-far form of Davidson, Baxter,
// Garland and Owens (2014): improved vertices below the bound of the bucket are near and come next,
// the others are far and wait.
type integerPaths struct {
	*input
	distances []uint64
	width     uint64 // of a bucket
	workers   []integerWorker
	near      []reachedAt
	profile   engine.Profile
	clock     time.Time // end of the last round
}

// reachedAt is a vertex with the distance at which it was reached.
type reachedAt struct {
	vertex   engine.Label
	distance uint64
}

// integerImprovement is an improvement with a distance of 64 bits.
type integerImprovement struct {
	vertex, parent engine.Label
	distance       uint64
}

// integerWorker holds the lists of one worker. They keep their memory from search to search.
type integerWorker struct {
	log       []integerImprovement // of this round
	near, far []reachedAt
	found     int64 // improved vertices of this round
	examined  int64 // arcs of this round
	_         [64]byte
}

func newIntegerPaths() method { return new(integerPaths) }

func (s *integerPaths) arrays(z size) memory.Group {
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Grown("improvements and reached vertices", 64*z.rows)}}
}

// start chooses the width of a bucket: the heaviest weight divided by the mean number of arcs of a
// row, by which few light arcs lead from a bucket into itself.
func (s *integerPaths) start(_ context.Context, in *input) error {
	s.input, s.distances, s.workers = in, in.exact, make([]integerWorker, in.team.Size())
	arcs, rows := s.weighted.Arcs, uint64(len(s.weighted.Offsets)-1)
	heaviest := make([]uint32, in.team.Size())
	err := in.team.For(context.Background(), len(arcs), 1<<16, func(worker, lo, hi int) {
		for _, arc := range arcs[lo:hi] {
			heaviest[worker] = max(heaviest[worker], integerOf(arc))
		}
	})
	s.width = 1
	for _, w := range heaviest {
		s.width = max(s.width, uint64(w)*rows/max(1, uint64(len(arcs))))
	}
	return err
}

// integerOf returns the weight of an arc (engine.IntegerWeight).
func integerOf(arc graph.Arc) uint32 { return math.Float32bits(arc.Weight) }

func (s *integerPaths) levels() engine.Profile { return s.profile }

func (s *integerPaths) close() error { return nil }

func (s *integerPaths) search(ctx context.Context, root engine.Label) error {
	s.profile.Reset()
	s.clock = time.Now()
	s.parents[root], s.distances[root] = root, 0
	for i := range s.workers {
		w := &s.workers[i]
		w.log, w.near, w.far = w.log[:0], w.near[:0], w.far[:0]
	}
	s.near = append(s.near[:0], reachedAt{root, 0})
	for bound := s.width; len(s.near) > 0; bound = s.openBucket() {
		for len(s.near) > 0 {
			if err := s.relax(ctx, bound); err != nil {
				return err
			}
		}
	}
	return nil
}

// openBucket makes the far vertices of the next bucket the near ones, none if no far vertex is left.
// It returns the bound of the bucket.
func (s *integerPaths) openBucket() (bound uint64) {
	least := engine.UnreachedExact
	for i := range s.workers {
		w := &s.workers[i]
		left := w.far[:0]
		for _, v := range w.far {
			if s.distances[v.vertex] == v.distance { // not improved since
				left = append(left, v)
				least = min(least, v.distance)
			}
		}
		w.far = left
	}
	if least == engine.UnreachedExact {
		return 0
	}
	bound = least + s.width
	for i := range s.workers {
		w := &s.workers[i]
		left := w.far[:0]
		for _, v := range w.far {
			if v.distance < bound {
				s.near = append(s.near, v)
			} else {
				left = append(left, v)
			}
		}
		w.far = left
	}
	return bound
}

// relax relaxes the arcs of the near vertices. Those that it improves below the bound are the next
// near ones.
func (s *integerPaths) relax(ctx context.Context, bound uint64) (err error) {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if len(s.near) <= smallRound {
		s.relaxVertices(0, s.near)
		s.sortLog(0, bound)
	} else {
		err = s.team.For(ctx, len(s.near), smallRound, func(worker, lo, hi int) { s.relaxVertices(worker, s.near[lo:hi]) })
		s.team.Run(func(worker int) { s.sortLog(worker, bound) })
	}
	l := engine.Level{Step: "near", Frontier: int64(len(s.near))}
	s.near = s.near[:0]
	for i := range s.workers {
		w := &s.workers[i]
		s.near = append(s.near, w.near...)
		l.Found += w.found
		l.Examined += w.examined
		w.near, w.found, w.examined = w.near[:0], 0, 0
	}
	now := time.Now()
	l.Seconds = now.Sub(s.clock).Seconds()
	s.clock = now
	s.profile.Add(l)
	return err
}

// relaxVertices relaxes the arcs of the vertices and logs the improvements. It skips vertices whose
// distance has become smaller since they were reached.
func (s *integerPaths) relaxVertices(worker int, vertices []reachedAt) {
	w := &s.workers[worker]
	for _, v := range vertices {
		if atomic.LoadUint64(&s.distances[v.vertex]) != v.distance {
			continue
		}
		arcs := s.weighted.ArcsOf(v.vertex)
		w.examined += int64(len(arcs))
		for _, arc := range arcs {
			x := integerImprovement{arc.To, v.vertex, v.distance + uint64(integerOf(arc))}
			if lowerExact(&s.distances[x.vertex], x.distance) {
				w.log = append(w.log, x)
			}
		}
	}
}

// lowerExact lowers a distance. It reports false if that is not larger. Several workers may lower it
// at the same time.
func lowerExact(to *uint64, distance uint64) bool {
	for {
		old := atomic.LoadUint64(to)
		if distance >= old {
			return false
		}
		if atomic.CompareAndSwapUint64(to, old, distance) {
			return true
		}
	}
}

// sortLog sets the parents of the vertices that the worker has improved, unless another improvement
// was better, and lists these vertices. Parents come from strict improvements only and form no cycle,
// even where weights are 0.
func (s *integerPaths) sortLog(worker int, bound uint64) {
	w := &s.workers[worker]
	for _, x := range w.log {
		if s.distances[x.vertex] != x.distance {
			continue
		}
		s.parents[x.vertex] = x.parent
		w.found++
		to := &w.far
		if x.distance < bound {
			to = &w.near
		}
		*to = append(*to, reachedAt{x.vertex, x.distance})
	}
	w.log = w.log[:0]
}
