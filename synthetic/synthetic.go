// Package synthetic makes the tuples of graphs that are not official ones, with another
// structure: a grid, like a road network, and R-MAT graphs whose labels are not scrambled,
// like the web. Each tuple depends on its number only, so any part can be made alone. The
// package must not know files.
package synthetic

import (
	"errors"
	"fmt"
	"math"

	"graph500/engine"
)

// Graph is a list of tuples with labels 0..Vertices()-1.
type Graph interface {
	Vertices() uint64
	Tuples() uint64

	// Fill makes the tuples from number first on, with weights in [0, 1) unless
	// t.Weights is nil.
	Fill(t engine.Tuples, first uint64)
}

// Grid is a grid of 2^Scale vertices, whose neighbours in its rows and columns are joined.
// It is twice as wide as high if Scale is odd. Labels go along the rows. Tuple 2v leads from
// v to the right, tuple 2v+1 down. A tuple that would leave the grid, or that is not kept, is
// a self loop at v, so that there are exactly two tuples per vertex.
type Grid struct {
	Scale int     // 1..31
	Keep  float64 // share of the edges, chosen at random, 0..1
	Seed  uint64
}

func (g Grid) Vertices() uint64 { return 1 << g.Scale }
func (g Grid) Tuples() uint64   { return 2 << g.Scale }

func (g Grid) Fill(t engine.Tuples, first uint64) {
	width := uint64(1) << ((g.Scale + 1) / 2)
	for i := range t.Edges {
		number := first + uint64(i)
		r := newRandom(g.Seed, number)
		v := number / 2
		u, inside := v+1, v%width != width-1
		if number%2 == 1 {
			u, inside = v+width, v+width < g.Vertices()
		}
		if keep := r.unit() < g.Keep; !inside || !keep {
			u = v
		}
		t.Edges[i] = engine.Edge{U: engine.Label(v), V: engine.Label(u)}
		if t.Weights != nil {
			t.Weights[i] = r.weight()
		}
	}
}

// RMAT is a graph of 2^Scale vertices and EdgeFactor times as many tuples by the recursive
// method of Chakrabarti, Zhan and Faloutsos (SIAM SDM 2004): for each bit of the labels, from
// the highest on, a quadrant of the adjacency matrix is drawn with these probabilities.
// Labels are not scrambled, so low labels have the high degrees, and neighbours tend to have
// similar labels where A and D are the largest.
type RMAT struct {
	Scale, EdgeFactor int
	Quadrants         [4]float64 // A, B, C and D: both bits 0; that of V 1; that of U 1; both 1
	Seed              uint64
}

// Check returns an error if the quadrants are no probabilities.
func (g RMAT) Check() error {
	sum := 0.0
	for _, p := range g.Quadrants {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("the probability %v is not in 0..1", p)
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-6 {
		return errors.New("the four probabilities must add up to 1")
	}
	return nil
}

func (g RMAT) Vertices() uint64 { return 1 << g.Scale }
func (g RMAT) Tuples() uint64   { return uint64(g.EdgeFactor) << g.Scale }

func (g RMAT) Fill(t engine.Tuples, first uint64) {
	var limits [3]uint64 // of quadrants, in units of 2^-32
	sum := 0.0
	for k := range limits {
		sum += g.Quadrants[k]
		limits[k] = uint64(sum * (1 << 32))
	}
	for i := range t.Edges {
		r := newRandom(g.Seed, first+uint64(i))
		var u, v, draws uint64
		for level := range g.Scale {
			if draws >>= 32; level%2 == 0 {
				draws = r.next()
			}
			x := draws & math.MaxUint32
			b, c, d := reaches(x, limits[0]), reaches(x, limits[1]), reaches(x, limits[2])
			u, v = u<<1|c, v<<1|(b-c+d)
		}
		t.Edges[i] = engine.Edge{U: engine.Label(u), V: engine.Label(v)}
		if t.Weights != nil {
			t.Weights[i] = r.weight()
		}
	}
}

// reaches returns 1 if x is at least limit, else 0, without a branch. Both are below 2^63.
func reaches(x, limit uint64) uint64 { return 1 - (x-limit)>>63 }

// random is a stream of random numbers: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
type random uint64

// newRandom returns the stream of a tuple.
func newRandom(seed, tuple uint64) random {
	r := random(seed)
	start := r.next() ^ tuple
	r = random(start)
	return random(r.next())
}

func (r *random) next() uint64 {
	*r += 0x9E3779B97F4A7C15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// unit returns a number in [0, 1).
func (r *random) unit() float64 { return float64(r.next()>>11) / (1 << 53) }

// weight returns a number in [0, 1) that float32 holds exactly.
func (r *random) weight() float32 { return float32(r.next()>>40) / (1 << 24) }
