package kronecker

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"graph500/engine"
	"graph500/parallel"
)

// Generator makes the tuples of one graph, in any order and for any number of
// goroutines at once. Tuple e has a stream of random numbers of its own, 2^64
// draws behind that of tuple e-1, so it depends on the seeds, the scale and e
// only; the edge factor says how many tuples belong to the graph.
type Generator struct {
	scale     int
	simd      bool // the processor can run the assembly form of fastGo
	scr       scrambler
	start     state    // of tuple 0's stream
	powers    [64]jump // powers[i] is the jump over 2^i tuples
	streams   streams
	quadrants quadrants
}

// fillGrain is the number of tuples a worker takes at once: a few
// milliseconds, so that a cancelled Fill ends soon.
const fillGrain = 256 * blockLen

// progressEvery is the shortest time between two reports of progress.
const progressEvery = 300 * time.Millisecond

// New prepares a generator, in well under a millisecond. It panics unless the
// scale is 1..32: callers check what users ask for.
func New(s Spec) *Generator {
	if s.Scale < 1 || s.Scale > 32 {
		panic(fmt.Sprintf("kronecker: scale %d is not 1..32", s.Scale))
	}
	g := &Generator{
		scale:     s.Scale,
		simd:      haveSIMD(),
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

// Edges makes the tuples first to first+len(dst)-1.
func (g *Generator) Edges(dst []engine.Edge, first uint64) {
	var spare [blockLen]engine.Edge
	c := g.jumpTo(first &^ (blockLen - 1))
	for len(dst) > 0 {
		skip := int(first % blockLen)
		n := min(blockLen-skip, len(dst))
		if n == blockLen {
			g.block(first, &c, (*[blockLen]engine.Edge)(dst), nil)
		} else {
			g.block(first-uint64(skip), &c, &spare, nil)
			copy(dst, spare[skip:skip+n])
		}
		dst, first = dst[n:], first+uint64(n)
		c = c.times(&g.powers[blockBits])
	}
}

// Weights makes the weights of the tuples first to first+len(dst)-1, in
// [0, 1]: the reference's rounding makes 1 itself possible.
func (g *Generator) Weights(dst []float32, first uint64) {
	var spare [blockLen]engine.Edge
	var draws [blockLen]uint32
	c := g.jumpTo(first &^ (blockLen - 1))
	for len(dst) > 0 {
		skip := int(first % blockLen)
		n := min(blockLen-skip, len(dst))
		g.block(first-uint64(skip), &c, &spare, &draws)
		for i, d := range draws[skip : skip+n] {
			dst[i] = weight(d)
		}
		dst, first = dst[n:], first+uint64(n)
		c = c.times(&g.powers[blockBits])
	}
}

// weight turns a draw into a weight, with the reference's roundings: to
// float32, to float64 and to float32 again.
func weight(draw uint32) float32 { return float32(float64(float32(draw)) * inverse) }

// Fill makes the first len(dst) tuples, all workers together. From time to
// time and at the end it calls progress, if there is one, on the caller's
// goroutine. It returns the cause of the context's end, if that came first.
func (g *Generator) Fill(ctx context.Context, team *parallel.Team, dst []engine.Edge, progress func(done, total int64)) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	var done atomic.Int64
	reported := time.Now()
	err := team.For(ctx, len(dst), fillGrain, func(worker, lo, hi int) {
		g.Edges(dst[lo:hi], uint64(lo))
		sum := done.Add(int64(hi - lo))
		if worker == 0 && time.Since(reported) >= progressEvery {
			reported = time.Now()
			progress(sum, int64(len(dst)))
		}
	})
	if err == nil {
		progress(done.Load(), int64(len(dst)))
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

// tuple makes tuple e and the draw of its weight by the letter of the
// specification, rejected draws included.
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
			i, j = j, i // below the diagonal: the mirror image
		}
		u, v = 2*u+i, 2*v+j
	}
	return engine.Edge{U: g.scr.vertex(engine.Local(u)), V: g.scr.vertex(engine.Local(v))}, uint32(z.next())
}
