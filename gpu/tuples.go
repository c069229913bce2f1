//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kronecker"
	"graph500/memory"
)

// copyPiece is the number of bytes that a copy from the device to the host
// transfers between two checks of the context.
const copyPiece = 1 << 26

// Generate generates the tuples of a Kronecker graph, with weights if a job needs them, each
// GPU its share. It stores all of them if they fit in memory and the GPUs can read those of
// each other. It calls progress, unless nil, with the numbers of generated and of all tuples;
// ranks report the progress of their own GPUs, as a part of all.
func (e *Engine) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	var mutex sync.Mutex
	var made uint64 // by the GPUs of this process
	report := func(more uint64) {
		mutex.Lock()
		defer mutex.Unlock()
		if made += more; progress != nil {
			progress(int64(min(made*uint64(e.world.Size()), spec.Tuples())), int64(spec.Tuples()))
		}
	}
	return e.inPhase("generation", func() error {
		if err := e.begin(spec.Vertices()); err != nil {
			return err
		}
		if err := e.each(func(i int, m *member) (err error) {
			first, count := generate.ShareOf(spec.Tuples(), e.team.Count(), e.team.First()+i)
			config := tuplesOf(e.jobs[0].Job, first, count, e.layout.capacity)
			config.Regenerated = e.exchange != nil
			if m.tuples, err = generate.New(ctx, m.device, config, generate.Source{Spec: spec}); err != nil {
				return err
			}
			if config.Regenerated {
				if m.all, err = m.tuples.All(); err != nil {
					return err
				}
			}
			done := uint64(0)
			return m.tuples.Make(ctx, func(n uint64) {
				report(n - done)
				done = n
			})
		}); err != nil {
			return err
		}
		return e.findShares()
	})
}

// findShares finds the shares of all GPUs, if they can read them.
func (e *Engine) findShares() error {
	if e.exchange != nil {
		return nil
	}
	lists, err := generate.Shares(e.team, e.shares())
	if err != nil {
		return err
	}
	e.seen = lists[0]
	return nil
}

// shares returns the tuples of the GPUs of this process.
func (e *Engine) shares() (shares []*generate.Tuples) {
	for _, m := range e.members {
		shares = append(shares, m.tuples)
	}
	return shares
}

// begin checks that an engine without tuples can hold a graph of that many vertices.
func (e *Engine) begin(vertices uint64) error {
	if most := e.info.MaxVertices; vertices > most {
		return fmt.Errorf("gpu: %d vertices need labels of more than %d bits", vertices, bits.Len64(most)-1)
	}
	if e.members[0].tuples != nil {
		return errors.New("gpu: tuples are loaded already")
	}
	e.vertices, e.ranges = vertices, construct.Ranges(vertices, e.team.Count())
	if e.exchange == nil {
		return nil
	}
	// The buffers come after the measurement of the bandwidth, which takes all memory.
	return e.each(func(_ int, m *member) (err error) {
		m.held, err = m.device.Take(bufferGroup(&m.buffer, vertices))
		return err
	})
}

// Load takes over this rank's part of the tuples, which memory.Alloc allocated, with their
// weights if a job needs them: it copies them to the GPUs and frees them, or, if only a part of
// them has room there, keeps them in the host's memory. GPUs that cannot read the tuples of
// others get all, gathered from the ranks, and their shares once more, for validation.
func (e *Engine) Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error {
	kept := false // the list of tuples has the memory
	own := tuples
	err := e.inPhase("loading", func() (err error) {
		if err := e.begin(vertices); err != nil {
			return err
		}
		if own, err = e.ownTuples(tuples); err != nil {
			return err
		}
		if e.exchange != nil {
			return e.loadAll(ctx, own)
		}
		kept = e.team.Count() == 1 && uint64(own.Len()) > e.layout.capacity
		first, _ := e.shareOf(0)
		if err := e.loadShares(ctx, own, first); err != nil {
			return err
		}
		return e.findShares()
	})
	if !kept {
		return errors.Join(err, graph.FreeTuples(tuples))
	}
	if own.Weights == nil {
		return errors.Join(err, memory.Free(tuples.Weights))
	}
	return err
}

// ownTuples returns what the jobs need of this rank's part of the tuples, which must be complete.
func (e *Engine) ownTuples(tuples engine.Tuples) (engine.Tuples, error) {
	if _, n := generate.ShareOf(e.jobs[0].Tuples, e.world.Size(), e.world.Rank()); uint64(tuples.Len()) != n {
		return tuples, fmt.Errorf("%d tuples for a part of %d", tuples.Len(), n)
	}
	switch {
	case !e.has(engine.SSSP):
		tuples.Weights = nil
	case len(tuples.Weights) != tuples.Len():
		return tuples, fmt.Errorf("gpu: %d weights for %d tuples", len(tuples.Weights), tuples.Len())
	}
	return tuples, nil
}

// shareOf returns the tuples of the job that GPU i of this process has.
func (e *Engine) shareOf(i int) (first, count uint64) {
	return generate.ShareOf(e.jobs[0].Tuples, e.team.Count(), e.team.First()+i)
}

