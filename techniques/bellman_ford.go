//go:build cuda

package techniques

import "graph500/engine"

func init() {
	implementations["bellman-ford"] = implementation{
		modules:   []string{"bellman_ford"},
		newSearch: func() search { return &bellmanFordSearch{} },
	}
}

// bellmanFordSearch relaxes all arcs of the vertices that the last round improved.
type bellmanFordSearch struct {
	paths
	relaxAll, place pathKernel
}

func (s *bellmanFordSearch) prepare(h *host) error {
	if err := s.paths.prepare(h); err != nil {
		return err
	}
	if err := s.pathKernel(&s.relaxAll, "bellman_ford_relax"); err != nil {
		return err
	}
	return s.pathKernel(&s.place, "bellman_ford_resolve")
}

func (s *bellmanFordSearch) begin(root engine.Label) error {
	_, err := s.paths.begin(root, s.place)
	return err
}

func (s *bellmanFordSearch) step() (more bool, err error) {
	_, err = s.round("round", &s.queues[s.turn], s.length, s.relaxAll, s.place)
	return s.finish(s.length > 0, err)
}
