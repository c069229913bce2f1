package cpu

import (
	"context"
	"time"
	"unsafe"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
)

// pathRounds is what the SSSP strategies share that relax the arcs of a list of
// vertices in each round.
type pathRounds[D distance] struct {
	*input
	distances      []D
	workers        []roundWorker[D]
	frontier, next []reachedVertex[D]
	rows           []pausedRow[D] // taken from the queues
	profile        engine.Profile
	clock          time.Time // end of the last round
}

// roundWorker holds the lists of one worker. They keep their memory from search to
// search.
type roundWorker[D distance] struct {
	log      []improvement[D]   // of this round
	near     []reachedVertex[D] // improved vertices below the bound
	far      rowQueue[D]        // other improved vertices, of all rounds
	found    int64              // improved vertices of this round
	examined int64              // arcs of this round
	_        [64]byte
}

// smallRound is the number of vertices up to which worker 0 does a round alone, and the
// number that a worker takes at a time in others.
const smallRound = 64

// arrays declares lists of about four labels and six distances a row.
func (s *pathRounds[D]) arrays(z size) memory.Group {
	bytes := 4*uint64(unsafe.Sizeof(engine.Label(0))) + 6*uint64(unsafe.Sizeof(D(0)))
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{memory.Grown("improvements and reached vertices", bytes*z.rows)}}
}

func (s *pathRounds[D]) start(_ context.Context, in *input) error {
	s.input, s.distances, s.workers = in, distancesOf[D](in), make([]roundWorker[D], in.team.Size())
	return nil
}

func (s *pathRounds[D]) levels() engine.Profile { return s.profile }

func (s *pathRounds[D]) close() error { return nil }

// begin prepares a search, whose first frontier is the root.
func (s *pathRounds[D]) begin(root engine.Label) {
	s.profile.Reset()
	s.clock = time.Now()
	s.parents[root], s.distances[root] = root, 0
	for i := range s.workers {
		w := &s.workers[i]
		w.log, w.near = w.log[:0], w.near[:0]
		w.far.reset()
	}
	s.frontier = append(s.frontier[:0], reachedVertex[D]{root, 0})
}

// openBucket makes the vertices of the next bucket the frontier. bound returns the upper bound of a
// bucket with the given least distance. openBucket returns it, and false if no vertex is left.
func (s *pathRounds[D]) openBucket(bound func(least D) D) (_ D, more bool) {
	least := ^D(0)
	for i := range s.workers {
		least = min(least, s.workers[i].far.least())
	}
	if least == ^D(0) {
		return 0, false
	}
	end := bound(least)
	s.rows = s.rows[:0]
	for i := range s.workers {
		s.rows = s.workers[i].far.takeBelow(end, s.rows)
	}
	s.frontier = s.frontier[:0]
	for _, r := range s.rows {
		s.frontier = append(s.frontier, reachedVertex[D]{r.vertex, r.distance})
	}
	return end, true
}

// relax relaxes the arcs of the given vertices that part selects from their rows. It
// skips vertices whose distance has become smaller since they were listed. It appends
// the improved vertices to next if their distance is below the bound, and puts the
// others into a queue. The round is recorded under the name of its step.
func (s *pathRounds[D]) relax(ctx context.Context, step string, vertices, next []reachedVertex[D], bound D, part func([]graph.Arc) []graph.Arc) ([]reachedVertex[D], error) {
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
func (s *pathRounds[D]) relaxVertices(worker int, vertices []reachedVertex[D], part func([]graph.Arc) []graph.Arc) {
	w := &s.workers[worker]
	for _, v := range vertices {
		if current(&s.distances[v.vertex]) != v.distance {
			continue
		}
		arcs := part(s.weighted.ArcsOf(v.vertex))
		w.examined += int64(len(arcs))
		for _, arc := range arcs {
			x := improvement[D]{arc.To, v.vertex, longer(v.distance, arc.Weight)}
			if lower(s.distances, x) {
				w.log = append(w.log, x)
			}
		}
	}
}

// sortLog sets the parents of the vertices that the worker has improved, unless another
// improvement was better, and lists these vertices.
func (s *pathRounds[D]) sortLog(worker int, bound D) {
	w := &s.workers[worker]
	for _, x := range w.log {
		if s.distances[x.vertex] != x.distance {
			continue
		}
		s.parents[x.vertex] = x.parent
		w.found++
		if x.distance < bound {
			w.near = append(w.near, reachedVertex[D]{x.vertex, x.distance})
		} else {
			w.far.push(pausedRow[D]{next: x.distance, distance: x.distance, vertex: x.vertex})
		}
	}
	w.log = w.log[:0]
}

func wholeRow(row []graph.Arc) []graph.Arc { return row }
