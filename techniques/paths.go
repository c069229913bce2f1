//go:build cuda

package techniques

import (
	"errors"
	"fmt"
	"math"

	"graph500/device"
	"graph500/engine"
)

// improvement has the layout of Improvement in paths.cuh.
type improvement struct{ Vertex, Parent, Bits uint32 }

// pathTally has the layout of Tally in paths.cuh.
type pathTally struct {
	Next, Settled             queueLength
	Later, Least, Improved, _ uint32
}

// queueLength is the length of an arcQueue: the number of vertices in the low lengthBits
// bits, the number of their arcs above.
type queueLength uint64

const (
	lengthBits   = 30 // as in paths.cuh
	maxQueueArcs = 1<<(64-lengthBits) - 1
)

func (n queueLength) vertices() uint64 { return uint64(n) & (1<<lengthBits - 1) }
func (n queueLength) arcs() uint64     { return uint64(n) >> lengthBits }

// arcQueue is a queue of vertices, each with a part of its row (Queue in paths.cuh).
type arcQueue struct {
	vertices device.Array[uint32]
	firsts   device.Array[uint64] // number of the first arc of each vertex
}

func (q *arcQueue) declare(name string, rows uint64) []device.Declared {
	return []device.Declared{
		device.Of(&q.vertices, name, rows),
		device.Of(&q.firsts, "first arcs of the "+name, rows),
	}
}

// arguments returns the arguments of a kernel for the queue.
func (q *arcQueue) arguments() []uint64 {
	return []uint64{q.vertices.Address(), q.firsts.Address()}
}

// paths is a search of shortest paths in rounds. A round relaxes the arcs of a queue with
// one launch, which logs the improved distances, and a second launch resolves the log into
// parents and the next queue. The log is never full: it has an entry for each arc of a
// portion, and a round with more arcs is processed in several portions. No queue has a
// vertex twice, so a queue has at most one entry per row. The rows are numbered, and these
// numbers stand for the vertices until the last launch writes the results by label.
type paths struct {
	*host
	capacity uint64 // of the log; 0: by the size of the graph

	start, results *device.Kernel

	log     device.Array[improvement]
	logged  counters[uint32]    // lengths of the logs
	tallies counters[pathTally] // of the rounds
	queues  [2]arcQueue         // of the current and of the next round
	turn    int                 // index of the current queue
	length  queueLength         // of the current queue

	// By row. A parent is the number of a row, and arbitrary for an unreached vertex.
	rowDistances device.Array[uint32] // bits; none in paths.cuh for an unreached vertex
	rowParents   device.Array[uint32]
	marks        device.Array[byte]
}

// minLog is the least capacity of the log for a graph with as many arcs.
const minLog = 1 << 20

func (s *paths) arrays(z sizes) []device.Declared {
	capacity := s.capacity
	if capacity == 0 {
		capacity = min(z.arcs, max(4*z.rows, minLog))
	}
	list := []device.Declared{
		device.Of(&s.log, "log of improvements", capacity),
		device.Of(&s.rowDistances, "distances by row", z.rows),
		device.Of(&s.rowParents, "parents by row", z.rows),
		device.Of(&s.marks, "marks", z.rows),
		s.logged.declare(),
		s.tallies.declare(),
	}
	list = append(list, s.queues[0].declare("queue", z.rows)...)
	return append(list, s.queues[1].declare("next queue", z.rows)...)
}

func (s *paths) prepare(h *host) error {
	if n := h.graph.ByWeight.Arcs.Len(); uint64(n) > maxQueueArcs {
		return fmt.Errorf("techniques: a graph of %d arcs, at most %d can be searched", n, uint64(maxQueueArcs))
	}
	s.host = h
	if err := h.kernel(&s.start, "paths_start"); err != nil {
		return err
	}
	return h.kernel(&s.results, "paths_results")
}

// pathKernel is a kernel of rounds with the arguments that follow the common ones.
type pathKernel struct {
	*device.Kernel
	blocks uint64 // resident blocks
	extra  []uint64
}

// pathKernel looks up a kernel.
func (s *paths) pathKernel(to *pathKernel, name string) error {
	if err := s.kernel(&to.Kernel, name); err != nil {
		return err
	}
	blocks, err := to.Resident(device.BlockThreads)
	to.blocks = uint64(blocks)
	return err
}

// with returns the kernel with its extra arguments.
func (k pathKernel) with(extra ...uint64) pathKernel {
	k.extra = extra
	return k
}

// spread launches a kernel with a thread for each of n items, at most as many as can be
// resident.
func (s *paths) spread(k pathKernel, n uint64, args ...uint64) error {
	blocks := min(k.blocks, (n+device.BlockThreads-1)/device.BlockThreads)
	return s.LaunchBlocks(k.Kernel, blocks, device.BlockThreads, 0, append(args, k.extra...)...)
}

