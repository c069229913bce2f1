package cpu

import (
	"context"
	"errors"
	"math"
	"os"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/memory"
	"graph500/worklist"
)

// obim is a label-correcting SSSP search without rounds. A vertex whose distance
// becomes smaller is put into the bag of its bucket, distance / delta; workers prefer
// the first bucket (OBIM, ordered by integer metric). Correct distances do not depend
// on the order, which only saves work, so a bucket may be rounded in any way.
type obim struct {
	*input
	paths   tentative
	bags    *worklist.Worklist[engine.Local]
	work    []obimWork // by worker
	profile engine.Profile
}

// obimWork is the work of one worker.
type obimWork struct {
	expanded int64 // vertices
	examined int64 // arcs
	moves    int64 // that the worker may still make, see relax
	_        [64]byte
}

const (
	// obimBags is the largest number of buckets with a bag of their own. A search of a
	// Kronecker graph has up to 2 / delta buckets.
	obimBags = 256
	// lastBucket is that of all distances above.
	lastBucket = 1 << 30
)

func newOBIM(in *input) (method, error) {
	s := &obim{input: in, work: make([]obimWork, in.team.Size())}
	var errs [2]error
	s.paths, errs[0] = memory.Alloc[uint64](len(in.parents))
	topology := worklist.Locate(os.DirFS("/"), in.team.Size())
	s.bags, errs[1] = worklist.New[engine.Local](in.team, topology, 2*int(in.weighted.Info.Connected), obimBags)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func obimMemory(vertices, rows uint64) []engine.Allocation {
	return []engine.Allocation{
		{Name: "tentative distances and parents", Bytes: 8 * vertices, Phase: engine.Searching},
		{Name: "chunks of vertices", Bytes: worklist.Bytes[engine.Local](2 * rows), Phase: engine.Searching},
	}
}

func (s *obim) close() error {
	err := memory.Free(s.paths)
	if s.bags != nil {
		err = errors.Join(err, s.bags.Close())
	}
	return err
}

// levels returns one round, because the search has no others.
func (s *obim) levels() engine.Profile { return s.profile }

func (s *obim) search(ctx context.Context, root engine.Local) error {
	start := time.Now()
	s.profile.Reset()
	for i := range s.work {
		s.work[i] = obimWork{moves: s.weighted.Info.Connected / int64(len(s.work))}
	}
	if err := s.paths.clear(ctx, s.team); err != nil {
		return err
	}
	s.paths.lower(root, 0, root)
	s.bags.Worker(0).Push(0, root)
	if err := s.bags.Run(ctx, s.expand); err != nil {
		return err
	}
	if err := s.team.For(ctx, len(s.parents), 1<<16, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			if length := lengthOf(s.paths[v]); length != farthest {
				s.parents[v], s.distances[v] = parentOf(s.paths[v]), math.Float32frombits(length)
			}
		}
	}); err != nil {
		return err
	}
	round := engine.Level{Step: "asynchronous", Found: s.bags.Counts().Useful, Seconds: time.Since(start).Seconds()}
	for i := range s.work {
		round.Frontier += s.work[i].expanded
		round.Examined += s.work[i].examined
	}
	s.profile.Add(round)
	s.profile.Worklist = worklistCounts(s.bags.Counts())
	return nil
}

// expand relaxes the arcs of a vertex from the worklist.
func (s *obim) expand(w *worklist.Worker[engine.Local], v engine.Local) {
	length, wasListed := s.paths.unlist(v)
	if !wasListed {
		return // it has moved to an earlier bucket, and came from there
	}
	distance := math.Float32frombits(length)
	row := s.weighted.ArcsOf(v)
	distances := bitsOf(s.distances) // the best so far, or those a moment ago: half the memory of paths, and most arcs end here
	for _, arc := range row {
		if t := math.Float32bits(distance + arc.Weight); t < atomic.LoadUint32(&distances[arc.To]) {
			s.relax(w, v, arc.To, t)
		}
	}
	work := &s.work[w.Number()]
	work.expanded++
	work.examined += int64(len(row))
}

// relax lowers the distance of a vertex and puts it into its bucket. A vertex that is
// in a later bucket is put into the earlier one, too: it moves, and its second
// occurrence has no effect. The number of moves is limited, so that the worklist holds
// at most two items per vertex; without a move the vertex comes later than it could.
func (s *obim) relax(w *worklist.Worker[engine.Local], parent, v engine.Local, distance uint32) {
	before, lowered := s.paths.lower(v, distance, parent)
	if !lowered {
		return
	}
	atomic.StoreUint32(&bitsOf(s.distances)[v], distance)
	w.Useful++
	bucket := s.bucketOf(math.Float32frombits(distance))
	if isListed(before) {
		moves := &s.work[w.Number()].moves
		if *moves == 0 || bucket == s.bucketOf(math.Float32frombits(lengthOf(before))) {
			return
		}
		*moves--
	}
	w.Push(bucket, v)
}

// bucketOf returns the bucket of a distance.
func (s *obim) bucketOf(distance float32) int {
	if bucket := distance / s.delta; bucket < lastBucket {
		return int(bucket)
	}
	return lastBucket
}