// loadShares copies the share of each GPU from tuples, the first of which has that number.
func (e *Engine) loadShares(ctx context.Context, tuples engine.Tuples, begin uint64) error {
	return e.each(func(i int, m *member) (err error) {
		first, count := e.shareOf(i)
		share := tuples.Slice(int(first-begin), int(first-begin+count))
		capacity := uint64(0)
		if e.team.Count() == 1 {
			capacity = e.layout.capacity
		}
		m.tuples, err = generate.New(ctx, m.device, tuplesOf(e.jobs[0].Job, first, count, capacity), generate.Source{Loaded: share})
		return err
	})
}

// loadAll copies the tuples of all ranks to each GPU, and its share of them.
func (e *Engine) loadAll(ctx context.Context, own engine.Tuples) error {
	all, err := e.gatherTuples(ctx, own)
	if err != nil {
		return err
	}
	err = e.each(func(_ int, m *member) (err error) {
		m.all, err = generate.New(ctx, m.device, tuplesOf(e.jobs[0].Job, 0, e.jobs[0].Tuples, 0), generate.Source{Loaded: all})
		return err
	})
	if err == nil {
		err = e.loadShares(ctx, all, 0)
	}
	if e.world.Size() > 1 {
		err = errors.Join(err, graph.FreeTuples(all))
	}
	return err
}

// gatherTuples returns the tuples of all ranks, of which own is this rank's part.
func (e *Engine) gatherTuples(ctx context.Context, own engine.Tuples) (all engine.Tuples, err error) {
	count := e.jobs[0].Tuples
	if e.jobs[0].LoadedWide {
		all.Wide, err = gatherParts(ctx, e.world, own.Wide, count)
	} else {
		all.Edges, err = gatherParts(ctx, e.world, own.Edges, count)
	}
	if err != nil || !e.has(engine.SSSP) {
		return all, err
	}
	if all.Weights, err = gatherParts(ctx, e.world, own.Weights, count); err != nil && e.world.Size() > 1 {
		err = errors.Join(err, graph.FreeTuples(all))
	}
	return all, err
}

// gatherParts returns a list of that length, of which each rank has a part (generate.ShareOf).
// With one rank it is that rank's part, else new memory.
func gatherParts[T any](ctx context.Context, w *cluster.World, own []T, length uint64) (_ []T, err error) {
	ranks := w.Size()
	if ranks == 1 {
		return own, nil
	}
	longest := int(length)/ranks + 1 // parts differ by one at most
	padded, err := memory.Alloc[T](longest)
	if err != nil {
		return nil, err
	}
	copy(padded, own)
	all, err := memory.Alloc[T](longest * ranks)
	if err == nil {
		err = cluster.Allgather(ctx, w, padded, all)
	}
	if err = errors.Join(err, memory.Free(padded)); err != nil {
		return nil, errors.Join(err, memory.Free(all))
	}
	for r := range ranks {
		first, n := generate.ShareOf(length, ranks, r)
		copy(all[first:], all[r*longest:][:n])
	}
	return all[:length], nil
}

// Tuples copies the tuples of the GPUs of this process to the host piece by piece and passes
// each piece to yield, with weights if a job needs them. The piece is valid only during the
// call.
func (e *Engine) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.inPhase("copying of tuples", func() error {
		for _, m := range e.members {
			if err := e.copyTuples(ctx, m.tuples, yield); err != nil {
				return err
			}
		}
		return nil
	})
}

// AllTuples is Tuples for the shares of all GPUs. The ranks need not call it together.
func (e *Engine) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.inPhase("copying of tuples", func() error {
		if e.exchange != nil {
			return e.copyTuples(ctx, e.members[0].all, yield)
		}
		all, err := generate.Join(e.seen, e.team.First())
		if err != nil {
			return err
		}
		if !all.Whole() { // the first own GPU makes all of them again
			return e.copyTuples(ctx, all, yield)
		}
		for _, share := range e.seen {
			if err := e.copyTuples(ctx, share, yield); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyTuples copies tuples to the host as Engine.Tuples does.
func (e *Engine) copyTuples(ctx context.Context, tuples *generate.Tuples, yield func(engine.Tuples) error) error {
	var host engine.Tuples
	return tuples.Each(ctx, func(part generate.Part) error {
		if host.Edges == nil {
			host.Edges = make([]engine.Edge, min(part.Count, e.copyPiece/8))
			if tuples.Weighted() {
				host.Weights = make([]float32, len(host.Edges))
			}
		}
		for at := 0; at < part.Count; at += len(host.Edges) {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			n := min(len(host.Edges), part.Count-at)
			piece := engine.Tuples{Edges: host.Edges[:n]}
			err := part.Read(at, piece.Edges)
			if host.Weights != nil {
				piece.Weights = host.Weights[:n]
				err = errors.Join(err, part.Weights.Read(at, piece.Weights))
			}
			if err != nil {
				return err
			}
			if err := yield(piece); err != nil {
				return err
			}
		}
		return nil
	})
}
