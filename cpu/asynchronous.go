package cpu

import (
	"context"
	"os"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/worklist"
)

// asynchronous is a label-correcting breadth-first search without levels. Vertices
// come from a chunked bag. A vertex whose depth becomes smaller is put into the bag
// again, unless it is still there, so the bag holds each vertex at most once.
type asynchronous struct {
	*input
	paths tentative
	bag   *worklist.Worklist[engine.Label]

	examined []byDepth // by worker: neighbours examined, by the depth of their vertex at that time
	profile  engine.Profile
}

// byDepth holds a number for each depth. The last one is for deeper and all larger
// depths, which levels does not list.
type byDepth [deeper + 1]int64

const deeper = engine.MaxLevels + 1

func newAsynchronous() method { return new(asynchronous) }

func (s *asynchronous) arrays(z size) memory.Group {
	return memory.Group{Alive: engine.Searching, Arrays: []memory.Declared{
		memory.Of((*[]uint64)(&s.paths), "depths and parents", z.owned),
		memory.Grown("chunks of vertices", worklist.Bytes[engine.Label](z.rows)),
	}}
}

func (s *asynchronous) start(_ context.Context, in *input) (err error) {
	s.input, s.examined = in, make([]byDepth, in.team.Size())
	topology := worklist.Locate(os.DirFS("/"), in.team.Size())
	s.bag, err = worklist.New[engine.Label](in.team, topology, int(in.g.Info.Connected), 1)
	return err
}

func (s *asynchronous) close() error {
	if s.bag == nil {
		return nil
	}
	return s.bag.Close()
}

func (s *asynchronous) search(ctx context.Context, root engine.Label) error {
	clear(s.examined)
	if err := s.paths.clear(ctx, s.team); err != nil {
		return err
	}
	s.paths.lower(root, 0, root)
	s.bag.Worker(0).Push(0, root)
	if err := s.bag.Run(ctx, s.expand); err != nil {
		return err
	}
	return s.team.For(ctx, len(s.parents), 1<<16, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			s.parents[v] = parentOf(s.paths[v])
		}
	})
}

// expand visits the neighbours of a vertex from the bag.
func (s *asynchronous) expand(w *worklist.Worker[engine.Label], v engine.Label) {
	depth, _ := s.paths.unlist(v)
	row := s.g.NeighborsOf(v)
	for _, neighbor := range row {
		before, lowered := s.paths.lower(neighbor, depth+1, v)
		if !lowered {
			continue
		}
		w.Useful++
		if !isListed(before) {
			w.Push(0, neighbor)
		}
	}
	s.examined[w.Number()][min(depth, deeper)] += int64(len(row))
}

// levels returns a level for each depth of the tree. Its examined neighbours are those
// of vertices that had this depth when they were taken from the bag, or, for the last
// level, a larger one. Levels overlap in time, so they have no seconds.
func (s *asynchronous) levels() engine.Profile {
	found, depth := s.countDepths()
	var examined byDepth
	for _, e := range s.examined {
		for d, n := range e {
			examined[min(uint32(d), depth)] += n
		}
	}
	s.profile.Reset()
	for d := range min(int(depth)+1, engine.MaxLevels) {
		s.profile.Add(engine.Level{Direction: engine.TopDown, Frontier: found[d], Found: found[d+1], Examined: examined[d]})
	}
	s.profile.LevelCount = int64(depth) + 1
	s.profile.Examined += examined[engine.MaxLevels] + examined[deeper]
	s.profile.Worklist = worklistCounts(s.bag.Counts())
	return s.profile
}

// countDepths returns the number of vertices at each depth, and the depth of the tree.
func (s *asynchronous) countDepths() (found byDepth, depth uint32) {
	counts := make([]byDepth, s.team.Size())
	largest := make([]uint32, s.team.Size())
	s.team.Run(func(worker int) {
		lo, hi := parallel.Split(len(s.paths), s.team.Size(), worker)
		for v := lo; v < hi; v++ {
			d := lengthOf(s.paths[v])
			if d == farthest {
				continue
			}
			largest[worker] = max(largest[worker], d)
			counts[worker][min(d, deeper)]++
		}
	})
	for worker := range counts {
		depth = max(depth, largest[worker])
		for d, n := range counts[worker] {
			found[d] += n
		}
	}
	return found, depth
}
