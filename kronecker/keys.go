package kronecker

import (
	"context"

	"graph500/engine"
)

// inverse is 1/(2^31-1) with the digits of the reference; inverseSquare is its
// square.
const (
	inverse       = 0.000000000465661287524579692
	inverseSquare = 0.0000000000000000002168404346990492787
)

// keyStream generates candidates for search keys, usable or not.
type keyStream struct {
	vertices uint64
	z        state
}

// newKeyStream returns the key stream of the graph.
func newKeyStream(s Spec) *keyStream {
	c := distance(2, 0)
	return &keyStream{vertices: s.Vertices(), z: seedState(s.Seed1, s.Seed2).jumped(&c)}
}

// double returns the next double, in [0, 1]. The conversions prevent fused
// multiply-add instructions, which would round differently.
func (k *keyStream) double() float64 {
	a, b := k.z.next(), k.z.next()
	return float64(float64(a)*inverse) + float64(float64(b)*inverseSquare)
}

// next returns the next key, 0..N-1. It uses two doubles.
func (k *keyStream) next() uint64 {
	sum := k.double() + k.double()
	return uint64(sum*float64(k.vertices)) % k.vertices
}

// maxTries is the largest number of keys that Sample draws. Official graphs need a
// few hundred. 2^22 keys (about 0.2 s) are enough to find 64 usable vertices if
// 1 of 2^16 vertices is usable.
const maxTries = 1 << 22

// keyBatch is the number of vertices in one call of usable.
const keyBatch = 1 << 10

// Usable reports for each vertex whether it has an edge to another vertex.
type Usable func(ctx context.Context, vertices []engine.Vertex) ([]bool, error)

// Sample returns min(want, count) distinct usable vertices; count is the number of
// usable vertices in the graph. They are the search keys of the reference, in its
// order, if the reference finds enough within N tries. If not, the reference
// accepts repeated and isolated vertices, but Sample continues to draw. If 2^22
// tries do not find enough, because few vertices of a large graph are usable, the
// remaining ones are taken in the order of vertices. Sample calls usable for
// vertices 0..2^scale-1. It returns the error of usable or the cause of ctx when
// one of them occurs.
func Sample(ctx context.Context, s Spec, want int, count int64, usable Usable) ([]engine.Vertex, error) {
	want = int(max(0, min(int64(want), count)))
	roots := make([]engine.Vertex, 0, want)
	chosen := make(map[engine.Vertex]bool, want)
	keys := newKeyStream(s)
	batch := make([]engine.Vertex, keyBatch)
	all := maxTries + s.Vertices()
	for first := uint64(0); first < all && len(roots) < want; first += keyBatch {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		for i := range batch {
			if try := first + uint64(i); try < maxTries {
				batch[i] = engine.Vertex(keys.next())
			} else {
				batch[i] = engine.Vertex((try - maxTries) % s.Vertices())
			}
		}
		isUsable, err := usable(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i, v := range batch {
			if isUsable[i] && !chosen[v] && len(roots) < want {
				chosen[v] = true
				roots = append(roots, v)
			}
		}
	}
	return roots, nil
}
