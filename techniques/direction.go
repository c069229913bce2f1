//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

func init() {
	implementations["direction"] = implementation{
		modules:   []string{"direction"},
		newSearch: func() search { return &directionSearch{} },
	}
}

// directionTally has the layout of Tally in direction.cu.
type directionTally struct {
	Arcs             uint64
	Found, Collected uint32
}

// directionState is the input of the switching rule. Only vertices with a row count.
type directionState struct {
	vertices           uint64
	frontier, previous uint64 // vertices of the current and of the previous frontier
	arcs, unexplored   uint64 // arcs of the frontier, and of the unvisited vertices
	pulled             bool   // the previous level was pulled
}

// pull reports whether the next level is pulled.
func (s directionState) pull() bool {
	if s.pulled {
		return s.frontier >= s.previous || s.frontier > s.vertices/engine.BeamerBeta
	}
	return s.arcs > s.unexplored/engine.BeamerAlpha && s.frontier > s.previous
}

// directionSearch is a search whose frontier is a queue or a bitmap.
type directionSearch struct {
	*host
	start, push, measure, mark, pull, collect *device.Kernel

	pushBlocks, measureBlocks uint64 // resident blocks of the kernels

	visited    device.Array[byte]
	queue      device.Array[engine.Label] // frontier of a pushed level
	bitmap     device.Array[uint32]       // frontier of a pulled level
	nextQueue  device.Array[engine.Label]
	nextBitmap device.Array[uint32]
	tallies    counters[directionTally]
	state      directionState
}

func (s *directionSearch) arrays(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&s.visited, "bitmask of visited vertices", maskBytes(z.vertices)),
		device.Of(&s.queue, "queue", z.rows),
		device.Of(&s.nextQueue, "next queue", z.rows),
		device.Of(&s.bitmap, "bitmap of the frontier", bitmapWords(z.vertices)),
		device.Of(&s.nextBitmap, "bitmap of the next frontier", bitmapWords(z.vertices)),
		s.tallies.declare(),
	}
}

func (s *directionSearch) prepare(h *host) error {
	s.host = h
	for _, k := range []struct {
		to   **device.Kernel
		name string
	}{{&s.start, "start"}, {&s.push, "push"}, {&s.measure, "measure"}, {&s.mark, "mark"}, {&s.pull, "pull"}, {&s.collect, "collect"}} {
		if err := h.kernel(k.to, "direction_"+k.name); err != nil {
			return err
		}
	}
	pushBlocks, err := s.push.Resident(device.BlockThreads)
	if err != nil {
		return err
	}
	measureBlocks, err := s.measure.Resident(device.BlockThreads)
	s.pushBlocks, s.measureBlocks = uint64(pushBlocks), uint64(measureBlocks)
	return err
}

func (s *directionSearch) begin(root engine.Label) error {
	s.state = directionState{vertices: s.rows, unexplored: uint64(s.graph.Info.Arcs)}
	s.tallies.rewind()
	tally, err := s.tallies.take()
	if err != nil {
		return err
	}
	if err := s.visited.Fill(0); err != nil {
		return err
	}
	if err := s.LaunchBlocks(s.start, 1, 1, 0, s.graph.Index.Address(), s.graph.ByDegree.Rows.Address(), s.parents.Address(),
		s.queue.Address(), uint64(root), tally); err != nil {
		return err
	}
	return s.advance()
}

func (s *directionSearch) step() (more bool, err error) {
	pull := s.state.pull()
	tally, err := s.tallies.take()
	if err != nil {
		return false, err
	}
	if pull != s.state.pulled {
		if err := s.convert(tally); err != nil {
			return false, err
		}
		s.state.pulled = pull
	}
	level := engine.Level{Direction: engine.TopDown, Frontier: int64(s.state.frontier)}
	if pull {
		level.Direction = engine.BottomUp
		err = s.pullLevel(tally)
	} else {
		err = s.pushLevel(tally)
	}
	if err != nil {
		return false, err
	}
	if err := s.advance(); err != nil {
		return false, err
	}
	level.Found = int64(s.state.frontier)
	s.AddLevel(level)
	return s.state.frontier > 0, nil
}

// advance makes the vertices found in the last level the frontier of the state.
func (s *directionSearch) advance() error {
	t, err := s.tallies.read()
	if err != nil {
		return err
	}
	now := &s.state
	now.previous, now.frontier, now.arcs = now.frontier, uint64(t.Found), t.Arcs
	now.unexplored -= t.Arcs
	return nil
}

// convert converts the frontier between bitmap and queue for a change of direction.
func (s *directionSearch) convert(tally uint64) error {
	if s.state.pulled {
		words := uint64(s.bitmap.Len())
		return s.Launch(s.collect, words, s.bitmap.Address(), words, s.queue.Address(), tally)
	}
	if err := s.bitmap.Fill(0); err != nil {
		return err
	}
	return s.Launch(s.mark, s.state.frontier, s.queue.Address(), s.state.frontier, s.bitmap.Address())
}

func (s *directionSearch) pushLevel(tally uint64) error {
	index, rows := s.graph.Index.Address(), s.graph.ByDegree.Rows.Address()
	if err := s.LaunchBlocks(s.push, gridFor(s.state.frontier, s.pushBlocks), device.BlockThreads, 0, index, rows, s.graph.ByDegree.Neighbors.Address(), s.parents.Address(),
		s.visited.Address(), s.queue.Address(), s.state.frontier, s.nextQueue.Address(), tally); err != nil {
		return err
	}
	s.queue, s.nextQueue = s.nextQueue, s.queue
	return s.LaunchBlocks(s.measure, s.measureBlocks, device.BlockThreads, 0, index, rows, s.queue.Address(), tally)
}

func (s *directionSearch) pullLevel(tally uint64) error {
	if err := s.nextBitmap.Fill(0); err != nil {
		return err
	}
	if err := s.Launch(s.pull, s.rows, s.graph.ByDegree.Rows.Address(), s.rows, s.graph.ByDegree.Neighbors.Address(),
		s.parents.Address(), s.bitmap.Address(), s.nextBitmap.Address(), tally); err != nil {
		return err
	}
	s.bitmap, s.nextBitmap = s.nextBitmap, s.bitmap
	return nil
}
