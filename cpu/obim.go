package cpu

import (
	"context"
	"math"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/vector"
	"graph500/worklist"
)

// obim is a label-correcting SSSP search without rounds. A vertex whose distance
// becomes smaller is put into the bag of its bucket, distance / delta; workers prefer
// the first bucket (OBIM, ordered by integer metric). Correct distances do not depend
// on the order, which only saves work, so a bucket may be rounded in any way.
//
// Vertices have their numbers by degree.
type obim struct {
	*input
	rows    degreeOrder
	leaves  engine.Label // first number of the vertices with one arc
	paths   tentative    // by number
	form    vector.Form  // of improving
	lanes   *laneTables
	bags    *worklist.Worklist[engine.Label]
	work    []obimWork // by worker
	profile engine.Profile
}

// obimWork is the work of one worker.
type obimWork struct {
	expanded int64 // vertices
	examined int64 // arcs
	moves    int64 // that the worker may still make, see relax
	list     improvingList
	_        [64]byte
}

const (
	// obimBags is the largest number of buckets with a bag of their own. A search of a
	// Kronecker graph has up to 2 / delta buckets.
	obimBags = 2048
	// lastBucket is that of all distances above.
	lastBucket = 1 << 30
)

func newOBIM() method { return new(obim) }

func (s *obim) arrays(z size) memory.Group {
	return memory.Group{Alive: engine.Searching, Arrays: append(s.rows.arrays(z),
		memory.Of((*[]uint64)(&s.paths), "tentative distances and parents", z.rows),
		memory.Grown("chunks of vertices", worklist.Bytes[engine.Label](2*z.rows)))}
}

func (s *obim) start(ctx context.Context, in *input) (err error) {
	s.input, s.work = in, make([]obimWork, in.team.Size())
	s.form, s.lanes = vector.Chosen(), newLaneTables()
	if err := s.rows.fill(ctx, in.team, in.weighted, s.paths); err != nil {
		return err
	}
	s.leaves = s.rows.leaves()
	topology := worklist.Locate(os.DirFS("/"), in.team.Size())
	s.bags, err = worklist.New[engine.Label](in.team, topology, 2*int(in.weighted.Info.Connected), obimBags)
	return err
}

func (s *obim) close() error {
	if s.bags == nil {
		return nil
	}
	return s.bags.Close()
}

// levels returns one round, because the search has no others.
func (s *obim) levels() engine.Profile { return s.profile }

func (s *obim) search(ctx context.Context, root engine.Label) error {
	start := time.Now()
	s.profile.Reset()
	s.parents[root], s.distances[root] = root, 0
	if !s.weighted.Has(root) {
		return nil
	}
	for i := range s.work {
		s.work[i] = obimWork{moves: s.weighted.Info.Connected / int64(len(s.work))}
	}
	if err := s.paths.clear(ctx, s.team); err != nil {
		return err
	}
	first := s.rows.numbers[root]
	s.paths.lower(first, 0, first)
	s.bags.Worker(0).Push(0, first)
	if err := s.bags.Run(ctx, s.expand); err != nil {
		return err
	}
	if err := s.team.For(ctx, len(s.paths), 1<<12, func(_, lo, hi int) {
		for i, v := range s.rows.labels[lo:hi] {
			if path := s.paths[lo+i]; lengthOf(path) != farthest {
				s.parents[v], s.distances[v] = s.rows.labels[parentOf(path)], math.Float32frombits(lengthOf(path))
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
func (s *obim) expand(w *worklist.Worker[engine.Label], v engine.Label) {
	s.loadAhead(w.Ahead())
	length, wasListed := s.paths.unlist(v)
	if !wasListed {
		return // it has moved to an earlier bucket, and came from there
	}
	work, row := &s.work[w.Number()], s.rows.row(v)
	work.expanded++
	work.examined += int64(len(row))
	if s.form != vector.Plain && len(row) >= vectorArcs {
		for ; len(row) > improvingMost; row = row[improvingMost:] {
			s.expandVector(w, v, row[:improvingMost], length)
		}
		s.expandVector(w, v, row, length)
		return
	}
	distance := math.Float32frombits(length)
	for _, arc := range row {
		if t := math.Float32bits(distance + arc.Weight); t < lengthOf(atomic.LoadUint64(&s.paths[arc.To])) {
			s.relax(w, v, arc.To, t)
		}
	}
}

// expandVector is the loop of expand for up to improvingMost arcs.
func (s *obim) expandVector(w *worklist.Worker[engine.Label], v engine.Label, row []graph.Arc, length uint32) {
	list := &s.work[w.Number()].list
	for _, i := range list[:s.improving(row, length, list)] {
		s.relax(w, v, row[i].To, add(length, row[i].Weight))
	}
}

const (
	// vectorArcs is the least number of arcs for which the vector form is called.
	vectorArcs = 8

	// nextPath and nextRow are how many vertices ahead of its use a path is loaded, and the
	// beginning of a row, of which the offset is then there.
	nextPath, nextRow = 6, 2
)

// loadAhead begins to load what the expansions of the next vertices need first.
func (s *obim) loadAhead(next []engine.Label) {
	if len(next) > nextPath {
		v := next[nextPath]
		prefetch(unsafe.Pointer(&s.paths[v]))
		prefetch(unsafe.Pointer(&s.rows.offsets[v]))
	}
	if len(next) > nextRow {
		begin := unsafe.Pointer(&s.rows.arcs[s.rows.offsets[next[nextRow]]])
		prefetch(begin)
		prefetch(unsafe.Add(begin, 64)) // harmless behind the end
	}
}

// improvingMost is the largest number of arcs of a call of improving.
const improvingMost = 256

// improvingList has room for the results of improving. The vector form stores 16 at a time.
type improvingList [improvingMost + 15]uint32

// improvingGo lists the indices of the arcs of a row, of a vertex of that length, that lead to
// a smaller length than there is, from arc first on. The list has n indices before; it returns
// their number then.
func improvingGo(row []graph.Arc, first int, paths tentative, length uint32, list *improvingList, n int) int {
	for i := first; i < len(row); i++ {
		if add(length, row[i].Weight) < lengthOf(atomic.LoadUint64(&paths[row[i].To])) {
			list[n] = uint32(i)
			n++
		}
	}
	return n
}

// relax lowers the distance of a vertex and puts it into its bucket. A vertex that is
// in a later bucket is put into the earlier one, too: it moves, and its second
// occurrence has no effect. The number of moves is limited, so that the worklist holds
// at most two items per vertex; without a move the vertex comes later than it could.
func (s *obim) relax(w *worklist.Worker[engine.Label], parent, v engine.Label, distance uint32) {
	before, lowered := s.paths.lower(v, distance, parent)
	if !lowered {
		return
	}
	w.Useful++
	if v >= s.leaves {
		return // its only arc leads back
	}
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
