package synthetic

import "graph500/engine"

// Crawl is a graph of 2^Scale vertices and eight times as many tuples, like the web in the
// order of a crawl: 13 of 16 tuples lead to a vertex at most 1024 labels away, mostly much
// nearer, the others often to few vertices of high degree. It is made with integers only.
type Crawl struct {
	Scale int // 1..31
	Seed  uint64
}

func (g Crawl) Vertices() uint64 { return 1 << g.Scale }
func (g Crawl) Tuples() uint64   { return 8 << g.Scale }

func (g Crawl) Fill(t engine.Tuples, first uint64) {
	n := g.Vertices()
	for i := range t.Edges {
		number := first + uint64(i)
		r := newRandom(g.Seed, number)
		v := number / 8
		var u uint64
		if x := r.next(); x>>56 < 208 {
			high := r.next() >> 54
			d := 1 + high>>(r.next()%10)
			if x&1 != 0 {
				d = n - d%n
			}
			u = (v + d) % n
		} else {
			y := r.next() >> 32
			z := y * y >> 32 * y >> 32 // falls on small numbers most of the time
			u = (z >> 14) * 0x9e3779b1 % n
		}
		t.Edges[i] = engine.Edge{U: engine.Label(v), V: engine.Label(u)}
		if t.Weights != nil {
			t.Weights[i] = r.weight()
		}
	}
}

// Shuffled is a graph of 2^k vertices with other labels, without their locality.
type Shuffled struct{ Graph }

func (g Shuffled) Fill(t engine.Tuples, first uint64) {
	g.Graph.Fill(t, first)
	mask := uint32(g.Vertices() - 1)
	for i, e := range t.Edges {
		t.Edges[i] = engine.Edge{U: shuffle(e.U, mask), V: shuffle(e.V, mask)}
	}
}

// shuffle permutes the numbers 0..mask, mask = 2^k - 1: each step can be undone.
func shuffle(x, mask uint32) uint32 {
	x = x * 0x9e3779b1 & mask
	x ^= x >> 9
	x = x * 0x85ebca6b & mask
	return x ^ x>>9
}
