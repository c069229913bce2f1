package graph

import (
	"context"
	"errors"
	"math"
	"testing"

	"graph500/engine"
)

func TestTupleListAcrossSegments(t *testing.T) {
	l := tupleList{limit: noLimit}
	part := engine.Tuples{Edges: make([]engine.Edge, 1<<20-7), Weights: make([]float32, 1<<20-7)}
	const parts = 9 // more than two segments
	for p := range parts {
		for i := range part.Edges {
			part.Edges[i] = engine.Edge{U: engine.Label(p), V: engine.Label(i)}
			part.Weights[i] = float32(p) + float32(i)/(1<<20)
		}
		if err := l.add(part); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.edges.segments) != 3 || len(l.weights.segments) != 3 {
		t.Fatalf("%d and %d segments, want 3", len(l.edges.segments), len(l.weights.segments))
	}
	all, err := l.join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer freeTuples(t, all)
	if n := parts * len(part.Edges); len(all.Edges) != n || len(all.Weights) != n {
		t.Fatalf("%d edges, %d weights", len(all.Edges), len(all.Weights))
	}
	for i, e := range all.Edges {
		p, k := i/len(part.Edges), i%len(part.Edges)
		if e != (engine.Edge{U: engine.Label(p), V: engine.Label(k)}) || all.Weights[i] != float32(p)+float32(k)/(1<<20) {
			t.Fatalf("tuple %d is %v, %v", i, e, all.Weights[i])
		}
	}
}

func TestTupleListJoinCancelled(t *testing.T) {
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	l := tupleList{limit: noLimit}
	if err := l.add(engine.Tuples{Edges: four, Weights: fourWeights}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.join(ctx); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	if err := l.free(); err != nil {
		t.Error(err)
	}
}

func TestTupleListCheckOverflow(t *testing.T) {
	var l tupleList
	if err := l.check(math.MaxUint64, true); err == nil || err.Error() != "18446744073709551615 edges need 16.0 EiB of memory, 0 B are available ()" {
		t.Errorf("got %v", err)
	}
}
