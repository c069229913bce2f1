package kronecker

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/parallel"
	"graph500/vector"
)

// Generator generates the tuples of one graph in any order. It can be used
// concurrently. Tuple e has its own stream of random numbers, which begins 2^64
// draws after the stream of tuple e-1. A tuple therefore depends only on the seeds,
// the scale and e. The edge factor determines the number of tuples.
type Generator struct {
	scale     int
	form      vector.Form // of fastGo
	scr       scrambler
	start     state    // of the stream of tuple 0
	powers    [64]jump // powers[i] is the jump over 2^i tuples
	streams   streams
	quadrants quadrants
}

// fillGrain is the number of tuples that a worker takes at a time. They take a few
// milliseconds, so that a cancelled Fill ends soon.
const fillGrain = 256 * blockLen

// progressEvery is the minimum time between two calls of progress.
const progressEvery = 300 * time.Millisecond

// New returns a generator, in much less than a millisecond. It panics if the scale
// is not 1..32; callers must check user input.
func New(s Spec) *Generator {
	if s.Scale < 1 || s.Scale > 32 {
		panic(fmt.Sprintf("kronecker: scale %d is not 1..32", s.Scale))
	}
	g := &Generator{
		scale:     s.Scale,
		form:      vector.Chosen(),
		scr:       newScrambler(s),
		start:     seedState(s.Seed1, s.Seed2),
		quadrants: newQuadrants(),
	}
	g.powers[0] = jump{0, 1}.doubled(64)
	for i := 1; i < len(g.powers); i++ {
		g.powers[i] = g.powers[i-1].doubled(1)
	}
	g.streams = newStreams(g.start, &g.powers[0])
	return g
}

// Edges generates the ends of tuples first..first+len(dst)-1.
func (g *Generator) Edges(dst []engine.Edge, first uint64) {
	g.Tuples(engine.Tuples{Edges: dst}, first)
}

// Weights generates the weights of tuples first..first+len(dst)-1. They are in
// [0, 1]; 1 is possible because the reference rounds to float32.
func (g *Generator) Weights(dst []float32, first uint64) {
	g.Tuples(engine.Tuples{Weights: dst}, first)
}

// Tuples generates ends and weights of consecutive tuples from tuple first on. One of
// the slices can be nil; otherwise they have the same length.
func (g *Generator) Tuples(dst engine.Tuples, first uint64) {
	var edges [blockLen]engine.Edge
	var drawn [blockLen]uint32
	draws := &drawn
	if dst.Weights == nil {
		draws = nil
	}
	c := g.jumpTo(first &^ (blockLen - 1))
	for left := max(len(dst.Edges), len(dst.Weights)); left > 0; {
		skip := int(first % blockLen)
		n := min(blockLen-skip, left)
		if n == blockLen && dst.Edges != nil {
			g.block(first, &c, (*[blockLen]engine.Edge)(dst.Edges), draws)
		} else {
			g.block(first-uint64(skip), &c, &edges, draws)
			copy(dst.Edges, edges[skip:skip+n])
		}
		if dst.Weights != nil {
			for i, d := range drawn[skip : skip+n] {
				dst.Weights[i] = weight(d)
			}
			dst.Weights = dst.Weights[n:]
		}
		if dst.Edges != nil {
			dst.Edges = dst.Edges[n:]
		}
		first, left = first+uint64(n), left-n
		c = c.times(&g.powers[blockBits])
	}
}

// weight converts a draw to a weight with the conversions of the reference: to
// float32, to float64 and to float32 again.
func weight(draw uint32) float32 { return float32(float64(float32(draw)) * inverse) }

// Fill is FillFrom for the tuples from the first one on.
func (g *Generator) Fill(ctx context.Context, team *parallel.Team, dst engine.Tuples, progress func(done, total int64)) error {
	return g.FillFrom(ctx, team, dst, 0, progress)
}

// FillFrom generates consecutive tuples from tuple first on with all workers: ends,
// weights or both, as in Tuples. If progress is not nil, it is called repeatedly and at
// the end, on the caller's goroutine. If ctx ends, FillFrom returns its cause.
func (g *Generator) FillFrom(ctx context.Context, team *parallel.Team, dst engine.Tuples, first uint64, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	total := max(dst.Len(), len(dst.Weights))
	buffers := make([][]engine.Edge, team.Size()) // of tuples with labels of 48 bits
	var done atomic.Int64
	reported := time.Now()
	err := team.For(ctx, total, fillGrain, func(worker, lo, hi int) {
		part := engine.Tuples{}
		if dst.Edges != nil {
			part.Edges = dst.Edges[lo:hi]
		}
		if dst.Wide != nil {
			if buffers[worker] == nil {
				buffers[worker] = make([]engine.Edge, fillGrain)
			}
			part.Edges = buffers[worker][:hi-lo]
		}
		if dst.Weights != nil {
			part.Weights = dst.Weights[lo:hi]
		}
		g.Tuples(part, first+uint64(lo))
		if dst.Wide != nil {
			engine.Widen(dst.Wide[lo:hi], part.Edges)
		}
		sum := done.Add(int64(hi - lo))
		if worker == 0 && time.Since(reported) >= progressEvery {
			reported = time.Now()
			progress(sum, int64(total))
		}
	})
	if err == nil {
		progress(done.Load(), int64(total))
	}
	return err
}

// jumpTo returns the jump from tuple 0 to tuple e.
func (g *Generator) jumpTo(e uint64) jump {
	c := jump{1}
	for i := 0; e != 0; i, e = i+1, e>>1 {
		if e&1 != 0 {
			c = c.times(&g.powers[i])
		}
	}
	return c
}

// tuple generates tuple e and the draw of its weight literally by the
// specification, including rejected draws.
func (g *Generator) tuple(e uint64) (engine.Edge, uint32) {
	c := g.jumpTo(e)
	z := g.start.jumped(&c)
	var u, v uint64
	for range g.scale {
		r := z.next()
		for r < rejected {
			r = z.next()
		}
		var i, j uint64
		switch x := r % 10000; {
		case x < limitB:
			j = 1
		case x < limitC:
			i = 1
		case x >= limitA:
			i, j = 1, 1
		}
		if u == v && i > j {
			i, j = j, i // below the diagonal: mirror
		}
		u, v = 2*u+i, 2*v+j
	}
	return engine.Edge{U: g.scr.vertex(engine.Label(u)), V: g.scr.vertex(engine.Label(v))}, uint32(z.next())
}
