package run

import (
	"cmp"
	"context"
	"slices"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/report"
)

// component is the part of the graph of -graph from which keys are sampled.
type component struct {
	members []uint64 // bitmap on rank 0, else nil
	size    uint64   // number of vertices
}

// findComponent finds the largest component of the graph of a file, with -roots-from=largest.
func (b *Bench) findComponent(ctx context.Context, file *graphFile) error {
	if b.RootsFrom != commandline.RootsFromLargest {
		return nil
	}
	return b.Phase(ctx, "components", b.tuples, func() error {
		if err := b.World.OnFirst(ctx, func() (err error) {
			b.component.members, b.component.size, err = graph.Largest(ctx, file.tuples.Edges, file.Vertices)
			return err
		}); err != nil {
			return err
		}
		sizes, err := cluster.Values(ctx, b.World, b.component.size)
		if err == nil {
			b.component.size = sizes[0]
			b.Console.Printf("search keys are from the largest component: %d of the %d vertices with an edge to another one", b.component.size, file.Connected)
		}
		return err
	})
}

// inComponent restricts usable, an answer for each of the vertices, to those from which keys
// are sampled.
func (b *Bench) inComponent(ctx context.Context, vertices []engine.Vertex, usable []bool) ([]bool, error) {
	if b.RootsFrom != commandline.RootsFromLargest {
		return usable, nil
	}
	if b.World.Rank() == 0 {
		for i, v := range vertices {
			usable[i] = usable[i] && b.component.members[v/64]>>(v%64)&1 == 1
		}
	}
	answers, err := cluster.Values(ctx, b.World, usable)
	if err != nil {
		return nil, err
	}
	return answers[0], nil
}

// tellOfComponents says how many keys of a kernel are not in the largest component that was
// searched, and how large that is, unless all keys are in the largest one of the graph: the mean is
// over small components, too. The last line of a run has the share in any case.
func (b *Bench) tellOfComponents(run *report.KernelRun) {
	largest := slices.MaxFunc(run.Searches, func(s, t report.Search) int { return cmp.Compare(s.Visited, t.Visited) }).Visited
	share, connected := run.Elsewhere(), b.Record.Graph.Connected
	if share == 0 && (b.component.size > 0 || 2*largest > connected) {
		return // all keys are in the largest component of the graph
	}
	advice := ""
	if b.Graph != "" {
		advice = "; -roots-from=largest samples keys from the largest one"
	}
	b.Console.Printf("%s: %.0f of %d search keys (%.0f %%) are in components smaller than the largest one found, which has %d of the %d vertices with an edge: the mean rate is over all of them%s",
		run.Kernel.Title(), share*float64(len(run.Searches)), len(run.Searches), 100*share, largest, connected, advice)
}
