//go:build cuda

package hostrows

import "context"

// managed is zeroCopy in managed memory: the driver copies the pages that the kernel reads to
// the device, and drops others where its memory is full (unified memory).
type managed struct{ zeroCopy }

func (managed) prepare(s *Search) error { return s.graph.ByDegree.Tails.ReadMostly() }

// expand returns nothing moved: the driver does not say what it copies.
func (m managed) expand(ctx context.Context, s *Search) (moved, error) {
	_, err := m.zeroCopy.expand(ctx, s)
	return moved{}, err
}
