package cpu

import (
	"context"
	"math"
	"time"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
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
//  3. pull, once: each other vertex relaxes its own arcs, lightest first. The lower
//     bound ends this after one or two arcs. An arc from a neighbour above the bound is
//     kept if it could lead to still less.
//  4. tail: the kept arcs are relaxed until none changes a distance.
//
// On Kronecker graphs this examines about two arcs per vertex. On graphs where the
// pull would decide few vertices, step 2 goes on to the end.
//
// Every parent is written by the strict improvement that led to the distance. Parents
// therefore never form a cycle, whatever the weights.
//
// Over ranks each has the rows of its own vertices. Its array of distances holds the distances of
// its own vertices, and of the others the least ones that it has sent or received: it sends nothing
// that leads to more. In steps 1 and 2 ranks relax the arcs of their own vertices. When none of these
// is left, all send their improvements of other vertices to the owners, and go on. Before step 3
// they exchange the distances below the bound, which are final. In step 4 a kept arc moves to the
// owner of the vertex that it comes from, and is relaxed there. A parent is that of the last
// improvement, whose distance the owner knew when it relaxed the arc.
type bounded struct {
	g       *graph.WeightedCSR // of the own vertices
	team    *parallel.Team
	world   *cluster.World
	ranges  partition.Ranges // of vertices, by rank
	first   engine.Label     // label of the first own vertex, with which rows and parents begin
	parents []engine.Label   // of the own vertices
	results []float32        // distances of the own vertices
	// distances holds the bits of the distances of all vertices: of one rank, the results. In the
	// order of unsigned numbers, engine.UnreachedBits is above infinity, which is above every distance.
	distances []uint32
	firstStep float32     // by which the bound rises at first
	form      vector.Form // of the first step of the pull
	lanes     *laneTables
	limits    boundedLimits
	profile   engine.Profile
	clock     time.Time // end of the last step

	reached     nearQueue   // by near
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
	segments            []keptSegment

	outgoing [][][]improvement[uint32] // by worker and rank
	incoming *cluster.Exchanger[improvement[uint32]]
	settled  settledExchange
	moved    movedArcs
}

// boundedLimits are the numbers at which the search changes its form.
type boundedLimits struct {
	longPush   uint32 // arcs of a row that a worker pushes at a time, and of a root above which near does not expand it
	serialPush int    // vertices up to which a round is left to worker 0: others begin and end with a meeting of all workers
	soloPush   int    // vertices that a worker has improved up to which it goes on with them alone
	maxSweeps  int    // sweeps of the tail, after which it pushes from the changed vertices. Kronecker graphs need about eight
}

// The fastest of 0.1 to 0.3, both, at scale 20 on two cores; at 18 all are alike.
const (
	// stepArcs is the number of arcs per vertex of mean degree that end in one step
	// of the bound.
	stepArcs = 0.15
	// pushShare is the number of pushed arcs per vertex after which the pull begins.
	pushShare = 0.15
)

func newBounded() method { return new(bounded) }

func (s *bounded) arrays(z size) memory.Group {
	const changed = "changed vertices"
	g := memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Grown("pushed and kept arcs", 16*z.rows),
		memory.Of(&s.changed, changed, z.rowWords()), memory.Of(&s.newChanged, changed, z.rowWords()),
	}}
	if z.ranks() > 1 {
		g.Arrays = append(g.Arrays, memory.Of(&s.distances, "distances of all ranks", 64*z.allWords()))
		g.Arrays = append(g.Arrays, s.settled.arrays(z)...)
		g.Arrays = append(g.Arrays, memory.Grown("sent arcs and improvements", 3*16*z.owned/4))
	}
	return g
}

