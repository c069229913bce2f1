package graph

import (
	"context"
	"errors"
	"testing"

	"graph500/engine"
)

func TestConnected(t *testing.T) {
	for _, c := range []struct {
		edges    []engine.Edge
		vertices uint64
		want     uint64
	}{
		{nil, 0, 0},
		{nil, 65, 0},
		{[]engine.Edge{{U: 0, V: 0}, {U: 64, V: 64}}, 65, 0},
		{[]engine.Edge{{U: 0, V: 64}, {U: 64, V: 0}, {U: 3, V: 3}, {U: 63, V: 64}}, 65, 3},
	} {
		if n, err := connected(t.Context(), c.edges, c.vertices); err != nil || n != c.want {
			t.Errorf("%v: %d, %v, want %d", c.edges, n, err, c.want)
		}
	}
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := connected(ctx, make([]engine.Edge, 1), 1); !errors.Is(err, stop) {
		t.Error(err)
	}
}
