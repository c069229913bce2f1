package run

import (
	"context"
	"errors"
	"fmt"

	"graph500/engine"
	"graph500/kronecker"
)

// roots returns the roots of the searches: those of -root, or the search keys.
func (b *Bench) roots(ctx context.Context) ([]engine.Vertex, error) {
	connected := b.Record.Graph.Connected
	if connected == 0 {
		return nil, errors.New("no vertex has an edge to another one, there is nothing to search from")
	}
	if b.component.size > 0 {
		connected = int64(b.component.size)
	}
	if len(b.Root) > 0 {
		return b.givenRoots(ctx)
	}
	var roots []engine.Vertex
	err := b.Phase(ctx, "key sampling", 0, func() (err error) {
		roots, err = kronecker.Sample(ctx, b.spec, b.Roots, connected, b.usable)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(roots) < b.Roots {
		b.Warn(fmt.Sprintf("only %d vertices have an edge to another one: %d searches instead of %d", connected, len(roots), b.Roots))
	}
	return roots, nil
}

// givenRoots checks and returns the roots of -root.
func (b *Bench) givenRoots(ctx context.Context) ([]engine.Vertex, error) {
	roots := make([]engine.Vertex, len(b.Root))
	for i, root := range b.Root {
		if err := b.checkRoot(root); err != nil {
			return nil, err
		}
		roots[i] = engine.Vertex(root)
	}
	usable, err := b.engine.Usable(ctx, roots)
	if err != nil {
		return nil, err
	}
	for i, root := range roots {
		if !usable[i] {
			return nil, fmt.Errorf("flag -root: vertex %d has no edge to another vertex, there is nothing to search from it", root)
		}
	}
	return roots, nil
}

// usable reports for each vertex whether it exists and has an edge to another one.
// The search keys of a graph from a file are drawn from all numbers below the next
// power of two, so some do not exist.
func (b *Bench) usable(ctx context.Context, vertices []engine.Vertex) ([]bool, error) {
	var inside []engine.Vertex
	for _, v := range vertices {
		if uint64(v) < b.Vertices {
			inside = append(inside, v)
		}
	}
	answers, err := b.engine.Usable(ctx, inside)
	if err != nil {
		return nil, err
	}
	usable := make([]bool, len(vertices))
	for i, v := range vertices {
		if uint64(v) < b.Vertices {
			usable[i], answers = answers[0], answers[1:]
		}
	}
	return b.inComponent(ctx, vertices, usable)
}

// checkRoot returns an error if the graph does not contain the vertex.
func (b *Bench) checkRoot(root int64) error {
	if uint64(root) >= b.Vertices {
		return fmt.Errorf("flag -root: the graph has no vertex %d, they are 0..%d", root, int64(b.Vertices)-1)
	}
	return nil
}
