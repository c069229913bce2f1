package cpu

import (
	"context"
	"math"
	"time"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// A rankedBounded is the bounded search over ranks. Each rank has the rows of its own
// vertices. Its array of distances holds the distances of its own vertices, and of the
// others the least ones that it has sent or received: it sends nothing that leads to more.
//
//  1. near, 2. push: ranks relax the arcs of their own vertices. When none of these is
//     left, all send their improvements of other vertices to the owners, and go on.
//  3. pull: ranks first exchange the distances below the bound, which are final.
//  4. tail: a kept arc moves to the owner of the vertex that it comes from. The arcs are
//     relaxed there as in step 2.
//
// A parent is that of the last improvement, whose distance the owner knew when it relaxed
// the arc, so parents form no cycle.
type rankedBounded struct {
	bounded
	world    *cluster.World
	ranges   partition.Ranges
	results  []float32                 // distances of the own vertices
	outgoing [][][]improvement[uint32] // by worker and rank
	incoming *cluster.Exchanger[improvement[uint32]]
	settled  settledExchange
	moved    movedArcs
	clock    time.Time
}

func newRankedBounded() method { return new(rankedBounded) }

func (s *rankedBounded) arrays(z size) memory.Group {
	g := s.bounded.arrays(z)
	g.Arrays = append(g.Arrays, memory.Of(&s.distances, "distances of all ranks", 64*z.allWords()))
	g.Arrays = append(g.Arrays, s.settled.arrays(z)...)
	g.Arrays = append(g.Arrays, memory.Grown("sent arcs and improvements", 3*16*z.owned/4))
	return g
}

func (s *rankedBounded) start(ctx context.Context, in *input) error {
	first, _ := in.ranges.Range(in.world.Rank())
	s.world, s.ranges, s.results, s.first = in.world, in.ranges, in.distances, engine.Label(first)
	s.incoming = cluster.NewExchanger[improvement[uint32]](in.world)
	s.moved = newMovedArcs(in.world, in.team.Size())
	s.settled.own = make([][]uint64, in.team.Size())
	for range in.team.Size() {
		s.outgoing = append(s.outgoing, make([][]improvement[uint32], in.world.Size()))
	}
	s.startWorkers(in)
	return s.agreeOnStep(ctx)
}

// agreeOnStep sets the first step from the largest mean weight of a rank.
func (s *rankedBounded) agreeOnStep(ctx context.Context) error {
	mean := []int64{int64(math.Float32bits(meanWeight(s.g)))}
	err := s.world.Max(ctx, mean)
	s.firstStep = stepOf(s.g.Info, math.Float32frombits(uint32(mean[0])))
	return err
}

func (s *rankedBounded) search(ctx context.Context, root engine.Label) error {
	s.profile.Reset()
	s.clock = time.Now()
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(s.distances), s.team.Size(), worker)
		fill(s.distances[lo:hi], engine.UnreachedBits)
	})
	s.reset()
	if err := s.expandNear(ctx, root); err != nil {
		return err
	}
	pulls, err := s.pushUntilPull(ctx)
	if err == nil && pulls {
		err = s.pullAndTail(ctx)
	}
	if err != nil {
		return err
	}
	own := s.distances[s.first:][:len(s.results)]
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(own), s.team.Size(), worker)
		copy(bitsOf(s.results)[lo:hi], own[lo:hi])
	})
	return nil
}

// record adds a step with the counts of all ranks to the profile.
func (s *rankedBounded) record(all engine.Level) {
	now := time.Now()
	all.Seconds = now.Sub(s.clock).Seconds()
	s.clock = now
	s.profile.Add(all)
}

// recordOwn is record for a step with the counts of this rank.
func (s *rankedBounded) recordOwn(ctx context.Context, l engine.Level) error {
	sums := []int64{l.Frontier, l.Found, l.Examined}
	err := s.world.Sum(ctx, sums)
	l.Frontier, l.Found, l.Examined = sums[0], sums[1], sums[2]
	s.record(l)
	return err
}

// pushUntilPull pushes until the pull is worth it. It reports false if nothing is left for
// the pull.
func (s *rankedBounded) pushUntilPull(ctx context.Context) (bool, error) {
	for pullAt := int64(pushShare * float64(s.g.Info.Connected)); ; {
		least := []int64{int64(s.leastPaused())}
		if err := s.world.Min(ctx, least); err != nil || least[0] == engine.UnreachedBits {
			return false, err
		}
		s.resumeFrom(uint32(least[0]))
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

// push is bounded.push with all ranks. It records the step.
func (s *rankedBounded) push(ctx context.Context) error {
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
	s.record(engine.Level{Step: "push", Frontier: sums[0], Found: sums[1], Examined: sums[2]})
	s.adaptStep(sums[3], sums[1])
	s.pushed += sums[2]
	return nil
}

// exchangeImprovements sends the leaving improvements to the owners of their vertices, and
// lowers the distances of the own vertices to those received. It reports whether a rank has
// sent any or is active. Improvements at the bound or above it are logged as beyond.
func (s *rankedBounded) exchangeImprovements(ctx context.Context, active bool, bound uint32) (bool, error) {
	s.sortLeaving()
	received, active, err := s.incoming.ExchangeActive(ctx, active, s.outgoing...)
	if err != nil {
		return false, err
	}
	return active, s.lowerAll(ctx, received, bound)
}

// sortLeaving sorts the leaving improvements that are still the best by the owners of their
// vertices.
func (s *rankedBounded) sortLeaving() {
	leaving := 0
	for i := range s.workers {
		leaving += len(s.workers[i].leaving)
	}
	sort := func(worker int) {
		w, parts := &s.workers[worker], s.outgoing[worker]
		for r := range parts {
			parts[r] = parts[r][:0]
		}
		for _, x := range w.leaving {
			if s.distances[x.vertex] == x.distance {
				r := s.ranges.Owner(x.vertex)
				parts[r] = append(parts[r], x)
			}
		}
		w.leaving = w.leaving[:0]
	}
	if leaving > s.limits.serialPush {
		s.team.Run(sort)
		return
	}
	for worker := range s.workers {
		sort(worker)
	}
}

// lowerAll lowers the distances of own vertices and logs the improvements.
func (s *rankedBounded) lowerAll(ctx context.Context, received []improvement[uint32], bound uint32) error {
	lowerPart := func(worker, lo, hi int) {
		w := &s.workers[worker]
		for _, x := range received[lo:hi] {
			if lower(s.distances, x) {
				w.record(x, bound)
			}
		}
	}
	if len(received) > s.limits.serialPush {
		return s.team.For(ctx, len(received), 1024, lowerPart)
	}
	lowerPart(0, 0, len(received))
	return nil
}