func (s *bounded) start(ctx context.Context, in *input) error {
	first, _ := in.ranges.Range(in.world.Rank())
	s.g, s.team, s.world, s.ranges, s.first = in.weighted, in.team, in.world, in.ranges, engine.Label(first)
	s.parents, s.results = in.parents, in.distances
	if s.alone() {
		s.distances = bitsOf(in.distances)
	}
	s.form, s.lanes = vector.Chosen(), newLaneTables()
	s.limits = boundedLimits{longPush: 4096, serialPush: 64, soloPush: 64, maxSweeps: 32}
	workers := s.team.Size()
	s.workers, s.parts, s.settled.own = make([]pushWorker, workers), make([]pushPart, workers), make([][]uint64, workers)
	s.incoming, s.moved.incoming = cluster.NewExchanger[improvement[uint32]](s.world), cluster.NewExchanger[movedArc](s.world)
	for range workers {
		s.pulls = append(s.pulls, new(pullWorker))
		s.outgoing = append(s.outgoing, make([][]improvement[uint32], s.world.Size()))
		s.moved.outgoing = append(s.moved.outgoing, make([][]movedArc, s.world.Size()))
	}
	// All ranks take the largest mean weight of one.
	mean := []int64{int64(math.Float32bits(meanWeight(s.g)))}
	err := s.world.Max(ctx, mean)
	s.firstStep = stepOf(s.g.Info, math.Float32frombits(uint32(mean[0])))
	return err
}

// alone reports whether there is one rank.
func (s *bounded) alone() bool { return s.world.Size() == 1 }

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
	s.clock = time.Now()
	if !s.alone() {
		s.inParts(len(s.distances), func(lo, hi int) { fill(s.distances[lo:hi], engine.UnreachedBits) })
	}
	s.reset()
	if err := s.expandNear(ctx, root); err != nil {
		return err
	}
	pulls, err := s.pushUntilPull(ctx)
	if err == nil && pulls {
		err = s.pullAndTail(ctx, root)
	}
	if err != nil || s.alone() {
		return err
	}
	own := s.distances[s.first:][:len(s.results)]
	s.inParts(len(own), func(lo, hi int) { copy(bitsOf(s.results)[lo:hi], own[lo:hi]) })
	return nil
}

// inParts calls f with the bounds of equal parts of n elements, each on a worker.
func (s *bounded) inParts(n int, f func(lo, hi int)) {
	s.team.Run(func(worker int) { f(parallel.Split(n, s.team.Size(), worker)) })
}

// reset forgets the previous search.
func (s *bounded) reset() {
	s.bound, s.step, s.least, s.pushed, s.pullRefused, s.rootRow = 0, s.firstStep, 0, 0, false, nil
	for i := range s.workers {
		s.workers[i].reset()
	}
}

// pushUntilPull pushes until the pull is worth it. It reports false if nothing is left for
// the pull.
func (s *bounded) pushUntilPull(ctx context.Context) (bool, error) {
	for pullAt := int64(pushShare * float64(s.g.Info.Connected)); ; {
		more, err := s.raiseBound(ctx)
		if err != nil || !more {
			return false, err
		}
		if err := s.push(ctx); err != nil {
			return false, err
		}
		if s.pushed < pullAt {
			continue
		}
		if err := s.exchangeSettled(ctx); err != nil {
			return false, err
		}
		asked, decided := s.samplePull(max(1, len(s.g.Present)*s.world.Size()/sampleSize))
		sums := []int64{asked, decided}
		if err := s.world.Sum(ctx, sums); err != nil || 2*sums[1] >= sums[0] {
			return err == nil, err
		}
		pullAt = 2 * s.pushed
		s.pullRefused = true
	}
}

// pullAndTail runs the last two steps.
func (s *bounded) pullAndTail(ctx context.Context, root engine.Label) error {
	arcs, err := s.expandRoot(ctx, root)
	if err != nil {
		return err
	}
	l, err := s.pull(ctx)
	if err != nil {
		return err
	}
	l.Step = "pull"
	l.Examined += arcs
	if err := s.record(ctx, l); err != nil {
		return err
	}
	return s.tail(ctx)
}

// record adds a step to the profile, with the sums of the counts of all ranks.
func (s *bounded) record(ctx context.Context, l engine.Level) error {
	sums := []int64{l.Frontier, l.Found, l.Examined}
	err := s.world.Sum(ctx, sums)
	l.Frontier, l.Found, l.Examined = sums[0], sums[1], sums[2]
	s.recordSums(l)
	return err
}

// recordSums is record for counts of all ranks.
func (s *bounded) recordSums(l engine.Level) {
	now := time.Now()
	l.Seconds = now.Sub(s.clock).Seconds()
	s.clock = now
	s.profile.Add(l)
}
