package kronecker

import "graph500/engine"

// inverse is 1/(2^31-1) as the reference writes it, inverseSquare its square.
const (
	inverse       = 0.000000000465661287524579692
	inverseSquare = 0.0000000000000000002168404346990492787
)

// keyStream is the stream of search keys before any check that they are usable.
type keyStream struct {
	vertices uint64
	z        state
}

// newKeyStream starts the stream of the graph.
func newKeyStream(s Spec) *keyStream {
	c := distance(2, 0)
	return &keyStream{vertices: s.Vertices(), z: seedState(s.Seed1, s.Seed2).jumped(&c)}
}

// double returns the next double, in [0, 1]. The conversions keep the compiler
// from fusing the products into the sum, which would round differently.
func (k *keyStream) double() float64 {
	a, b := k.z.next(), k.z.next()
	return float64(float64(a)*inverse) + float64(float64(b)*inverseSquare)
}

// next returns the next key, 0..N-1; it costs two doubles of the stream.
func (k *keyStream) next() uint64 {
	sum := k.double() + k.double()
	return uint64(sum*float64(k.vertices)) % k.vertices
}

// maxTries bounds the keys that Sample draws. The official graphs need a few
// hundred; 2^22 (about 0.2 s) still find 64 where one vertex in 2^16 is usable.
const maxTries = 1 << 22

// Sample returns min(want, usable) different vertices for which isUsable
// holds, of which there are usable in all: those that the reference searches,
// in its order, wherever it finds that many within N tries. Where it does not
// it takes repeats and isolated vertices; Sample goes on drawing instead. What
// 2^22 tries do not find (few usable vertices in a large graph) is taken in
// label order. isUsable is asked for labels up to 2^scale-1.
func Sample(s Spec, want int, usable int64, isUsable func(engine.Vertex) bool) []engine.Vertex {
	want = int(min(int64(want), usable))
	if want <= 0 {
		return nil
	}
	roots := make([]engine.Vertex, 0, want)
	chosen := make(map[engine.Vertex]bool, want)
	take := func(v engine.Vertex) {
		if !chosen[v] && isUsable(v) {
			chosen[v] = true
			roots = append(roots, v)
		}
	}
	keys := newKeyStream(s)
	for range maxTries {
		if len(roots) == want {
			return roots
		}
		take(engine.Vertex(keys.next()))
	}
	for v := uint64(0); len(roots) < want && v < s.Vertices(); v++ {
		take(engine.Vertex(v))
	}
	return roots
}
