//go:build cuda

package techniques

import (
	"context"
	"errors"

	"graph500/engine"
	"graph500/kernels"
)

// The values of Beamer, Asanović and Patterson, SC 2012.
const (
	beamerAlpha = 14 // pull when the frontier has more than 1/alpha of the unexplored arcs
	beamerBeta  = 24 // push again when it has 1/beta of the vertices or fewer
)

func direction() Technique {
	return Technique{
		Name:      "direction",
		Doc:       "pushes or pulls, by the arcs of the frontier against those not explored yet",
		Source:    "DepGraph 5, Beamer et al. 2012",
		Structure: "CSR, CSC",
		Memory: func(vertices, rows, arcs uint64) []engine.Allocation {
			return append(queueMemory(vertices, rows, arcs),
				searching("bitmask of visited vertices", maskBytes(vertices)),
				searching("bitmaps of frontiers", 2*4*bitmapWords(vertices)))
		},
		New: newDirection,
	}
}

// directionTally is Tally of direction.cu.
type directionTally struct {
	Arcs             uint64
	Found, Collected uint32
}

// directionState is what the rule decides by. Vertices are those with a row.
type directionState struct {
	vertices           uint64
	frontier, previous uint64 // vertices of this and the level before
	arcs, unexplored   uint64 // of the frontier, and of the vertices beyond it
	pulled             bool   // the level before
}

// pull says whether the next level is pulled.
func (s directionState) pull() bool {
	if s.pulled {
		return s.frontier >= s.previous || s.frontier > s.vertices/beamerBeta
	}
	return s.arcs > s.unexplored/beamerAlpha && s.frontier > s.previous
}

// directionSearch is a search whose frontier is a queue or a bitmap.
type directionSearch struct {
	steered
	graph   *kernels.Graph
	parents *kernels.Array[engine.Local]

	start, push, measure, mark, pull, collect *kernels.Kernel

	pushBlocks, measureBlocks uint64 // that run at once

	visited *kernels.Array[byte]
	queue   *kernels.Array[engine.Local] // the frontier, or
	front   *kernels.Array[uint32]       // its bitmap
	next    *kernels.Array[engine.Local]
	after   *kernels.Array[uint32]
	tallies *counters[directionTally]
}

func newDirection(_ context.Context, d *kernels.Device, g *kernels.Graph, parents *kernels.Array[engine.Local], counted bool) (Search, error) {
	s := &directionSearch{graph: g, parents: parents}
	return made(s, s.allocate(d, counted))
}

func (s *directionSearch) allocate(d *kernels.Device, counted bool) (err error) {
	if err = s.open(d, "direction", counted); err != nil {
		return err
	}
	for name, k := range map[string]**kernels.Kernel{
		"start": &s.start, "push": &s.push, "measure": &s.measure, "mark": &s.mark, "pull": &s.pull, "collect": &s.collect,
	} {
		if *k, err = s.module.Kernel("direction_" + name); err != nil {
			return err
		}
	}
	if s.pushBlocks, err = resident(d, s.push); err != nil {
		return err
	}
	if s.measureBlocks, err = resident(d, s.measure); err != nil {
		return err
	}
	vertices := uint64(s.parents.Len())
	if s.visited, err = kernels.Alloc[byte](d, "bitmask of visited vertices", int(maskBytes(vertices))); err != nil {
		return err
	}
	for _, q := range []**kernels.Array[engine.Local]{&s.queue, &s.next} {
		if *q, err = kernels.Alloc[engine.Local](d, "queue", s.graph.Rows.Len()); err != nil {
			return err
		}
	}
	for _, b := range []**kernels.Array[uint32]{&s.front, &s.after} {
		if *b, err = kernels.Alloc[uint32](d, "bitmap of a frontier", int(bitmapWords(vertices))); err != nil {
			return err
		}
	}
	s.tallies, err = newCounters[directionTally](d)
	return err
}

// Search fills the parents of every vertex reachable from root.
func (s *directionSearch) Search(ctx context.Context, root engine.Local) error {
	now := directionState{vertices: uint64(s.graph.Rows.Len()), unexplored: uint64(s.graph.Info.Arcs)}
	begin := func() error {
		s.tallies.rewind()
		tally, err := s.tallies.take()
		if err != nil {
			return err
		}
		if err := s.visited.Fill(0); err != nil {
			return err
		}
		if err := s.launchBlocks(s.start, 1, 1, s.graph.Index.Address(), s.graph.Rows.Address(), s.parents.Address(),
			s.queue.Address(), uint64(root), tally); err != nil {
			return err
		}
		return s.advance(&now)
	}
	return s.search(ctx, begin, func() (more bool, err error) {
		pull := now.pull()
		tally, err := s.tallies.take()
		if err != nil {
			return false, err
		}
		if pull != now.pulled {
			if err := s.turn(now, tally); err != nil {
				return false, err
			}
			now.pulled = pull
		}
		level := engine.Level{Direction: engine.TopDown, Frontier: int64(now.frontier)}
		if pull {
			level.Direction = engine.BottomUp
			err = s.pullLevel(now, tally)
		} else {
			err = s.pushLevel(now, tally)
		}
		if err != nil {
			return false, err
		}
		if err := s.advance(&now); err != nil {
			return false, err
		}
		level.Found = int64(now.frontier)
		s.note(level)
		return now.frontier > 0, nil
	})
}

// advance enters what was found last as the frontier.
func (s *directionSearch) advance(now *directionState) error {
	t, err := s.tallies.read()
	if err != nil {
		return err
	}
	now.previous, now.frontier, now.arcs = now.frontier, uint64(t.Found), t.Arcs
	now.unexplored -= t.Arcs
	return nil
}

// turn makes a queue of the bitmap after a pulled level, or the bitmap of the
// queue.
func (s *directionSearch) turn(now directionState, tally uint64) error {
	if now.pulled {
		words := uint64(s.front.Len())
		return s.launch(s.collect, words, s.front.Address(), words, s.queue.Address(), tally)
	}
	if err := s.front.Fill(0); err != nil {
		return err
	}
	return s.launch(s.mark, now.frontier, s.queue.Address(), now.frontier, s.front.Address())
}

func (s *directionSearch) pushLevel(now directionState, tally uint64) error {
	index, rows := s.graph.Index.Address(), s.graph.Rows.Address()
	if err := s.launchBlocks(s.push, dealt(now.frontier, s.pushBlocks), blockThreads, index, rows, s.graph.Neighbors.Address(), s.parents.Address(),
		s.visited.Address(), s.queue.Address(), now.frontier, s.next.Address(), tally); err != nil {
		return err
	}
	s.queue, s.next = s.next, s.queue
	return s.launchBlocks(s.measure, s.measureBlocks, blockThreads, index, rows, s.queue.Address(), tally)
}

func (s *directionSearch) pullLevel(now directionState, tally uint64) error {
	if err := s.after.Fill(0); err != nil {
		return err
	}
	if err := s.launch(s.pull, now.vertices, s.graph.Rows.Address(), now.vertices, s.graph.Neighbors.Address(),
		s.parents.Address(), s.front.Address(), s.after.Address(), tally); err != nil {
		return err
	}
	s.front, s.after = s.after, s.front
	return nil
}

// Close frees what the search took.
func (s *directionSearch) Close() error {
	return errors.Join(s.visited.Free(), s.queue.Free(), s.next.Free(), s.front.Free(), s.after.Free(), s.tallies.free(), s.steered.Close())
}
