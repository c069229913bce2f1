package kronecker

import (
	"context"

	"graph500/engine"
)

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

// askedTogether is the number of vertices that Sample asks for at a time.
const askedTogether = 1 << 10

// Usable says of each of some vertices whether it has an edge to another one.
type Usable func(ctx context.Context, vertices []engine.Vertex) ([]bool, error)

// Sample returns min(want, count) different usable vertices, of which there are
// count in all: those that the reference searches, in its order, wherever it
// finds that many within N tries. Where it does not it takes repeats and
// isolated vertices; Sample goes on drawing instead. What 2^22 tries do not find
// (few usable vertices in a large graph) is taken in the order of vertices.
// usable is asked for vertices up to 2^scale-1. Its error ends the sampling, and
// so does the end of ctx, with its cause.
func Sample(ctx context.Context, s Spec, want int, count int64, usable Usable) ([]engine.Vertex, error) {
	want = int(max(0, min(int64(want), count)))
	roots := make([]engine.Vertex, 0, want)
	chosen := make(map[engine.Vertex]bool, want)
	keys := newKeyStream(s)
	asked := make([]engine.Vertex, askedTogether)
	all := maxTries + s.Vertices()
	for first := uint64(0); first < all && len(roots) < want; first += askedTogether {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		for i := range asked {
			if try := first + uint64(i); try < maxTries {
				asked[i] = engine.Vertex(keys.next())
			} else {
				asked[i] = engine.Vertex((try - maxTries) % s.Vertices())
			}
		}
		is, err := usable(ctx, asked)
		if err != nil {
			return nil, err
		}
		for i, v := range asked {
			if is[i] && !chosen[v] && len(roots) < want {
				chosen[v] = true
				roots = append(roots, v)
			}
		}
	}
	return roots, nil
}