// begin logs the root, a label, which resolve puts into the first queue.
func (s *paths) begin(root engine.Label, resolve pathKernel) (pathTally, error) {
	s.logged.rewind()
	s.tallies.rewind()
	if err := errors.Join(s.marks.Fill(0), s.rowDistances.Fill(0xff)); err != nil {
		return pathTally{}, err
	}
	logged, err := s.logged.take()
	if err != nil {
		return pathTally{}, err
	}
	tally, err := s.tallies.take()
	if err != nil {
		return pathTally{}, err
	}
	if err := s.LaunchBlocks(s.start, 1, 1, 0, s.graph.Index.Address(), s.graph.ByWeight.Thirds.Address(),
		s.rowDistances.Address(), s.log.Address(), logged, uint64(root)); err != nil {
		return pathTally{}, err
	}
	if err := s.resolve(resolve, 1, logged, tally); err != nil {
		return pathTally{}, err
	}
	return s.advance()
}

// resolve resolves a log of at most arcs entries.
func (s *paths) resolve(k pathKernel, arcs, logged, tally uint64) error {
	args := []uint64{s.graph.ByWeight.Rows.Address(), s.rowDistances.Address(), s.rowParents.Address(), s.marks.Address(), s.log.Address(), logged}
	args = append(args, s.queues[1-s.turn].arguments()...)
	return s.spread(k, arcs, append(args, tally)...)
}

// advance makes the next queue the current one and returns the tally of the round.
func (s *paths) advance() (pathTally, error) {
	tally, err := s.tallies.read()
	s.turn, s.length = 1-s.turn, tally.Next
	return tally, err
}

// round relaxes the arcs of a queue of that length and records the round under the name of
// its step. The current queue must be that queue or empty.
func (s *paths) round(step string, queue *arcQueue, length queueLength, relax, resolve pathKernel) (pathTally, error) {
	tally, err := s.tallies.take()
	if err != nil {
		return pathTally{}, err
	}
	portion := uint64(s.log.Len())
	for begin := uint64(0); begin < length.arcs(); begin += portion {
		end := min(begin+portion, length.arcs())
		logged, err := s.logged.take()
		if err != nil {
			return pathTally{}, err
		}
		args := []uint64{s.graph.ByWeight.Rows.Address(), s.graph.ByWeight.Arcs.Address(), s.rowDistances.Address(), s.marks.Address()}
		args = append(args, queue.arguments()...)
		args = append(args, length.vertices(), begin, end, s.log.Address(), logged)
		if err := s.spread(relax, end-begin, args...); err != nil {
			return pathTally{}, err
		}
		if err := s.resolve(resolve, end-begin, logged, tally); err != nil {
			return pathTally{}, err
		}
	}
	result, err := s.advance()
	if err != nil {
		return pathTally{}, err
	}
	s.AddLevel(engine.Level{Step: step, Frontier: int64(length.vertices()), Found: int64(result.Improved), Examined: int64(length.arcs())})
	return result, nil
}

// finish writes the results by label, and waits for them, if no round follows. It returns
// its arguments, or the error that it meets.
func (s *paths) finish(more bool, err error) (bool, error) {
	if more || err != nil {
		return more, err
	}
	if err := s.Launch(s.results, s.rows, s.graph.ByWeight.Labels.Address(), s.rows, s.rowDistances.Address(), s.rowParents.Address(),
		s.distances.Address(), s.parents.Address()); err != nil {
		return false, err
	}
	return false, s.device.Synchronize()
}

// pile is the pile of vertices beyond a bound: each once, or a second time after the vertex
// has left the pile by an improvement, which the next collection drops. It has at most one
// entry per row, because a vertex does not return to the pile before that.
type pile struct {
	arrays [2]device.Array[uint32] // the pile, and the next one
	turn   int                     // index of the pile
	count  uint64
}

func (p *pile) declare(z sizes) []device.Declared {
	return []device.Declared{
		device.Of(&p.arrays[0], "pile of later vertices", z.rows),
		device.Of(&p.arrays[1], "next pile of later vertices", z.rows),
	}
}

// arguments returns the arguments of a kernel that appends to the pile.
func (p *pile) arguments() []uint64 { return []uint64{p.arrays[p.turn].Address(), p.count} }

// collect distributes the pile over the current queue, which is empty, and the next pile.
// bound has the bits of the distance below which vertices belong in the queue.
func (s *paths) collect(p *pile, collect pathKernel, bound uint32) (pathTally, error) {
	tally, err := s.tallies.take()
	if err != nil {
		return pathTally{}, err
	}
	args := []uint64{s.graph.ByWeight.Rows.Address(), s.rowDistances.Address(), s.marks.Address(), p.arrays[p.turn].Address(), p.count}
	args = append(args, s.queues[1-s.turn].arguments()...)
	if err := s.spread(collect, p.count, append(args, tally, uint64(bound), p.arrays[1-p.turn].Address())...); err != nil {
		return pathTally{}, err
	}
	result, err := s.advance()
	p.turn, p.count = 1-p.turn, uint64(result.Later)
	return result, err
}

// least returns the least distance in the pile after a collection that left the pile with
// an entry.
func (t pathTally) least() float32 { return math.Float32frombits(^t.Least) }

// boundAbove returns the bits of bound, or of the next number above distance if bound is
// not above it: with a tiny delta the sum of distance and delta is the distance. Neither is
// negative.
func boundAbove(distance, bound float32) uint32 {
	return max(math.Float32bits(bound), math.Float32bits(distance)+1)
}
