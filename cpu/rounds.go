package cpu

import (
	"context"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
)

// pathRounds is what the SSSP strategies share that relax the arcs of a list of
// vertices in each round.
type pathRounds struct {
	*input
	distances []uint32 // bits, as in bounded
	workers   []roundWorker
	profile   engine.Profile
	clock     time.Time // end of the last round
}

// roundWorker holds the lists of one worker. They keep their memory from search to
// search.
type roundWorker struct {
	log      []improvement   // of this round
	near     []reachedVertex // improved vertices below the bound
	far      rowQueue        // other improved vertices, of all rounds
	found    int64           // improved vertices of this round
	examined int64           // arcs of this round
	_        [64]byte
}

// smallRound is the number of vertices up to which worker 0 does a round alone, and the
// number that a worker takes at a time in others.
const smallRound = 64

func (s *pathRounds) arrays(z size) memory.Group {
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Grown("improvements and reached vertices", 40*z.rows)}}
}

func (s *pathRounds) start(_ context.Context, in *input) error {
	s.input, s.distances, s.workers = in, bitsOf(in.distances), make([]roundWorker, in.team.Size())
	return nil
}

func (s *pathRounds) levels() engine.Profile { return s.profile }

func (s *pathRounds) close() error { return nil }

// begin prepares a search.
func (s *pathRounds) begin(root engine.Label) {
	s.profile.Reset()
	s.clock = time.Now()
	s.parents[root], s.distances[root] = root, 0
	for i := range s.workers {
		w := &s.workers[i]
		w.log, w.near = w.log[:0], w.near[:0]
		w.far.reset()
	}
}

// relax relaxes the arcs of the given vertices that part selects from their rows. It
// skips vertices whose distance has become smaller since they were listed. It appends
// the improved vertices to next if their distance is below the bound, and puts the
// others into a queue. The round is recorded under the name of its step.
func (s *pathRounds) relax(ctx context.Context, step string, vertices, next []reachedVertex, bound uint32, part func([]graph.Arc) []graph.Arc) ([]reachedVertex, error) {
	if err := context.Cause(ctx); err != nil {
		return next, err
	}
	var err error
	if len(vertices) <= smallRound {
		s.relaxVertices(0, vertices, part)
		s.sortLog(0, bound)
	} else {
		err = s.team.For(ctx, len(vertices), smallRound, func(worker, lo, hi int) {
			s.relaxVertices(worker, vertices[lo:hi], part)
		})
		s.team.Run(func(worker int) { s.sortLog(worker, bound) })
	}
	l := engine.Level{Step: step, Frontier: int64(len(vertices))}
	for i := range s.workers {
		w := &s.workers[i]
		next = append(next, w.near...)
		l.Found += w.found
		l.Examined += w.examined
		w.near, w.found, w.examined = w.near[:0], 0, 0
	}
	now := time.Now()
	l.Seconds = now.Sub(s.clock).Seconds()
	s.clock = now
	s.profile.Add(l)
	return next, err
}

// relaxVertices relaxes arcs of the vertices and logs the improvements.
func (s *pathRounds) relaxVertices(worker int, vertices []reachedVertex, part func([]graph.Arc) []graph.Arc) {
	w := &s.workers[worker]
	for _, v := range vertices {
		if atomic.LoadUint32(&s.distances[v.vertex]) != v.distance {
			continue
		}
		arcs := part(s.weighted.ArcsOf(v.vertex))
		w.examined += int64(len(arcs))
		for _, arc := range arcs {
			x := improvement{arc.To, v.vertex, add(v.distance, arc.Weight)}
			if lower(s.distances, x) {
				w.log = append(w.log, x)
			}
		}
	}
}

// sortLog sets the parents of the vertices that the worker has improved, unless another
// improvement was better, and lists these vertices.
func (s *pathRounds) sortLog(worker int, bound uint32) {
	w := &s.workers[worker]
	for _, x := range w.log {
		if s.distances[x.vertex] != x.distance {
			continue
		}
		s.parents[x.vertex] = x.parent
		w.found++
		if x.distance < bound {
			w.near = append(w.near, reachedVertex{x.vertex, x.distance})
		} else {
			w.far.push(pausedRow{next: x.distance, distance: x.distance, vertex: x.vertex})
		}
	}
	w.log = w.log[:0]
}
