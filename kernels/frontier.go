//go:build cuda

package kernels

import (
	"context"
	"errors"
	"time"

	"graph500/engine"
)

const frontierThreads = 256

// frontierLevel is Level of frontier.cu.
type frontierLevel struct {
	Found, Examined uint64
}

// Frontier searches top-down from a queue of the vertices reached last: one
// thread a vertex of the queue, claims by compare-and-swap on the parents, one
// counter for the next queue, one launch a level, steered by the host (PMPP
// 15.5). It is plain and works alike on every graph: what the faster searches
// are compared with.
type Frontier struct {
	graph   *Graph
	parents *Array[engine.Vertex]
	start   *Kernel
	expand  *Kernel

	queues [2]*Array[engine.Vertex] // n entries each, used in turn
	counts *Array[frontierLevel]    // two entries, used in turn
	events [2]*Event                // begin and end of a search
	levels []engine.Level           // of the last search
}

// NewFrontier returns a search of g that fills parents, N entries. Both stay
// the caller's.
func NewFrontier(d *Device, g *Graph, parents *Array[engine.Vertex]) (*Frontier, error) {
	f := &Frontier{graph: g, parents: parents}
	if err := f.allocate(d); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Frontier) allocate(d *Device) (err error) {
	if f.start, err = d.Kernel("frontier", "frontier_start"); err != nil {
		return err
	}
	if f.expand, err = d.Kernel("frontier", "frontier_expand"); err != nil {
		return err
	}
	for i := range f.queues {
		if f.queues[i], err = Alloc[engine.Vertex](d, "search queue", f.graph.Rows.Len()); err != nil {
			return err
		}
		if f.events[i], err = d.NewEvent(); err != nil {
			return err
		}
	}
	f.counts, err = Alloc[frontierLevel](d, "counts of a level", len(f.queues))
	return err
}

// FrontierMemory lists the memory of the search of a graph with n = rows.
func FrontierMemory(rows uint64) []engine.Allocation {
	return []engine.Allocation{{Name: "search queues", Bytes: 2 * 4 * rows, Phase: engine.Searching}}
}

// Search fills the parents of every vertex reachable from root, which has a
// row. All parents are engine.None before.
func (f *Frontier) Search(ctx context.Context, root engine.Vertex) error {
	f.levels = f.levels[:0]
	if err := f.events[0].Record(); err != nil {
		return err
	}
	began := time.Now()
	if err := f.start.Launch(1, 1, 0, f.parents.Address(), f.queues[0].Address(), uint64(root), f.counts.Address()); err != nil {
		return err
	}
	for count := uint64(1); count > 0; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		this, other := len(f.levels)%2, (len(f.levels)+1)%2
		if err := f.expand.Launch(int((count+frontierThreads-1)/frontierThreads), frontierThreads, 0,
			f.graph.Index.Address(), f.graph.Rows.Address(), f.graph.Neighbors.Address(), f.parents.Address(),
			f.queues[this].Address(), count, f.queues[other].Address(), f.count(this), f.count(other)); err != nil {
			return err
		}
		var did [1]frontierLevel
		if err := f.counts.Read(this, did[:]); err != nil {
			return err
		}
		now := time.Now()
		f.levels = append(f.levels, engine.Level{
			Direction: engine.TopDown,
			Frontier:  int64(count),
			Found:     int64(did[0].Found),
			Examined:  int64(did[0].Examined),
			Bytes:     frontierBytes(count, did[0]),
			Time:      now.Sub(began),
		})
		began, count = now, did[0].Found
	}
	return f.events[1].Record()
}

// count returns the address of one of the counts.
func (f *Frontier) count(i int) uint64 { return f.counts.Address() + 16*uint64(i) }

// frontierBytes is what the threads of a level ask for: a queue entry, an index
// word and a row for each vertex, label and parent for each neighbour, parent
// and queue entry for each vertex found.
func frontierBytes(count uint64, did frontierLevel) int64 {
	return int64((4+8+16)*count + (4+4)*did.Examined + (4+4)*did.Found)
}

// Levels returns the levels of the last search, valid until the next.
func (f *Frontier) Levels() ([]engine.Level, error) { return f.levels, nil }

// DeviceTime returns what the device's own clock says of the last search.
func (f *Frontier) DeviceTime() (time.Duration, error) { return f.events[1].Since(f.events[0]) }

// Close frees the queues.
func (f *Frontier) Close() error {
	errs := []error{f.counts.Free()}
	for i := range f.queues {
		errs = append(errs, f.queues[i].Free(), f.events[i].Close())
	}
	return errors.Join(errs...)
}
