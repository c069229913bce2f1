//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

// The values of Beamer, Asanović and Patterson, SC 2012.
const (
	beamerAlpha = 14 // pull when the frontier has more than 1/alpha of the unexplored arcs
	beamerBeta  = 24 // push again when it has 1/beta of the vertices or fewer
)

func direction() Technique {
	return Technique{
		Text:    directionText,
		modules: []string{"direction"},
		make:    func() method { return &directionSearch{} },
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
	*host
	start, push, measure, mark, pull, collect *device.Kernel

	pushBlocks, measureBlocks uint64 // that run at once

	visited device.Array[byte]
	queue   device.Array[engine.Local] // the frontier, or
	front   device.Array[uint32]       // its bitmap
	next    device.Array[engine.Local]
	after   device.Array[uint32]
	tallies counters[directionTally]
	now     directionState
}

func (s *directionSearch) arrays(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&s.visited, "bitmask of visited vertices", maskBytes(z.vertices)),
		device.Of(&s.queue, "queue", z.rows),
		device.Of(&s.next, "next queue", z.rows),
		device.Of(&s.front, "bitmap of the frontier", bitmapWords(z.vertices)),
		device.Of(&s.after, "bitmap of the next frontier", bitmapWords(z.vertices)),
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

func (s *directionSearch) begin(root engine.Local) error {
	s.now = directionState{vertices: s.rows, unexplored: uint64(s.graph.Info.Arcs)}
	s.tallies.rewind()
	tally, err := s.tallies.take()
	if err != nil {
		return err
	}
	if err := s.visited.Fill(0); err != nil {
		return err
	}
	if err := s.LaunchBlocks(s.start, 1, 1, 0, s.graph.Index.Address(), s.graph.Rows.Address(), s.parents.Address(),
		s.queue.Address(), uint64(root), tally); err != nil {
		return err
	}
	return s.advance()
}

func (s *directionSearch) step() (more bool, err error) {
	pull := s.now.pull()
	tally, err := s.tallies.take()
	if err != nil {
		return false, err
	}
	if pull != s.now.pulled {
		if err := s.turn(tally); err != nil {
			return false, err
		}
		s.now.pulled = pull
	}
	level := engine.Level{Direction: engine.TopDown, Frontier: int64(s.now.frontier)}
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
	level.Found = int64(s.now.frontier)
	s.AddLevel(level)
	return s.now.frontier > 0, nil
}

// advance enters what was found last as the frontier.
func (s *directionSearch) advance() error {
	t, err := s.tallies.read()
	if err != nil {
		return err
	}
	now := &s.now
	now.previous, now.frontier, now.arcs = now.frontier, uint64(t.Found), t.Arcs
	now.unexplored -= t.Arcs
	return nil
}

// turn makes a queue of the bitmap after a pulled level, or the bitmap of the
// queue.
func (s *directionSearch) turn(tally uint64) error {
	if s.now.pulled {
		words := uint64(s.front.Len())
		return s.Launch(s.collect, words, s.front.Address(), words, s.queue.Address(), tally)
	}
	if err := s.front.Fill(0); err != nil {
		return err
	}
	return s.Launch(s.mark, s.now.frontier, s.queue.Address(), s.now.frontier, s.front.Address())
}

func (s *directionSearch) pushLevel(tally uint64) error {
	index, rows := s.graph.Index.Address(), s.graph.Rows.Address()
	if err := s.LaunchBlocks(s.push, dealt(s.now.frontier, s.pushBlocks), device.BlockThreads, 0, index, rows, s.graph.Neighbors.Address(), s.parents.Address(),
		s.visited.Address(), s.queue.Address(), s.now.frontier, s.next.Address(), tally); err != nil {
		return err
	}
	s.queue, s.next = s.next, s.queue
	return s.LaunchBlocks(s.measure, s.measureBlocks, device.BlockThreads, 0, index, rows, s.queue.Address(), tally)
}

func (s *directionSearch) pullLevel(tally uint64) error {
	if err := s.after.Fill(0); err != nil {
		return err
	}
	if err := s.Launch(s.pull, s.rows, s.graph.Rows.Address(), s.rows, s.graph.Neighbors.Address(),
		s.parents.Address(), s.front.Address(), s.after.Address(), tally); err != nil {
		return err
	}
	s.front, s.after = s.after, s.front
	return nil
}
