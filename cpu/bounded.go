package cpu

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/vector"
)

// bounded is the default SSSP strategy. It settles the vertices nearest to the root
// with few arcs and lets all others find their distance themselves:
//
//  1. near: the nearest vertices are expanded with all their arcs. The smallest
//     distance that is not expanded is a lower bound for what follows. A root with
//     very many arcs is left to the pushes, a piece of its row per round, and before the
//     pull all workers expand the rest of it.
//  2. push: arcs that end below a bound are relaxed until none changes a distance.
//     All distances below the bound are then final. The bound rises in steps.
//  3. pull, once: each other vertex relaxes its own arcs, lightest first, from
//     neighbours below the bound. The lower bound ends this after one or two arcs.
//     An arc from a neighbour above the bound is kept if it could lead to less.
//  4. tail: the kept arcs are relaxed until none changes a distance.
//
// On Kronecker graphs this examines about two arcs per vertex. On graphs where the
// pull would decide few vertices, step 2 goes on to the end.
//
// Every parent is written by the strict improvement that led to the distance. Parents
// therefore never form a cycle, whatever the weights.
type bounded struct {
	g       *graph.WeightedCSR // the whole graph, or a share (see rankedBounded)
	team    *parallel.Team
	first   engine.Label   // label of the first vertex of the share, which rows and parents begin with; 0 for the whole graph
	parents []engine.Label // of the vertices of the share
	// distances holds the bits of the distances of all vertices. In the order of unsigned
	// numbers, engine.UnreachedBits is above infinity, which is above every distance.
	distances []uint32
	firstStep float32     // by which the bound rises at first
	form      vector.Form // of the first step of the pull
	lanes     *laneTables
	limits    boundedLimits
	profile   engine.Profile

	near        nearSearch
	rootRow     []graph.Arc // row of the root, nil if near has expanded it
	workers     []pushWorker
	parts       []pushPart // of a round, by worker
	bound       float32    // distances below it are final after a push
	step        float32    // by which it rises
	pullRefused bool       // the pull would have decided few vertices
	least       float32    // least distance of a vertex that near has not expanded
	pushed      int64      // arcs pushed since the last search began

	pulls               []*pullWorker
	changed, newChanged []uint64 // bitmaps of the vertices that a sweep of the tail has changed

	next atomic.Int64 // next task of the current loop
}

// boundedLimits are the numbers at which the search changes its form.
type boundedLimits struct {
	longPush   uint32 // arcs of a row that a worker pushes at a time, and of a root above which near does not expand it
	serialPush int    // vertices up to which a round is left to worker 0: others begin and end with a meeting of all workers
	soloPush   int    // vertices that a worker has improved up to which it goes on with them alone
	maxSweeps  int    // sweeps of the tail, after which it pushes from the changed vertices. Kronecker graphs need about eight
}

// The fastest of 0.03 to 0.5 and of 0.15 to 0.4 at scales 18 and 20 on two cores.
const (
	// stepArcs is the number of arcs per vertex of mean degree that end in one step
	// of the bound.
	stepArcs = 0.2
	// pushShare is the number of pushed arcs per vertex after which the pull begins.
	pushShare = 0.2
)

func newBounded() method { return new(bounded) }

func (s *bounded) arrays(z size) memory.Group {
	const changed = "changed vertices"
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Grown("pushed and kept arcs", 16*z.rows),
		memory.Of(&s.changed, changed, z.rowWords()), memory.Of(&s.newChanged, changed, z.rowWords()),
	}}
}

func (s *bounded) start(_ context.Context, in *input) error {
	s.distances = bitsOf(in.distances)
	s.startWorkers(in)
	return nil
}

// startWorkers sets all fields but first and distances.
func (s *bounded) startWorkers(in *input) {
	s.g, s.team, s.parents = in.weighted, in.team, in.parents
	s.form, s.lanes = vector.Chosen(), newLaneTables()
	s.limits = boundedLimits{longPush: 4096, serialPush: 64, soloPush: 64, maxSweeps: 32}
	s.workers = make([]pushWorker, s.team.Size())
	s.parts = make([]pushPart, s.team.Size())
	for range s.team.Size() {
		s.pulls = append(s.pulls, new(pullWorker))
	}
	s.firstStep = stepOf(s.g.Info, meanWeight(s.g))
}

// stepOf returns the first step of the bound for a graph with the given mean weight.
func stepOf(g engine.Graph, mean float32) float32 {
	return max(stepArcs*mean*2*float32(g.Connected)/float32(max(1, g.Arcs)), math.SmallestNonzeroFloat32)
}

// meanWeight returns the mean of up to 2^16 weights, spread evenly over the arcs.
func meanWeight(g *graph.WeightedCSR) float32 {
	stride := max(1, len(g.Arcs)>>16)
	var sum float64
	n := 0
	for i := 0; i < len(g.Arcs); i += stride {
		sum += float64(g.Arcs[i].Weight)
		n++
	}
	return float32(sum / float64(max(1, n)))
}

func (s *bounded) levels() engine.Profile { return s.profile }

func (s *bounded) close() error { return nil }

func (s *bounded) search(ctx context.Context, root engine.Label) error {
	s.profile.Reset()
	s.parents[root], s.distances[root] = root, 0
	if !s.g.Has(root) {
		return nil
	}
	s.reset()
	clock := time.Now()
	record := func(step string, l engine.Level) {
		now := time.Now()
		l.Step, l.Seconds = step, now.Sub(clock).Seconds()
		clock = now
		s.profile.Add(l)
	}
	record("near", s.expandNear(root))
	for pullAt := int64(pushShare * float64(s.g.Info.Connected)); ; {
		more := s.raiseBound()
		if !more {
			return context.Cause(ctx)
		}
		l, err := s.push(ctx)
		record("push", l)
		if err != nil {
			return err
		}
		if s.pushed < pullAt {
			continue
		}
		if s.pullDecidesMost() {
			break
		}
		pullAt = 2 * s.pushed
		s.pullRefused = true
	}
	arcs, err := s.expandRoot(ctx, root)
	if err != nil {
		return err
	}
	l, err := s.pull(ctx)
	l.Examined += arcs
	record("pull", l)
	if err != nil {
		return err
	}
	l, err = s.tail(ctx)
	record("tail", l)
	return err
}

// reset forgets the previous search.
func (s *bounded) reset() {
	s.bound, s.step, s.least, s.pushed, s.pullRefused, s.rootRow = 0, s.firstStep, 0, 0, false, nil
	for i := range s.workers {
		s.workers[i].reset()
	}
}
